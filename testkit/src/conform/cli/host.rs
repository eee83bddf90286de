//! The host: it plays a case to an agent over bare pipes, and records both
//! directions. It reads line by line and does what a line brings about at
//! once, so that what it sends stands in the record behind what it came of.

use super::super::process::Watched;
use super::super::{not_over_after, short};
use super::case::{Case, Decision, HookStep, Step};
use super::process::Process;
use super::rest::{at_rest, patience};
use super::servers;
use super::tell::SHOWN;
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

/// How long nothing may come when the CLI has ended, and something that it
/// left behind holds its output open.
const GRACE: Duration = Duration::from_secs(1);

/// Lines that are longer are not read: none of a case is.
const LONGEST: usize = 16 << 20;

/// How many lines a CLI may write, and of how many bytes in all. What writes
/// more has no end.
const LINES: usize = 10_000;
const BYTES: usize = 64 << 20;

/// How much of standard error is kept, in bytes.
const COMPLAINTS: usize = 4096;

/// How often a model may be asked after the end of its script.
const UNSCRIPTED: usize = 10;

/// What happened in a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// A line of the host's.
    Sent(Value),
    /// A line of the CLI's: an object.
    Received(Value),
    /// A line of the CLI's that is something else.
    Noise(String),
    /// The CLI ended, with this status, or by a signal.
    Exited(Option<i32>),
}

/// A session with a CLI.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Recording {
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// Why it did not come to an end, if it did not and was not at rest.
    pub stuck: Option<String>,
    /// What the host still had to do when the CLI ended or was ended, if it
    /// had not done all.
    pub left: Option<String>,
    /// The end of what the CLI wrote to standard error.
    pub complaints: String,
}

impl Recording {
    /// The version that the CLI gave in its first message.
    pub(super) fn version(&self) -> Option<String> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Received(line) => line["claude_code_version"].as_str().map(str::to_owned),
            _ => None,
        })
    }
}

/// Why nothing more is read.
#[derive(Debug, PartialEq, Eq)]
enum Over {
    /// The CLI has ended, or closed its output.
    Ended,
    /// Nothing comes.
    AtRest,
    /// The CLI goes on asking a model whose script is over.
    Unscripted,
}

struct Player<'a> {
    case: &'a Case,
    project: PathBuf,
    /// The model of the real one.
    model: &'a ScriptedModel,
    stdin: Option<ChildStdin>,
    entries: Vec<Entry>,
    steps: VecDeque<Step>,
    prompts: usize,
    requests: usize,
    /// How often each tool was asked about and each hook was called.
    calls: BTreeMap<String, usize>,
    /// Asks that wait for a step.
    held: VecDeque<String>,
    /// Whether the CLI tells its states.
    tells_states: bool,
}

/// Plays a case to a CLI: a program and its first arguments. It is started in
/// a directory of its own, with a clean environment; everything that it
/// started goes when this returns, or is dropped.
///
/// The session is over when the CLI ends, or when it is at rest: the host waits
/// for something, and for some seconds nothing comes; or when it goes on asking
/// the model after the end of the script. A CLI that goes on otherwise and does
/// not do what the host waits for is stuck when the deadline is over.
///
/// # Errors
///
/// When the CLI cannot be started, or no server on loopback or no temporary
/// directory can be had.
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
        held: VecDeque::new(),
        tells_states: false,
    };
    let mut complaints = vec![];
    let stuck = {
        let mut listening = pin!(listen(stderr, &mut complaints));
        let session = async {
            // What is written to standard error is read as long as the session lasts.
            tokio::select! {
                ended = player.session(watched, stdout) => ended,
                never = &mut listening => match never {},
            }
        };
        let stuck = match timeout(deadline, session).await {
            Ok(ended) => ended.err(),
            Err(_) => Some(not_over_after(deadline)),
        };
        // And then what is there by now: somebody else may hold it open.
        let _: Result<std::convert::Infallible, _> = timeout(Duration::ZERO, listening).await;
        stuck
    };
    let has_exited = matches!(player.entries.last(), Some(Entry::Exited(_)));
    let exit = (!has_exited).then_some(&Step::Exit);
    let left = player.steps.front().or(exit);
    let left = left.map(|step| format!("the host had still {step}"));
    Ok(Recording {
        entries: player.entries,
        stuck,
        left,
        complaints: String::from_utf8_lossy(&complaints).trim().to_owned(),
    })
}

/// Reads to the end of the session, and keeps the end.
async fn listen(mut stderr: ChildStderr, kept: &mut Vec<u8>) -> std::convert::Infallible {
    let mut chunk = [0; COMPLAINTS];
    while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
        kept.extend(&chunk[..length]);
        let too_many = kept.len().saturating_sub(COMPLAINTS);
        kept.drain(..too_many);
    }
    std::future::pending().await
}

impl Player<'_> {
    /// From the first line to the end of the process, or until it is at rest.
    /// Fails with what the session is stuck in.
    async fn session(&mut self, cli: &mut Watched, stdout: ChildStdout) -> Result<(), String> {
        self.request(self.case.host.initialize()).await;
        let answered = json!({"type": "control_response", "response": {"request_id": "host-1"}});
        self.steps.push_front(Step::Until(answered));
        if self.read(cli, stdout).await? != Over::Ended {
            return Ok(());
        }
        // Nobody would read an answer.
        self.stdin = None;
        let Ok(status) = timeout(patience(self.case), cli.child.wait()).await else {
            return Ok(());
        };
        let status = status.map_err(|error| error.to_string())?;
        if matches!(self.steps.front(), Some(Step::Exit)) {
            self.steps.pop_front();
        }
        self.entries.push(Entry::Exited(status.code()));
        Ok(())
    }

    /// Reads all that the CLI says.
    async fn read(&mut self, cli: &mut Watched, mut stdout: ChildStdout) -> Result<Over, String> {
        let patience = patience(self.case);
        let mut decoder = LineDecoder::new(LONGEST);
        let mut chunk = vec![0; 64 << 10];
        let (mut has_exited, mut bytes, mut asked, mut unscripted) = (false, 0, 0, 0);
        loop {
            let gate = self.awaited_gate();
            let read = tokio::select! {
                biased;
                // What comes before the gate is reached is read after that, so
                // that it stands in the record behind what the host did then.
                read = stdout.read(&mut chunk), if gate.is_none() || has_exited => read,
                _ = cli.child.wait(), if !has_exited => {
                    has_exited = true;
                    continue;
                }
                () = reached(gate.as_deref()), if !has_exited => {
                    self.steps.pop_front();
                    self.go_on().await?;
                    continue;
                }
                request = self.model.request(asked), if !has_exited => {
                    asked += 1;
                    unscripted += usize::from(request.answer == Answer::EndOfScript);
                    if unscripted > UNSCRIPTED {
                        return Ok(Over::Unscripted);
                    }
                    continue;
                }
                () = sleep(GRACE), if has_exited => Ok(0),
                () = at_rest(&cli.mark, patience, bytes > 0), if !has_exited => return Ok(Over::AtRest),
            };
            let length = read.map_err(|error| error.to_string())?;
            decoder.push(&chunk[..length]);
            bytes += length;
            while let Some(line) = decoder.next_line() {
                self.hear(line).await?;
            }
            if length == 0 {
                if let Some(line) = decoder.finish() {
                    self.hear(line).await?;
                }
                return Ok(Over::Ended);
            }
            if bytes > BYTES || self.entries.len() > LINES {
                return Err("it writes without end".to_owned());
            }
        }
    }

    /// The file that there is when the agent has come to the gate that the host
    /// waits for.
    fn awaited_gate(&self) -> Option<PathBuf> {
        match self.steps.front() {
            Some(Step::Reached(name)) => Some(self.project.join(format!("{name}{REACHED}"))),
            _ => None,
        }
    }

    async fn send(&mut self, line: Value) {
        if let Some(stdin) = &mut self.stdin {
            let text = format!("{line}\n");
            self.entries.push(Entry::Sent(line));
            // Whoever is gone is heard of by what it does not say.
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

    /// A line came.
    async fn hear(&mut self, line: Line) -> Result<(), String> {
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
                let text = short(&String::from_utf8_lossy(text), SHOWN);
                self.entries.push(Entry::Noise(text));
                return Ok(());
            }
        };
        self.entries.push(Entry::Received(line.clone()));
        if line["type"] == "control_request" {
            self.answer_request(&line).await;
        }
        let is_state = line["subtype"] == "session_state_changed";
        self.tells_states |= is_state;
        let is_awaited = match self.steps.front() {
            Some(Step::Idle) if self.tells_states => is_state && line["state"] == "idle",
            Some(Step::Idle) => line["type"] == "result",
            Some(Step::Until(pattern)) => contains(&line, pattern),
            _ => false,
        };
        if is_awaited {
            self.steps.pop_front();
            self.go_on().await?;
        }
        Ok(())
    }

    /// Does the next steps, up to one that waits.
    async fn go_on(&mut self) -> Result<(), String> {
        while let Some(step) = self.steps.front().cloned() {
            match step {
                Step::Idle | Step::Until(_) | Step::Reached(_) | Step::Exit => return Ok(()),
                Step::Prompt(prompt) => self.prompt(prompt).await,
                Step::Request(request) => self.request(request.into()).await,
                Step::Send(line) => self.send(line).await,
                Step::Answer(decision) => {
                    let id = self.held.pop_front().ok_or("nothing was asked")?;
                    self.decide(&id, "", &decision).await;
                }
                Step::Open(name) => {
                    std::fs::write(self.project.join(&name), "")
                        .map_err(|error| format!("the gate {name} stays shut: {error}"))?;
                    // A gate of a tool is none of the model's.
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

    /// How often this was called before.
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
                let place = callback
                    .strip_prefix("hook_")
                    .and_then(|it| it.parse().ok());
                let hook = place.and_then(|it: usize| self.case.host.hooks.get(it));
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
                let why = format!("this host knows no {subtype}");
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
            Decision::Hold => return self.held.push_back(id.to_owned()),
        };
        self.answer(id, Ok(answer)).await;
    }
}

/// Waits until there is such a file; without one, for ever.
async fn reached(file: Option<&Path>) {
    let Some(file) = file else {
        return std::future::pending().await;
    };
    // There is no portable event for a file.
    while !file.exists() {
        sleep(Duration::from_millis(5)).await;
    }
}

fn extend(line: &mut Value, with: Map<String, Value>) {
    if let Value::Object(members) = line {
        members.extend(with);
    }
}

/// Whether a value has all that the pattern has.
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
