//! Codex, and the faults between it and the host.

use crate::check::Checks;
use agentwire_testing::Random;
use agentwire_testkit::codex::{Config, FakeCodex, MemoryDisk};
use agentwire_testkit::{Reply, Scenario, Step, ToolCall};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

/// The gate at which turns and commands wait until it is opened.
const GATE: &str = "g";

/// Methods of notifications that the machine ignores.
const MUTED: [&str; 6] = [
    "error",
    "item/agentMessage/delta",
    "item/commandExecution/outputDelta",
    "thread/settings/updated",
    "thread/tokenUsage/updated",
    "turn/diff/updated",
];

pub(crate) struct Agent {
    codex: FakeCodex,
    /// Whether there are no faults, from now on or in the whole session.
    pub(crate) is_calm: bool,
    /// Lines for the host.
    queued_lines: VecDeque<String>,
    /// Responses that are late: after how many lines they follow.
    late_responses: Vec<(usize, String)>,
    other_client_actions: usize,
}

fn step(dice: &mut Random) -> Vec<Step> {
    let tool = |name: &str, input: Value| ToolCall::new(name, input, "done");
    let patch = "*** Begin Patch\n*** Add File: new\n+x\n*** End Patch";
    vec![match dice.below(12) {
        0..3 => Step::chunks(["a", "b"], Duration::from_millis(dice.below(60) as u64)),
        3 => Step::gate(GATE),
        4 | 5 => Step::Tool(ToolCall {
            takes_ms: dice.below(300) as u64,
            ..tool("exec_command", json!({"cmd": dice.pick(&["a", "b"])}))
        }),
        6 | 7 => Step::Tool(ToolCall {
            gate: Some(GATE.to_owned()),
            ..tool("exec_command", json!({"cmd": dice.pick(&["c", "d"])}))
        }),
        8 => Step::Tool(tool("t", json!({}))),
        9 => Step::Tool(tool("apply_patch", json!({ "input": patch }))),
        10 => Step::WaitMs(dice.below(90_000) as u64),
        _ => Step::text("x"),
    }]
}

fn reply(dice: &mut Random) -> Reply {
    match dice.below(12) {
        0 => [Step::error(500, "server_error", "No.")].into(),
        1 => [Step::error(400, "invalid_request_error", "No.")].into(),
        2 => [Step::text("x"), Step::Cut].into(),
        3..8 => [Step::text("x")].into(),
        _ => {
            let steps: Vec<Step> = (0..=dice.below(3)).flat_map(|_| step(dice)).collect();
            steps.into()
        }
    }
}

impl Agent {
    pub(crate) fn new(dice: &mut Random) -> Self {
        let mut scenario = Scenario::default();
        for _ in 0..8 {
            scenario = scenario.reply(reply(dice));
        }
        let scenario = scenario.reply([Step::gate(GATE), Step::text("x")]);
        let most = NonZeroU32::new(6).unwrap();
        let scenario = scenario.repeated().requests_per_prompt(most);
        let mut codex = FakeCodex::new(&scenario, Config::default(), MemoryDisk::default());
        let params = json!({
            "clientInfo": {"name": "s", "version": "1"},
            "capabilities": {"experimentalApi": true, "optOutNotificationMethods": MUTED},
        });
        let line = json!({"id": "x", "method": "initialize", "params": params}).to_string();
        codex.handle_line(line.as_bytes());
        while codex.poll_line().is_some() {}
        Self {
            codex,
            is_calm: dice.one_in(4),
            queued_lines: VecDeque::new(),
            late_responses: vec![],
            other_client_actions: 0,
        }
    }

    /// Opens a thread. Returns its ID.
    pub(crate) fn open(&mut self, dice: &mut Random) -> String {
        let params = json!({
            "approvalPolicy": dice.pick(&["never", "untrusted"]),
            "sandbox": "danger-full-access",
            "dynamicTools": [{"name": "t", "description": "", "inputSchema": {}}],
        });
        self.ask("thread/start", params)["thread"]["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Sends a request of another client. Returns the result.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let line = json!({"id": "x", "method": method, "params": params}).to_string();
        self.codex.handle_line(line.as_bytes());
        let mut result = Value::Null;
        while let Some(line) = self.codex.poll_line() {
            let frame: Value = serde_json::from_str(&line).unwrap();
            match frame["id"] == "x" && frame.get("method").is_none() {
                true => result = frame["result"].clone(),
                false => self.queued_lines.push_back(line),
            }
        }
        result
    }

    /// Performs a random action of another client.
    pub(crate) fn act_as_other_client(&mut self, dice: &mut Random, thread: &str, checks: &Checks) {
        self.other_client_actions += 1;
        let input = json!([{"type": "text", "text": "other"}]);
        let name = format!("other-{}", self.other_client_actions);
        let params = json!({"threadId": thread, "input": input, "clientUserMessageId": name});
        match dice.below(4) {
            0 | 1 => self.ask("turn/start", params),
            2 => self.ask("thread/compact/start", json!({ "threadId": thread })),
            _ => {
                let turn = checks.turn_of_codex(thread);
                self.ask(
                    "turn/interrupt",
                    json!({"threadId": thread, "turnId": turn}),
                )
            }
        };
    }

    /// Returns the IDs of the commands that run in a thread.
    pub(crate) fn commands(&mut self, thread: &str) -> Vec<String> {
        let params = json!({ "threadId": thread });
        let list = self.ask("thread/backgroundTerminals/list", params);
        let data = list["data"].as_array().into_iter().flatten();
        data.map(|it| it["itemId"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Opens the gate for ever.
    pub(crate) fn open_gate(&mut self) {
        self.codex.open_gate(GATE).unwrap();
        self.take_lines();
    }

    pub(crate) fn timer(&self) -> Option<Duration> {
        // What is due and does not happen waits for an approval.
        let timer = self.codex.timer_ms().filter(|it| *it > 0);
        timer.map(Duration::from_millis)
    }

    pub(crate) fn advance(&mut self, time: Duration) {
        self.codex
            .advance_ms(u64::try_from(time.as_millis()).unwrap());
        self.take_lines();
    }

    /// Reads a line of the host, or does not.
    pub(crate) fn receive(&mut self, line: &[u8], dice: &mut Random, checks: &mut Checks) {
        if !self.is_calm {
            let frame: Value = serde_json::from_slice(line).unwrap();
            let is_request = frame.get("method").is_some() && frame.get("id").is_some();
            let rarely = if frame["method"] == "turn/interrupt" {
                6
            } else {
                40
            };
            if is_request && dice.one_in(rarely) {
                checks.swallowed(&frame);
                if dice.one_in(2) {
                    let error =
                        json!({"code": -32001, "message": "Server overloaded; retry later."});
                    let refusal = json!({"id": frame["id"], "error": error});
                    self.queued_lines.push_back(refusal.to_string());
                }
                return;
            }
        }
        self.codex.handle_line(line);
        self.take_lines();
    }

    fn take_lines(&mut self) {
        self.queued_lines
            .extend(std::iter::from_fn(|| self.codex.poll_line()));
    }

    /// Returns the next line for the host.
    pub(crate) fn poll(
        &mut self,
        dice: &mut Random,
        checks: &mut Checks,
    ) -> Result<Option<String>, String> {
        if let Some(place) = self.late_responses.iter().position(|it| it.0 == 0) {
            return Ok(Some(self.late_responses.remove(place).1));
        }
        if !self.is_calm && dice.one_in(40) {
            return Ok(Some(random_text(dice)));
        }
        let Some(line) = self.queued_lines.pop_front() else {
            let waits = !self.is_calm && !dice.one_in(4);
            return Ok(self.late_responses.pop_if(|_| !waits).map(|it| it.1));
        };
        self.late_responses.iter_mut().for_each(|it| it.0 -= 1);
        let frame: Value = serde_json::from_str(&line).unwrap();
        checks.check_sent(&frame)?;
        let is_response = frame.get("method").is_none();
        let is_opened = frame["result"].get("thread").is_some();
        if !self.is_calm && is_response && !is_opened {
            match dice.below(30) {
                0 => {
                    checks.check_lost_response(&frame);
                    return self.poll(dice, checks);
                }
                1..4 => {
                    self.late_responses.push((1 + dice.below(8), line));
                    return self.poll(dice, checks);
                }
                4 => self.late_responses.push((dice.below(8), line.clone())),
                _ => {}
            }
        }
        // A turn whose end is never reported, because another one has begun.
        if !self.is_calm && frame["method"] == "turn/completed" && dice.one_in(60) {
            let thread = frame["params"]["threadId"].as_str().unwrap();
            let input = json!([{"type": "text", "text": "other"}]);
            let params = json!({"threadId": thread, "input": input});
            self.ask("turn/start", params);
            checks.unreported(&frame);
            return self.poll(dice, checks);
        }
        Ok(Some(line))
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.queued_lines.is_empty() && self.late_responses.is_empty()
    }
}

fn random_text(dice: &mut Random) -> String {
    let lines = [
        "not JSON",
        "",
        "[]",
        "{\"id\":1}",
        "{\"id\":\"x\",\"result\":{}}",
        "{\"id\":987654,\"result\":null}",
        "{\"method\":\"thread/tea/made\",\"params\":{\"threadId\":3}}",
        "{\"method\":\"turn/started\",\"params\":{\"threadId\":\"no\",\"turn\":{\"id\":\"x\"}}}",
        "{\"method\":\"turn/completed\",\"params\":[]}",
        "{\"method\":\"serverRequest/resolved\",\"params\":{\"threadId\":\"no\",\"requestId\":77777}}",
    ];
    match dice.below(12) {
        0 => format!("{{\"method\":\"x\",\"params\":\"{}\"}}", "x".repeat(20_000)),
        _ => dice.pick(&lines).to_owned(),
    }
}
