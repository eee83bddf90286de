//! Plays a case to an agent over pipes, as its host, and records both
//! directions. The host handles each line immediately, so that its response
//! follows the line in the recording.

use super::super::process::Watched;
use super::super::{short, timed_out};
use super::case::{Case, Decision, HookStep, Step};
use super::display::MAX_SHOWN;
use super::idle::{idle_timeout, until_idle};
use super::process::Process;
use super::servers;
use crate::model::{Answer, ScriptedModel};
use crate::scenario::gate_name::REACHED;
use agentwire_protocol::codec::{Line, LineDecoder};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::{sleep, timeout};

/// The time without output after which the session ends, if another process
/// keeps standard output open after the CLI's exit.
const GRACE: Duration = Duration::from_secs(1);

/// The maximum length of a line.
const MAX_LINE: usize = 16 << 20;

/// The maximum number of lines of a CLI, and of bytes.
const MAX_LINES: usize = 10_000;
const MAX_BYTES: usize = 64 << 20;

/// The retained length of standard error, in bytes.
const STDERR_LENGTH: usize = 4096;

/// The maximum number of model requests after the end of the script.
const MAX_UNSCRIPTED: usize = 10;

/// An entry of a recording.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// A line that the host sent.
    Sent(Value),
    /// A line of the CLI that is a JSON object.
    Received(Value),
    /// A line of the CLI that is not a JSON object.
    Noise(String),
    /// The CLI exited with this status, or was killed by a signal.
    Exited(Option<i32>),
}

/// A recorded session with a CLI.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Recording {
    /// The entries, in order.
    pub entries: Vec<Entry>,
    /// The reason why the session did not complete. `None` if the session
    /// completed or became idle.
    pub stuck: Option<String>,
    /// The step that the host had not performed when the session ended, if any.
    pub remaining: Option<String>,
    /// The end of the CLI's standard error.
    pub stderr: String,
}

/// Why reading stopped.
#[derive(Debug, PartialEq, Eq)]
enum Stopped {
    /// The CLI has ended, or closed its output.
    Ended,
    /// The session is idle.
    Idle,
    /// The CLI keeps sending model requests after the end of the script.
    Unscripted,
}

struct Player<'a> {
    case: &'a Case,
    project: PathBuf,
    /// The scripted model for the real CLI.
    model: &'a ScriptedModel,
    stdin: Option<ChildStdin>,
    entries: Vec<Entry>,
    steps: VecDeque<Step>,
    prompts: usize,
    requests: usize,
    /// The number of calls of each tool and hook.
    calls: BTreeMap<String, usize>,
    /// The IDs of permission requests that a later step responds to.
    deferred: VecDeque<String>,
    /// Whether the CLI sends session states.
    sends_states: bool,
}

/// Plays a case to a CLI. `cli` is a program and its first arguments. The CLI
/// runs in a temporary directory with a clean environment. All processes that
/// the CLI started are killed when this function returns or is dropped.
///
/// The session ends when the CLI exits, when it is idle while the host waits, or
/// when the CLI keeps sending model requests after the end of the script. Any
/// other session is stuck at the deadline.
///
/// # Errors
///
/// Fails if the CLI, the server on loopback or the temporary directory cannot
/// be created.
pub async fn play(case: &Case, cli: &[OsString], deadline: Duration) -> io::Result<Recording> {
    let model = ScriptedModel::start(case.scenario.clone()).await?;
    let mut process = Process::start(case, cli, &model)?;
    let project = process.project();
    let watched = &mut process.watched;
    let child = &mut watched.child;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("the CLI has no pipes"));
    };
    let mut player = Player {
        case,
        project,
        model: &model,
        stdin: child.stdin.take(),
        entries: vec![],
        steps: case.host.steps.clone().into(),
        prompts: 0,
        requests: 0,
        calls: BTreeMap::new(),
        deferred: VecDeque::new(),
        sends_states: false,
    };
    let mut stderr_end = vec![];
    let stuck = {
        let mut listening = pin!(listen(stderr, &mut stderr_end));
        let session = async {
            // Standard error is read until the session ends.
            tokio::select! {
                ended = player.session(watched, stdout) => ended,
                never = &mut listening => match never {},
            }
        };
        let stuck = match timeout(deadline, session).await {
            Ok(ended) => ended.err(),
            Err(_) => Some(timed_out(deadline)),
        };
        // The rest is read without waiting, because another process may keep
        // the pipe open.
        let _: Result<std::convert::Infallible, _> = timeout(Duration::ZERO, listening).await;
        stuck
    };
    let has_exited = matches!(player.entries.last(), Some(Entry::Exited(_)));
    let exit = (!has_exited).then_some(&Step::Exit);
    let remaining = player.steps.front().or(exit);
    let remaining = remaining.map(|step| format!("remaining step: {step}"));
    Ok(Recording {
        entries: player.entries,
        stuck,
        remaining,
        stderr: String::from_utf8_lossy(&stderr_end).trim().to_owned(),
    })
}

/// Reads standard error and stores its end.
async fn listen(mut stderr: ChildStderr, end: &mut Vec<u8>) -> std::convert::Infallible {
    let mut chunk = [0; STDERR_LENGTH];
    while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
        end.extend(&chunk[..length]);
        let too_many = end.len().saturating_sub(STDERR_LENGTH);
        end.drain(..too_many);
    }
    std::future::pending().await
}

impl Player<'_> {
    /// Runs the session until the process exits or is idle. The error is the
    /// reason why the session is stuck.
    async fn session(&mut self, cli: &mut Watched, stdout: ChildStdout) -> Result<(), String> {
        self.request(self.case.host.initialize()).await;
        let answered = json!({"type": "control_response", "response": {"request_id": "host-1"}});
        self.steps.push_front(Step::Until(answered));
        if self.read(cli, stdout).await? != Stopped::Ended {
            return Ok(());
        }
        // The CLI no longer reads its input.
        self.stdin = None;
        let Ok(status) = timeout(idle_timeout(self.case), cli.child.wait()).await else {
            return Ok(());
        };
        let status = status.map_err(|error| error.to_string())?;
        if matches!(self.steps.front(), Some(Step::Exit)) {
            self.steps.pop_front();
        }
        self.entries.push(Entry::Exited(status.code()));
        Ok(())
    }

    /// Reads the CLI's output.
    async fn read(
        &mut self,
        cli: &mut Watched,
        mut stdout: ChildStdout,
    ) -> Result<Stopped, String> {
        let idle_timeout = idle_timeout(self.case);
        let mut decoder = LineDecoder::new(MAX_LINE);
        let mut chunk = vec![0; 64 << 10];
        let (mut has_exited, mut bytes, mut asked, mut unscripted) = (false, 0, 0, 0);
        loop {
            let gate = self.gate_file();
            let read = tokio::select! {
                biased;
                // While the host waits at a gate, output is not read, so that
                // the recording shows it after the host's actions at the gate.
                read = stdout.read(&mut chunk), if gate.is_none() || has_exited => read,
                _ = cli.child.wait(), if !has_exited => {
                    has_exited = true;
                    continue;
                }
                () = reached(gate.as_deref()), if !has_exited => {
                    self.steps.pop_front();
                    self.run_steps().await?;
                    continue;
                }
                request = self.model.request(asked), if !has_exited => {
                    asked += 1;
                    unscripted += usize::from(request.answer == Answer::EndOfScript);
                    if unscripted > MAX_UNSCRIPTED {
                        return Ok(Stopped::Unscripted);
                    }
                    continue;
                }
                () = sleep(GRACE), if has_exited => Ok(0),
                () = until_idle(&cli.mark, idle_timeout, bytes > 0), if !has_exited => return Ok(Stopped::Idle),
            };
            let length = read.map_err(|error| error.to_string())?;
            decoder.push(&chunk[..length]);
            bytes += length;
            while let Some(line) = decoder.next_line() {
                self.handle_line(line).await?;
            }
            if length == 0 {
                if let Some(line) = decoder.finish() {
                    self.handle_line(line).await?;
                }
                return Ok(Stopped::Ended);
            }
            if bytes > MAX_BYTES || self.entries.len() > MAX_LINES {
                return Err("the output exceeds the limit".to_owned());
            }
        }
    }

    /// Returns the file that marks the gate at which the host waits.
    fn gate_file(&self) -> Option<PathBuf> {
        match self.steps.front() {
            Some(Step::Reached(name)) => Some(self.project.join(format!("{name}{REACHED}"))),
            _ => None,
        }
    }

    async fn send(&mut self, line: Value) {
        if let Some(stdin) = &mut self.stdin {
            let text = format!("{line}\n");
            self.entries.push(Entry::Sent(line));
            // A failed write shows in the missing responses.
            drop(stdin.write_all(text.as_bytes()).await);
            drop(stdin.flush().await);
        }
    }

    async fn request(&mut self, request: Value) {
        self.requests += 1;
        let id = format!("host-{}", self.requests);
        self.send(json!({"type": "control_request", "request_id": id, "request": request}))
            .await;
    }

    async fn answer(&mut self, request_id: &str, answer: Result<Value, &str>) {
        let response = match answer {
            Ok(answer) => {
                json!({"subtype": "success", "request_id": request_id, "response": answer})
            }
            Err(why) => json!({"subtype": "error", "request_id": request_id, "error": why}),
        };
        self.send(json!({"type": "control_response", "response": response}))
            .await;
    }

    /// Handles a line.
    async fn handle_line(&mut self, line: Line) -> Result<(), String> {
        let text = match &line {
            Line::Whole(text) => text,
            Line::TooLong { head, .. } => head,
            Line::Unfinished(text) => text,
        };
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        let line = match serde_json::from_slice(text) {
            Ok(line @ Value::Object(_)) => line,
            _ => {
                let text = short(&String::from_utf8_lossy(text), MAX_SHOWN);
                self.entries.push(Entry::Noise(text));
                return Ok(());
            }
        };
        self.entries.push(Entry::Received(line.clone()));
        if line["type"] == "control_request" {
            self.answer_request(&line).await;
        }
        let is_state = line["subtype"] == "session_state_changed";
        self.sends_states |= is_state;
        let is_awaited = match self.steps.front() {
            Some(Step::Idle) if self.sends_states => is_state && line["state"] == "idle",
            Some(Step::Idle) => line["type"] == "result",
            Some(Step::Until(pattern)) => contains(&line, pattern),
            _ => false,
        };
        if is_awaited {
            self.steps.pop_front();
            self.run_steps().await?;
        }
        Ok(())
    }

    /// Performs the next steps, up to one that waits.
    async fn run_steps(&mut self) -> Result<(), String> {
        while let Some(step) = self.steps.front().cloned() {
            match step {
                Step::Idle | Step::Until(_) | Step::Reached(_) | Step::Exit => return Ok(()),
                Step::Prompt(prompt) => self.prompt(prompt).await,
                Step::Request(request) => self.request(request.into()).await,
                Step::Send(line) => self.send(line).await,
                Step::Answer(decision) => {
                    let id = self
                        .deferred
                        .pop_front()
                        .ok_or("there is no deferred permission request")?;
                    self.decide(&id, "", &decision).await;
                }
                Step::Open(name) => {
                    std::fs::write(self.project.join(&name), "")
                        .map_err(|error| format!("cannot open the gate {name}: {error}"))?;
                    // A gate of a tool is not a gate of the model.
                    drop(self.model.open(&name));
                }
            }
            self.steps.pop_front();
        }
        self.stdin = None;
        Ok(())
    }

    async fn prompt(&mut self, prompt: Value) {
        self.prompts += 1;
        let mut line = json!({
            "type": "user",
            "uuid": format!("11111111-0000-4000-8000-{:012}", self.prompts),
            "parent_tool_use_id": null,
            "session_id": "",
        });
        let content = match prompt {
            Value::Object(mut members) => {
                let content = members.remove("content");
                extend(&mut line, members);
                content.unwrap_or_default()
            }
            text => text,
        };
        line["message"] = json!({"role": "user", "content": content});
        self.send(line).await;
    }

    /// Counts a call of a tool or hook. Returns the number of earlier calls.
    fn call(&mut self, name: &str) -> usize {
        let calls = self.calls.entry(name.to_owned()).or_default();
        *calls += 1;
        *calls - 1
    }

    async fn answer_request(&mut self, line: &Value) {
        let id = line["request_id"].as_str().unwrap_or_default();
        let request = &line["request"];
        match request["subtype"].as_str().unwrap_or_default() {
            "can_use_tool" => {
                let tool = request["tool_name"].as_str().unwrap_or_default();
                let number = self.call(tool);
                let decisions = self.case.host.decisions.get(tool);
                let decision = decisions.and_then(|it| it.get(number));
                let decision = decision.cloned().unwrap_or(Decision::Allow);
                self.decide(id, tool, &decision).await;
            }
            "hook_callback" => {
                let callback = request["callback_id"].as_str().unwrap_or_default();
                let number = self.call(callback);
                let index = callback
                    .strip_prefix("hook_")
                    .and_then(|it| it.parse().ok());
                let hook = index.and_then(|it: usize| self.case.host.hooks.get(it));
                match hook.and_then(|it| it.answers.get(number)) {
                    Some(HookStep::Answer(answer)) => self.answer(id, Ok(answer.clone())).await,
                    Some(HookStep::Fail | HookStep::Panic) => {
                        self.answer(id, Err("out of order")).await;
                    }
                    Some(HookStep::Hang) => {}
                    None => self.answer(id, Err("there is no such hook")).await,
                }
            }
            "mcp_message" => {
                let server = request["server_name"].as_str().unwrap_or_default();
                match self.case.host.servers.get(server) {
                    Some(tools) => {
                        let reply = servers::reply(tools, &request["message"]);
                        self.answer(id, Ok(json!({ "mcp_response": reply }))).await;
                    }
                    None => self.answer(id, Err("there is no such server")).await,
                }
            }
            subtype => {
                let why = format!("unsupported request: {subtype}");
                self.answer(id, Err(&why)).await;
            }
        }
    }

    async fn decide(&mut self, id: &str, tool: &str, decision: &Decision) {
        let answer = match decision {
            Decision::Allow | Decision::AllowLater => json!({"behavior": "allow"}),
            Decision::AllowWith(input) => json!({"behavior": "allow", "updatedInput": input}),
            Decision::Deny(why) => json!({"behavior": "deny", "message": why}),
            Decision::DenyAndInterrupt(why) => {
                json!({"behavior": "deny", "message": why, "interrupt": true})
            }
            Decision::Panic => {
                let why = format!("The host could not decide about {tool}.");
                json!({"behavior": "deny", "message": why})
            }
            Decision::Raw(answer) => answer.clone(),
            Decision::Fail(why) => return self.answer(id, Err(why)).await,
            Decision::Interrupt => return self.request(json!({"subtype": "interrupt"})).await,
            Decision::Hold => return self.deferred.push_back(id.to_owned()),
        };
        self.answer(id, Ok(answer)).await;
    }
}

/// Waits until a file exists. Without a file, waits forever.
async fn reached(file: Option<&Path>) {
    let Some(file) = file else {
        return std::future::pending().await;
    };
    // There is no portable event for the creation of a file.
    while !file.exists() {
        sleep(Duration::from_millis(5)).await;
    }
}

fn extend(line: &mut Value, with: Map<String, Value>) {
    if let Value::Object(members) = line {
        members.extend(with);
    }
}

/// Returns whether a value has all members of the pattern.
fn contains(value: &Value, pattern: &Value) -> bool {
    match pattern {
        Value::Object(members) => members
            .iter()
            .all(|(name, pattern)| value.get(name).is_some_and(|it| contains(it, pattern))),
        Value::Array(items) if items.is_empty() => value == pattern,
        Value::Array(items) => items
            .iter()
            .enumerate()
            .all(|(at, pattern)| value.get(at).is_some_and(|it| contains(it, pattern))),
        _ => value == pattern,
    }
}
