//! The fake process of the agent. It has a queue, turns with steps, permission requests,
//! and a transcript that it writes from time to time. Like the real CLI (measured), it
//! does not rerun messages that are in its transcript, resumes an interrupted turn only
//! if `CLAUDE_CODE_RESUME_INTERRUPTED_TURN` is set, and does not restore settings.

use crate::disk::Disk;
use crate::log::Log;
use agentwire::options::CommandLine;
use agentwire_testing::Random;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::future::pending;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::io::{ReadHalf, WriteHalf};
use tokio::time::sleep;

pub(crate) struct Agent {
    pub(crate) dice: Random,
    pub(crate) log: Log,
    pub(crate) disk: Disk,
    pub(crate) number: usize,
    /// Whether the process resumes an interrupted turn.
    resumes_interrupted_turn: bool,
    /// Whether the session must exist already. Otherwise, it must not exist.
    must_exist: bool,
    session_id: String,
    input: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    /// The messages that are written to the transcript next.
    messages: BTreeSet<String>,
    received: BTreeSet<String>,
    queue: VecDeque<Value>,
    turn: Option<Turn>,
    model: usize,
    is_initialized: bool,
    permission_id: Option<String>,
    cancelled: BTreeSet<String>,
    permission_count: usize,
    last_sent: Option<usize>,
}

struct Turn {
    uuids: Vec<String>,
    steps: usize,
    is_continued: bool,
}

impl Agent {
    pub(crate) fn new(
        dice: Random,
        log: Log,
        disk: Disk,
        line: &CommandLine,
        stream: DuplexStream,
    ) -> Self {
        let (input, output) = tokio::io::split(stream);
        let of = |flag: &str| {
            let mut arguments = line.arguments.iter();
            arguments
                .find_map(|it| it.strip_prefix(flag))
                .map(str::to_owned)
        };
        let resumed = of("--resume=");
        let resumes_interrupted_turn = line
            .environment
            .iter()
            .any(|(name, _)| name == "CLAUDE_CODE_RESUME_INTERRUPTED_TURN");
        let number = {
            let mut kept = disk.lock();
            kept.processes += 1;
            kept.processes
        };
        log.note(format_args!(
            "a process starts: {number}, {resumed:?}, goes on: {resumes_interrupted_turn}"
        ));
        Self {
            dice,
            log,
            disk,
            number,
            resumes_interrupted_turn,
            must_exist: resumed.is_some(),
            session_id: resumed.or(of("--session-id=")).unwrap(),
            input: BufReader::new(input).lines(),
            output,
            messages: BTreeSet::new(),
            received: BTreeSet::new(),
            queue: VecDeque::new(),
            turn: None,
            model: 0,
            is_initialized: false,
            permission_id: None,
            cancelled: BTreeSet::new(),
            permission_count: 0,
            last_sent: None,
        }
    }

    /// Runs until the input ends.
    pub(crate) async fn live(mut self) {
        if self.must_exist != self.disk.lock().exists {
            self.log.note("it cannot begin like that");
            if self.must_exist {
                self.send_line(
                    json!({"type": "result", "subtype": "error_during_execution",
                    "is_error": true, "num_turns": 0, "session_id": self.session_id}),
                )
                .await;
            }
            return;
        }
        self.begin_with_open_turn().await;
        loop {
            let time = Duration::from_millis(self.dice.below(400) as u64);
            let works = self.is_initialized && self.permission_id.is_none();
            let works = works && (self.turn.is_some() || !self.queue.is_empty());
            tokio::select! {
                biased;
                line = self.input.next_line() => match line {
                    Ok(Some(line)) => self.handle_line(serde_json::from_str(&line).unwrap()).await,
                    _ => break,
                },
                () = sleep(time), if works => self.run_step().await,
                () = pending(), if !works => {}
            }
        }
        // The process writes the rest of the transcript before it exits.
        self.write_down();
        self.log.note(format_args!("process {} exits", self.number));
    }

    /// Resumes the turn that the last process did not end.
    async fn begin_with_open_turn(&mut self) {
        let open = std::mem::take(&mut self.disk.lock().open_turn);
        if open.is_empty() || !self.resumes_interrupted_turn {
            return;
        }
        self.log.note(format_args!("goes on with {open:?}"));
        self.state("running").await;
        let first = open[0].clone();
        self.lifecycle(&first, "started").await;
        self.disk.lock().open_turn.clone_from(&open);
        self.turn = Some(Turn {
            uuids: open,
            steps: self.dice.below(3),
            is_continued: true,
        });
    }

    async fn handle_line(&mut self, line: Value) {
        match line["type"].as_str().unwrap() {
            "user" => self.take_message(line).await,
            "control_request" => self.answer(&line).await,
            "control_response" => {
                let id = line["response"]["request_id"].as_str().unwrap().to_owned();
                if self.permission_id.as_ref() == Some(&id) {
                    self.permission_id = None;
                } else if !self.cancelled.contains(&id) {
                    self.log
                        .report_problem(format_args!("process {} is answered {id}", self.number));
                }
            }
            _ => {}
        }
    }

    async fn take_message(&mut self, line: Value) {
        let uuid = line["uuid"].as_str().unwrap().to_owned();
        self.log
            .note(format_args!("process {} is sent {uuid}", self.number));
        if self.disk.lock().finished.contains(&uuid) {
            self.log
                .report_problem(format_args!("{uuid} is over, and sent again"));
        }
        let started = {
            let kept = self.disk.lock();
            kept.started
                .get(&uuid)
                .copied()
                .filter(|_| kept.returns_interrupted_turns)
        };
        if started.is_some_and(|process| process < self.number) {
            self.log
                .report_problem(format_args!("{uuid} was picked up, and is sent again"));
        }
        if !self.received.insert(uuid.clone()) {
            self.log
                .report_problem(format_args!("{uuid} is sent twice to a process"));
        }
        let place: usize = uuid.trim_start_matches("m-").parse().unwrap();
        if self
            .last_sent
            .replace(place)
            .is_some_and(|last| last > place)
        {
            self.log
                .report_problem(format_args!("{uuid} comes behind a later one"));
        }
        let is_known = self.messages.contains(&uuid) || self.disk.lock().messages.contains(&uuid);
        let is_running = self
            .turn
            .as_ref()
            .is_some_and(|it| it.uuids.contains(&uuid));
        if is_running && self.disk.lock().started.contains_key(&uuid) {
            self.log
                .report_problem(format_args!("{uuid} is sent again, and its turn goes on"));
        }
        if is_running && self.dice.one_in(2) {
            // The process reports no state of the message.
        } else if is_known || is_running {
            self.lifecycle(&uuid, "completed").await;
            if self.turn.is_none() && self.queue.is_empty() {
                self.state("idle").await;
            }
        } else {
            self.lifecycle(&uuid, "queued").await;
            self.queue.push_back(line);
        }
    }

    async fn answer(&mut self, line: &Value) {
        let id = line["request_id"].as_str().unwrap();
        let request = &line["request"];
        let mut answer = json!({});
        match request["subtype"].as_str().unwrap() {
            "initialize" => {
                self.is_initialized = true;
                answer = json!({"capabilities": ["interrupt_receipt_v1"], "pid": self.number});
            }
            "set_model" => {
                let model = request["model"].as_str().unwrap();
                self.model = model.trim_start_matches("model-").parse().unwrap();
            }
            "mcp_status" => answer = json!({"mcpServers": []}),
            "interrupt" => self.interrupt().await,
            "cancel_async_message" => {
                let uuid = &request["message_uuid"];
                let before = self.queue.len();
                self.queue.retain(|it| it["uuid"] != *uuid);
                let cancelled = self.queue.len() < before;
                answer = json!({"cancelled": cancelled, "message_uuid": uuid});
                if cancelled {
                    self.lifecycle(uuid.as_str().unwrap(), "cancelled").await;
                    if self.turn.is_none() && self.queue.is_empty() {
                        self.state("idle").await;
                    }
                }
            }
            _ => {}
        }
        self.send_line(json!({"type": "control_response", "response":
            {"subtype": "success", "request_id": id, "response": answer}}))
            .await;
    }

    async fn interrupt(&mut self) {
        if let Some(id) = self.permission_id.take() {
            self.send_line(json!({"type": "control_cancel_request", "request_id": id}))
                .await;
            self.cancelled.insert(id);
        }
        let Some(turn) = self.turn.take() else { return };
        // The transcript records that the user interrupted the turn.
        self.messages.extend(turn.uuids.iter().cloned());
        self.write_down();
        self.result(&turn.uuids, "aborted_streaming").await;
        for uuid in &turn.uuids {
            self.lifecycle(uuid, "cancelled").await;
        }
        if self.queue.is_empty() {
            self.state("idle").await;
        }
    }

    /// Runs the next step of the turn, or starts the next turn.
    async fn run_step(&mut self) {
        if self.dice.one_in(3) {
            self.write_down();
        }
        let Some(turn) = &mut self.turn else {
            return self.begin_turn().await;
        };
        if turn.steps > 0 {
            turn.steps -= 1;
            return self.step().await;
        }
        let Some(turn) = self.turn.take() else { return };
        self.messages.extend(turn.uuids.iter().cloned());
        self.disk.lock().done.extend(turn.uuids.iter().cloned());
        // The agent may report the end of a turn before the transcript contains it.
        let is_written_first = self.dice.one_in(2);
        if is_written_first {
            self.write_end(&turn.uuids);
        }
        self.result(&turn.uuids, "completed").await;
        if !is_written_first {
            self.write_end(&turn.uuids);
        }
        for uuid in &turn.uuids {
            self.lifecycle(uuid, "completed").await;
        }
        if self.queue.is_empty() {
            self.state("idle").await;
        }
    }

    async fn begin_turn(&mut self) {
        let Some(message) = self.queue.pop_front() else {
            return;
        };
        let uuid = message["uuid"].as_str().unwrap().to_owned();
        let wants: usize = message["message"]["content"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        if self.model < wants {
            self.log.report_problem(format_args!(
                "{uuid} runs on model {}, and {wants} was set before it",
                self.model
            ));
        }
        self.messages.insert(uuid.clone());
        self.turn = Some(Turn {
            uuids: vec![uuid.clone()],
            steps: self.dice.below(5),
            is_continued: false,
        });
        self.state("running").await;
        self.lifecycle(&uuid, "started").await;
        self.init().await;
    }

    async fn step(&mut self) {
        if self.turn.as_ref().is_some_and(|it| it.is_continued) {
            self.init().await;
            if let Some(turn) = &mut self.turn {
                turn.is_continued = false;
            }
        }
        match self.dice.below(3) {
            0 => {
                self.permission_count += 1;
                let id = format!("ask-{}-{}", self.number, self.permission_count);
                let tool_use_id = format!("tool-{}-{}", self.number, self.permission_count);
                self.permission_id = Some(id.clone());
                self.send_line(
                    json!({"type": "control_request", "request_id": id, "request":
                    {"subtype": "can_use_tool", "tool_name": "Bash", "input": {},
                     "tool_use_id": tool_use_id}}),
                )
                .await;
            }
            _ => {
                self.send_line(json!({"type": "assistant", "parent_tool_use_id": null,
                    "session_id": self.session_id, "message": {"id": "m", "role": "assistant",
                    "type": "message", "content": [{"type": "text", "text": "A word."}]}}))
                    .await;
            }
        }
    }

    async fn init(&mut self) {
        let uuids = self.turn.as_ref().map(|it| it.uuids.clone());
        self.send_line(
            json!({"type": "system", "subtype": "init", "session_id": self.session_id,
            "user_message_uuids": uuids, "capabilities": ["msg_lifecycle_v1"],
            "model": format!("model-{}", self.model)}),
        )
        .await;
    }

    async fn result(&mut self, uuids: &[String], reason: &str) {
        let is_error = reason != "completed";
        let subtype = if is_error {
            "error_during_execution"
        } else {
            "success"
        };
        self.send_line(
            json!({"type": "result", "subtype": subtype, "is_error": is_error,
            "num_turns": 1, "terminal_reason": reason, "session_id": self.session_id,
            "user_message_uuids": uuids, "result": "done"}),
        )
        .await;
    }

    async fn lifecycle(&mut self, uuid: &str, state: &str) {
        self.send_line(
            json!({"type": "command_lifecycle", "command_uuid": uuid, "state": state,
            "session_id": self.session_id}),
        )
        .await;
    }

    async fn state(&mut self, state: &str) {
        self.send_line(
            json!({"type": "system", "subtype": "session_state_changed", "state": state,
            "session_id": self.session_id}),
        )
        .await;
    }

    async fn send_line(&mut self, line: Value) {
        let line = format!("{line}\n");
        if self.output.write_all(line.as_bytes()).await.is_err() {
            pending::<()>().await;
        }
    }

    /// Writes pending entries to the transcript.
    fn write_down(&mut self) {
        let mut kept = self.disk.lock();
        if !self.messages.is_empty() {
            kept.exists = true;
        }
        kept.messages.append(&mut self.messages);
        kept.open_turn = match &self.turn {
            Some(turn) => turn.uuids.clone(),
            None => vec![],
        };
    }

    /// Writes the end of a turn to the transcript.
    fn write_end(&mut self, uuids: &[String]) {
        self.write_down();
        let mut kept = self.disk.lock();
        for uuid in uuids {
            *kept.completed.entry(uuid.clone()).or_default() += 1;
        }
    }
}
