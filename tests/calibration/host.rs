//! The host: it plays a case to an agent over bare pipes, and records both
//! directions. It reads line by line and does what a line brings about at
//! once, so that what it sends stands in the record behind what it came of.

use crate::case::{Case, Decision, HookStep, Step};
use crate::servers;
use agentwire_testkit::model::ScriptedModel;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, Command};

/// How long nothing may come.
const PATIENCE: Duration = Duration::from_secs(40);

/// A line, and who sent it.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    Sent(Value),
    Received(Value),
    Exited(i32),
}

/// A session that did not come to its end.
pub(crate) struct Stuck {
    pub(crate) why: String,
    pub(crate) so_far: Vec<Entry>,
}

struct Player<'a> {
    case: &'a Case,
    project: PathBuf,
    /// The model of the real one.
    model: Option<&'a ScriptedModel>,
    stdin: Option<ChildStdin>,
    record: Vec<Entry>,
    steps: VecDeque<Step>,
    prompts: usize,
    requests: usize,
    /// How often each tool was asked about and each hook was called.
    calls: BTreeMap<String, usize>,
    /// Asks that wait for a step.
    held: VecDeque<String>,
}

/// Plays a case to an agent.
pub(crate) async fn play(
    case: &Case,
    mut command: Command,
    project: PathBuf,
    model: Option<&ScriptedModel>,
) -> Result<Vec<Entry>, Stuck> {
    let mut child = command
        .args(["--output-format", "stream-json", "--verbose"])
        .args(["--input-format", "stream-json"])
        .args([
            "--permission-prompt-tool=stdio",
            "--include-partial-messages",
        ])
        .arg("--setting-sources=")
        .args(&case.host.args)
        .current_dir(&project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let complaints = tokio::spawn(async move {
        let mut text = String::new();
        drop(stderr.read_to_string(&mut text).await);
        text
    });
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut player = Player {
        case,
        project,
        model,
        stdin: child.stdin.take(),
        record: vec![],
        steps: case.host.steps.clone().into(),
        prompts: 0,
        requests: 0,
        calls: BTreeMap::new(),
        held: VecDeque::new(),
    };
    player.request(case.host.initialize()).await;
    let answered = json!({"type": "control_response", "response": {"request_id": "host-1"}});
    player.steps.push_front(Step::Until(answered));
    let stuck = loop {
        match tokio::time::timeout(PATIENCE, lines.next_line()).await {
            Ok(Ok(Some(line))) => match serde_json::from_str::<Value>(&line) {
                Ok(line) => player.hear(line).await,
                Err(error) => break Some(format!("no JSON: {line}: {error}")),
            },
            Ok(_) => break None,
            Err(_) => break Some(format!("nothing came; left to do: {:?}", player.steps)),
        }
    };
    if stuck.is_some() {
        drop(child.start_kill());
    }
    let status = child.wait().await.unwrap();
    if matches!(player.steps.front(), Some(Step::Exit)) {
        player.steps.pop_front();
    }
    let not_done = || format!("it ended early; left to do: {:?}", player.steps);
    let stuck = stuck.or_else(|| (!player.steps.is_empty()).then(not_done));
    let mut record = player.record;
    record.push(Entry::Exited(status.code().unwrap_or(-1)));
    match stuck {
        None => Ok(record),
        Some(why) => Err(Stuck {
            why: format!("{why}\n{}", complaints.await.unwrap()),
            so_far: record,
        }),
    }
}

impl Player<'_> {
    async fn send(&mut self, line: Value) {
        if let Some(stdin) = &mut self.stdin {
            let text = format!("{line}\n");
            self.record.push(Entry::Sent(line));
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
    async fn hear(&mut self, line: Value) {
        self.record.push(Entry::Received(line.clone()));
        if line["type"] == "control_request" {
            self.answer_request(&line).await;
        }
        let is_awaited = match self.steps.front() {
            Some(Step::Idle) => {
                line["subtype"] == "session_state_changed" && line["state"] == "idle"
            }
            Some(Step::Until(pattern)) => contains(&line, pattern),
            _ => false,
        };
        if is_awaited {
            self.steps.pop_front();
            self.go_on().await;
        }
    }

    /// Does the next steps, up to one that waits.
    async fn go_on(&mut self) {
        while let Some(step) = self.steps.front().cloned() {
            match step {
                Step::Idle | Step::Until(_) | Step::Exit => return,
                Step::Prompt(prompt) => self.prompt(prompt).await,
                Step::Request(request) => self.request(request.into()).await,
                Step::Send(line) => self.send(line).await,
                Step::Answer(decision) => {
                    let id = self.held.pop_front().expect("an ask that was held");
                    self.decide(&id, "", &decision).await;
                }
                Step::Reached(name) => {
                    let file = self.project.join(format!("{name}.reached"));
                    let until = Instant::now() + PATIENCE;
                    while !file.exists() && Instant::now() < until {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                }
                Step::Open(name) => {
                    std::fs::write(self.project.join(&name), "").unwrap();
                    if let Some(model) = self.model {
                        // A gate of a tool is none of the model's.
                        drop(model.open(&name));
                    }
                }
            }
            self.steps.pop_front();
        }
        self.stdin = None;
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
                line.as_object_mut().unwrap().extend(members);
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
                let decision = self.case.host.decisions.get(tool);
                let decision = decision.map_or(Decision::Allow, |it| it.get(number).clone());
                self.decide(id, tool, &decision).await;
            }
            "hook_callback" => {
                let callback = request["callback_id"].as_str().unwrap_or_default();
                let number = self.call(callback);
                let place: usize = callback.trim_start_matches("hook_").parse().unwrap();
                match self.case.host.hooks[place].answers.get(number) {
                    HookStep::Answer(answer) => self.answer(id, Ok(answer.clone())).await,
                    HookStep::Fail | HookStep::Panic => self.answer(id, Err("out of order")).await,
                    HookStep::Hang => {}
                }
            }
            "mcp_message" => {
                let server = request["server_name"].as_str().unwrap_or_default();
                let tools = &self.case.host.servers[server];
                let reply = servers::reply(tools, &request["message"]);
                self.answer(id, Ok(json!({ "mcp_response": reply }))).await;
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
