//! Tests of what the calibration with the real Codex does not show.

#![allow(clippy::unwrap_used)]

use super::{Config, Disk, FakeCodex, MemoryDisk};
use crate::scenario::{Fault, Reply, Scenario, Step, ToolCall};
use serde_json::{Value, json};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A disk that outlives its process.
#[derive(Debug, Clone, Default)]
struct SharedDisk(Arc<Mutex<MemoryDisk>>);

impl Disk for SharedDisk {
    fn read(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap().read(path)
    }

    fn write(&mut self, path: &str, text: &str) {
        self.0.lock().unwrap().write(path, text);
    }

    fn remove(&mut self, path: &str) {
        self.0.lock().unwrap().remove(path);
    }

    fn list(&self, folder: &str) -> Vec<String> {
        self.0.lock().unwrap().list(folder)
    }
}

fn frames(codex: &mut FakeCodex) -> Vec<Value> {
    std::iter::from_fn(|| codex.poll_line())
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect()
}

fn send(codex: &mut FakeCodex, id: u64, method: &str, params: Value) -> Vec<Value> {
    let request = json!({ "id": id, "method": method, "params": params });
    codex.handle_line(request.to_string().as_bytes());
    frames(codex)
}

/// Starts a process with a thread, which accepts everything.
fn start(scenario: &Scenario, disk: SharedDisk) -> (FakeCodex, String) {
    let mut codex = FakeCodex::new(scenario, Config::default(), disk);
    initialize(&mut codex);
    let params = json!({ "approvalPolicy": "never", "sandbox": "danger-full-access" });
    let opened = send(&mut codex, 2, "thread/start", params);
    let thread = opened[0]["result"]["thread"]["id"].as_str().unwrap();
    (codex, thread.to_owned())
}

fn initialize(codex: &mut FakeCodex) {
    let params = json!({
        "clientInfo": { "name": "test", "version": "1" },
        "capabilities": { "experimentalApi": true },
    });
    send(codex, 1, "initialize", params);
}

fn prompt(codex: &mut FakeCodex, thread: &str, text: &str) -> Vec<Value> {
    let input = json!([{ "type": "text", "text": text }]);
    let mut frames = send(
        codex,
        3,
        "turn/start",
        json!({ "threadId": thread, "input": input }),
    );
    frames.extend(pass(codex, 25));
    frames
}

fn pass(codex: &mut FakeCodex, time: u64) -> Vec<Value> {
    codex.advance_ms(time);
    frames(codex)
}

fn count(frames: &[Value], method: &str) -> usize {
    frames.iter().filter(|it| it["method"] == method).count()
}

#[test]
fn a_turn_begins_after_its_response_and_text_takes_its_time() {
    let text = Step::chunks(["a", "b"], Duration::from_millis(100));
    let (mut codex, thread) = start(&Scenario::default().reply([text]), SharedDisk::default());
    let input = json!([{ "type": "text", "text": "x" }]);
    let response = send(
        &mut codex,
        3,
        "turn/start",
        json!({ "threadId": thread, "input": input }),
    );
    assert_eq!(response.len(), 1, "{response:?}");
    let mut deltas = vec![];
    for _ in 0..4 {
        let time = codex.timer_ms();
        deltas.push((
            time,
            count(
                &pass(&mut codex, time.unwrap_or(0)),
                "item/agentMessage/delta",
            ),
        ));
    }
    assert_eq!(
        deltas,
        [(Some(25), 0), (Some(100), 1), (Some(100), 1), (None, 0)]
    );
}

#[test]
fn a_turn_waits_at_a_gate_until_it_is_open() {
    let scenario = Scenario::default().reply([Step::gate("g"), Step::text("Hi.")]);
    let (mut codex, thread) = start(&scenario, SharedDisk::default());
    let sent = prompt(&mut codex, &thread, "x");
    assert_eq!(count(&sent, "turn/completed"), 0);
    assert_eq!(codex.shut_gates().collect::<Vec<_>>(), ["g"]);
    assert!(codex.open_gate("h").is_err());
    codex.open_gate("g").unwrap();
    assert_eq!(count(&frames(&mut codex), "turn/completed"), 1);
    assert_eq!(codex.shut_gates().count(), 0);
}

#[test]
fn a_thread_is_resumed_by_another_process_and_no_id_occurs_twice() {
    let disk = SharedDisk::default();
    let scenario = Scenario::default().reply(Reply::new([Step::text("Hi.")]).always());
    let (mut codex, thread) = start(&scenario, disk.clone());
    prompt(&mut codex, &thread, "one");
    codex.handle_eof();
    assert!(codex.has_exited());

    let mut codex = FakeCodex::new(&scenario, Config::default(), disk);
    initialize(&mut codex);
    let resumed = send(
        &mut codex,
        2,
        "thread/resume",
        json!({ "threadId": thread }),
    );
    let resumed = resumed.iter().find(|it| it["id"] == 2).unwrap();
    let turns = resumed["result"]["thread"]["turns"].as_array().unwrap();
    assert_eq!(turns[0]["items"].as_array().unwrap().len(), 2);
    let sent = prompt(&mut codex, &thread, "two");
    let turn = &sent.iter().find(|it| it["id"] == 3).unwrap()["result"]["turn"]["id"];
    assert!(turn.is_string() && *turn != turns[0]["id"]);
}

#[test]
fn a_patch_writes_only_if_the_script_says_so() {
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch";
    for writes in [false, true] {
        let call = ToolCall {
            writes,
            ..ToolCall::new("apply_patch", json!({ "input": patch }), "Done.")
        };
        let disk = SharedDisk::default();
        let scenario = Scenario::default()
            .reply([Step::Tool(call)])
            .reply([Step::text("Hi.")]);
        let (mut codex, thread) = start(&scenario, disk.clone());
        let sent = prompt(&mut codex, &thread, "x");
        assert_eq!(count(&sent, "turn/diff/updated"), 2);
        let written = disk.read("/w/new.txt");
        assert_eq!(written.as_deref(), writes.then_some("hello\n"));
    }
}

#[test]
fn an_endless_tool_loop_ends_with_an_error() {
    let call = Reply::new([Step::tool("exec_command", json!({ "cmd": "ls" }), "")]).always();
    let most = NonZeroU32::new(3).unwrap();
    let scenario = Scenario::default().reply(call).requests_per_prompt(most);
    let (mut codex, thread) = start(&scenario, SharedDisk::default());
    let sent = prompt(&mut codex, &thread, "x");
    let last = sent.last().unwrap();
    assert_eq!(last["params"]["turn"]["status"], "failed", "{last}");
}

#[test]
fn a_fault_is_due_after_the_lines_before_it() {
    let steps = [
        Step::text("Hi."),
        Step::Fault(Fault::Exit(3)),
        Step::text("Gone."),
    ];
    let (mut codex, thread) = start(&Scenario::default().reply(steps), SharedDisk::default());
    let sent = prompt(&mut codex, &thread, "x");
    assert_eq!(count(&sent, "item/agentMessage/delta"), 1);
    assert_eq!(codex.poll_fault(), Some(Fault::Exit(3)));
    assert_eq!(count(&frames(&mut codex), "item/agentMessage/delta"), 1);
    assert_eq!(codex.poll_fault(), None);
}

/// A small generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn random_below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % 1_000_003).unwrap() % end
    }

    fn choose<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.random_below(of.len())]
    }

    fn value(&mut self, known: &[String]) -> Value {
        match self.random_below(9) {
            0 => Value::Null,
            1 => json!(self.random_below(4)),
            2 => json!([self.value(known)]),
            3 => json!({ "type": "text", "text": "x", "decision": "accept" }),
            4 => json!([{ "type": "text", "text": "x" }, { "type": "image", "url": "u" }]),
            5 => self
                .choose(&[
                    "never",
                    "untrusted",
                    "on-request",
                    "read-only",
                    "apiKey",
                    "t",
                ])
                .into(),
            _ => known[self.random_below(known.len())].clone().into(),
        }
    }

    fn line(&mut self, known: &[String]) -> Vec<u8> {
        let methods = [
            "initialize",
            "thread/start",
            "thread/start",
            "thread/resume",
            "thread/fork",
            "thread/list",
            "thread/read",
            "thread/turns/list",
            "thread/items/list",
            "thread/archive",
            "thread/unarchive",
            "thread/name/set",
            "thread/revert",
            "thread/compact/start",
            "thread/settings/update",
            "turn/start",
            "turn/start",
            "turn/start",
            "turn/steer",
            "turn/interrupt",
            "turn/interrupt",
            "turn/interrupt",
            "thread/backgroundTerminals/list",
            "thread/backgroundTerminals/terminate",
            "thread/backgroundTerminals/terminate",
            "thread/backgroundTerminals/clean",
            "model/list",
            "account/read",
            "account/login/start",
            "mcpServerStatus/list",
            "no/such",
        ];
        let members = [
            "input",
            "turnId",
            "expectedTurnId",
            "beforeTurnId",
            "lastTurnId",
            "processId",
            "name",
            "approvalPolicy",
            "sandbox",
            "model",
            "config",
            "dynamicTools",
            "type",
            "apiKey",
            "capabilities",
            "cwd",
            "modelProviders",
            "excludeTurns",
        ];
        match self.random_below(12) {
            0 => {
                let mut random = || u8::try_from(self.random_below(128)).unwrap();
                (0..20).map(|_| random()).collect()
            }
            1..=3 => {
                let decision =
                    self.choose(&["accept", "acceptForSession", "decline", "cancel", "?"]);
                let result = json!({
                    "decision": decision, "action": decision, "success": true, "contentItems": [],
                });
                json!({ "id": self.random_below(12), "result": result })
                    .to_string()
                    .into_bytes()
            }
            _ => {
                let thread =
                    self.random_below(4).saturating_sub(2) * self.random_below(known.len());
                let mut params = json!({ "threadId": known[thread] });
                // The last turn and process, so that requests have an effect.
                for (name, index) in [
                    ("turnId", 1),
                    ("expectedTurnId", 1),
                    ("beforeTurnId", 1),
                    ("processId", 2),
                ] {
                    params[name] = known[index].clone().into();
                }
                for _ in 0..self.random_below(6) {
                    params[self.choose(&members)] = self.value(known);
                }
                if self.random_below(2) == 0 {
                    params["input"] = json!([{ "type": "text", "text": "x" }]);
                }
                let method = self.choose(&methods);
                let request =
                    json!({ "id": self.random_below(99), "method": method, "params": params });
                let mut line = request.to_string().into_bytes();
                if self.random_below(20) == 0 {
                    line.truncate(self.random_below(line.len()));
                }
                line
            }
        }
    }
}

#[test]
fn no_sequence_of_lines_makes_it_panic() {
    let patch =
        "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Delete File: b\n*** End Patch";
    let slow = ToolCall {
        takes_ms: 50,
        gate: Some("h".to_owned()),
        ..ToolCall::new("exec_command", json!({ "cmd": "a | 'b" }), "out")
    };
    let scenario = Scenario::default()
        .reply([
            Step::thinking("Hm."),
            Step::chunks(["a", "b"], Duration::from_millis(30)),
        ])
        .reply([
            Step::Tool(slow),
            Step::tool("apply_patch", json!({ "input": patch }), ""),
        ])
        .reply([
            Step::tool("t", json!({}), ""),
            Step::tool("mcp__t__x", json!({}), ""),
        ])
        .reply([Step::error(500, "server_error", "No.")])
        .reply([Step::text("One."), Step::gate("g"), Step::Cut])
        .repeated();
    let (mut completed, mut terminated) = (0, 0);
    for seed in 1..800 {
        let mut random = Random(seed * 0x9e37_79b9);
        let (mut codex, thread) = start(&scenario, SharedDisk::default());
        let mut known = vec![thread, "x".to_owned(), "x".to_owned()];
        for _ in 0..60 {
            let line = random.line(&known);
            codex.handle_line(&line);
            if random.random_below(3) > 0 {
                codex.advance_ms(30);
            }
            if random.random_below(10) == 0 {
                codex.open_gate("g").unwrap();
            }
            if random.random_below(40) == 0 {
                codex.open_gate("h").unwrap();
            }
            for frame in frames(&mut codex) {
                completed += usize::from(frame["method"] == "turn/completed");
                terminated += usize::from(frame["result"]["terminated"] == true);
                for (index, id) in [
                    (1, &frame["params"]["turn"]["id"]),
                    (2, &frame["params"]["item"]["processId"]),
                    (3, &frame["result"]["thread"]["id"]),
                ] {
                    match id.as_str() {
                        Some(id) if index < known.len() => id.clone_into(&mut known[index]),
                        Some(id) => known.push(id.to_owned()),
                        None => {}
                    }
                }
            }
        }
        codex.handle_eof();
    }
    assert!(
        completed > 200 && terminated > 0,
        "{completed} turns, {terminated} commands"
    );
}
