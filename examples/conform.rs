//! The adapter of this library for `agentwire conform sdk`. It does what a case requires,
//! and prints what a user of the library sees. `testkit/CONFORM.md` describes how to
//! write an adapter for another SDK.
//!
//! ```text
//! agentwire conform sdk -- target/debug/examples/conform
//! cargo run --example conform --features mcp      # a built-in case
//! ```

#![allow(clippy::print_stdout, reason = "it is what an adapter does")]

use agentwire::callback::Response;
use agentwire::mcp::Tools;
use agentwire::permission::PermissionRequest;
use agentwire::protocol::content::{Content, ContentBlock};
use agentwire::protocol::host::TurnEvent;
use agentwire::{
    Activity, Client, ClosePolicy, Error, Event, Frame, Handle, Hook, Message, Options,
    PermissionResult, query,
};
use agentwire_testkit::conform::sdk::{CASE, CLI};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

/// Longer texts are printed as their length.
const LONG: usize = 1000;

/// The instructions of a case.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Case {
    /// Whether to enable partial messages.
    partial: bool,
    /// How permission requests are answered. If unset, there is no callback.
    asks: Option<Vec<Answer>>,
    hooks: Vec<CaseHook>,
    /// Whether the session has the MCP server `conform`.
    tools: bool,
    #[serde(rename = "do")]
    actions: Vec<Action>,
}

/// How a permission request for this command is answered.
#[derive(Clone, Deserialize)]
struct Answer {
    command: String,
    answer: String,
    message: Option<String>,
    input: Option<Value>,
    /// The command whose request must be answered first.
    after: Option<String>,
}

#[derive(Clone, Deserialize)]
struct CaseHook {
    event: String,
    matcher: Option<String>,
    answer: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Query(String),
    Prompt(String),
    Send(String),
    Turn,
    Await(Value),
    SetModel(String),
    RewindFiles(String),
    Interrupt,
    Close,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(file) = std::env::var_os(CASE) else {
        return on_its_own().await;
    };
    let case = serde_json::from_slice(&std::fs::read(file)?)?;
    let cli = std::env::var_os(CLI).ok_or("there is no CLI")?;
    // Short limits for an agent that does not react, but long enough to exit on a
    // busy machine.
    let soon = Duration::from_secs(1);
    let policy = ClosePolicy::default().finish(soon).terminate(soon);
    let policy = policy.exit(Duration::from_secs(15));
    run(case, Options::new().cli(cli).close_policy(policy)).await
}

/// Runs a built-in case, so that the example also works alone.
async fn on_its_own() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let script = Scenario::default()
        .reply([Step::tool("Bash", json!({ "command": "ls" }), "notes")])
        .reply([Step::text("There are notes.")]);
    let case = json!({
        "asks": [{ "command": "ls", "answer": "allow" }],
        "do": [{ "prompt": "What is there?" }, "close"],
    });
    let options = Options::new()
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, script.to_json());
    run(serde_json::from_value(case)?, options).await
}

async fn run(case: Case, options: Options) -> Result<(), Box<dyn std::error::Error>> {
    let seen = Seen::default();
    let mut options = options.partial_messages(case.partial);
    if let Some(answers) = case.asks {
        let seen = seen.clone();
        options = options.on_permission(move |ask| decide(ask, answers.clone(), seen.clone()));
    }
    for hook in case.hooks {
        options = options.hook(hook_of(hook, &seen));
    }
    if case.tools {
        let seen = seen.clone();
        let echo = move |input: BTreeMap<String, String>| {
            let text = input.get("text").cloned().unwrap_or_default();
            seen.see(json!({ "saw": "call", "tool": "echo", "text": text }));
            async move { Ok::<_, String>(format!("echo: {text}")) }
        };
        let tools = Tools::new().tool("echo", "Says it again.", echo);
        options = options
            .mcp_server("conform", tools)
            .allowed_tools(["mcp__conform__echo"]);
    }
    if let [Action::Query(text)] = &case.actions[..] {
        prompt_once(text, options, &seen).await;
        return Ok(());
    }
    match Client::connect(options).await {
        Ok(client) => converse(client, case.actions, seen).await?,
        Err(error) => seen.failed(&error),
    }
    Ok(())
}

async fn prompt_once(text: &str, options: Options, seen: &Seen) {
    let mut answer = match query(text, options).await {
        Ok(answer) => answer,
        Err(error) => return seen.failed(&error),
    };
    while let Some(event) = answer.next().await {
        match event {
            Ok(event) => seen.event(&event),
            Err(error) => seen.failed(&error),
        }
    }
}

async fn converse(client: Client, actions: Vec<Action>, seen: Seen) -> Result<(), Error> {
    let session = client.handle();
    let mut last = None;
    let (close, closed) = oneshot::channel();
    let (mut close, reader) = (Some(close), read(client, closed, seen.clone()));
    for action in actions {
        match action {
            Action::Prompt(text) => {
                let uuid = seen.sent(session.send(text).uuid());
                seen.turn_of(&uuid).await;
            }
            Action::Send(text) => last = Some(seen.sent(session.send(text).uuid())),
            Action::Turn => {
                if let Some(uuid) = &last {
                    seen.turn_of(uuid).await;
                }
            }
            Action::Await(wanted) => seen.until(|it| it.has(&wanted)).await,
            Action::SetModel(model) => {
                seen.answered("set_model", session.set_model(&model).await);
            }
            Action::RewindFiles(message) => {
                seen.answered("rewind_files", session.rewind_files(&message).await);
            }
            Action::Interrupt => seen.answered("interrupt", interrupt(&session).await),
            Action::Close | Action::Query(_) => {
                // After the end of a turn, wait for the idle state before closing.
                seen.until(|it| it.is_running() || it.is_idle).await;
                drop(close.take());
            }
        }
    }
    drop(close);
    // Joining fails only if the reader panicked, which printed a message.
    drop(reader.await);
    Ok(())
}

async fn interrupt(session: &Handle) -> Result<(), Error> {
    session.interrupt().await.map(drop)
}

/// Reads a session concurrently with the instructions, until it is to be closed.
fn read(mut client: Client, mut closed: oneshot::Receiver<()>, seen: Seen) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut is_closed = false;
        loop {
            let event = tokio::select! {
                event = client.next() => event,
                _ = &mut closed, if !is_closed => {
                    is_closed = true;
                    client.close().await;
                    continue;
                }
            };
            match event {
                Some(Ok(event)) => seen.event(&event),
                Some(Err(error)) => seen.failed(&error),
                None => break,
            }
        }
        seen.change(|it| it.is_over = true);
        client.close().await;
        seen.see(json!({ "saw": "closed" }));
    })
}

/// The permission callback.
async fn decide(
    ask: PermissionRequest,
    answers: Vec<Answer>,
    seen: Seen,
) -> Response<PermissionResult> {
    let tool = ask.request.tool_name.clone();
    let input: Value = ask.request.input.read().unwrap_or_default();
    seen.see(json!({ "saw": "ask", "tool": tool, "input": input }));
    let mut answers = answers.into_iter();
    let Some(answer) = answers.find(|it| input["command"] == it.command) else {
        return Response::Failed("the case does not say".to_owned());
    };
    if let Some(other) = &answer.after {
        seen.until(|it| it.answered.contains(other)).await;
    }
    let result = match (&*answer.answer, answer.input) {
        ("allow", Some(input)) => PermissionResult::allow_with(input),
        ("allow", None) => PermissionResult::allow(),
        ("deny", _) => PermissionResult::deny(answer.message.unwrap_or_default()),
        ("wait", _) => {
            ask.cancelled.cancelled().await;
            seen.see(json!({ "saw": "cancelled", "tool": tool }));
            return Response::Now(PermissionResult::deny("Too late."));
        }
        _ => return Response::Failed("it fails, as the case says".to_owned()),
    };
    // Use the responder instead of returning the result, so that the time of the response
    // is known.
    if ask.later().respond(result).await.is_ok() {
        seen.change(|it| it.answered.push(answer.command));
    }
    Response::Later
}

fn hook_of(hook: CaseHook, seen: &Seen) -> Hook {
    let (seen, event, answer) = (seen.clone(), hook.event.clone(), hook.answer);
    let mut built = Hook::named(hook.event.as_str(), move |_| {
        seen.see(json!({ "saw": "hook", "event": event }));
        let answer = serde_json::from_value(answer.clone());
        async move { answer.map(|it: agentwire::protocol::hook::HookOutput| it) }
    });
    if let Some(matcher) = hook.matcher {
        built = built.matcher(matcher);
    }
    built
}

/// The events so far. Other tasks wait for changes.
#[derive(Clone, Default)]
struct Seen(Arc<(Mutex<SessionProgress>, Notify)>);

#[derive(Default)]
struct SessionProgress {
    lines: Vec<Value>,
    /// All prompts.
    sent: Vec<Box<str>>,
    /// The prompts whose turns have ended.
    ended: Vec<Box<str>>,
    /// The commands whose permission requests were answered.
    answered: Vec<String>,
    is_idle: bool,
    is_over: bool,
}

impl SessionProgress {
    /// Whether a turn has not ended.
    fn is_running(&self) -> bool {
        !self.sent.iter().all(|uuid| self.ended.contains(uuid))
    }

    fn has(&self, wanted: &Value) -> bool {
        let is_like = |line: &Value| {
            let mut members = wanted.as_object().into_iter().flatten();
            members.all(|(name, value)| line[name] == *value)
        };
        self.lines.iter().any(is_like)
    }
}

impl Seen {
    fn change(&self, change: impl FnOnce(&mut SessionProgress)) {
        change(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_waiters();
    }

    /// Waits until the condition holds, or the session has ended.
    async fn until(&self, is_so: impl Fn(&SessionProgress) -> bool) {
        loop {
            let changed = self.0.1.notified();
            {
                let progress = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
                if progress.is_over || is_so(&progress) {
                    return;
                }
            }
            changed.await;
        }
    }

    fn sent(&self, uuid: &str) -> Box<str> {
        self.change(|it| {
            it.is_idle = false;
            it.sent.push(uuid.into());
        });
        uuid.into()
    }

    async fn turn_of(&self, uuid: &str) {
        self.until(|it| it.ended.iter().any(|ended| **ended == *uuid))
            .await;
    }

    fn see(&self, line: Value) {
        println!("{line}");
        self.change(|it| it.lines.push(line));
    }

    fn failed(&self, error: &Error) {
        let code = match error {
            Error::Ended(end) => end.exit.and_then(|exit| exit.code()),
            _ => None,
        };
        self.see(json!({ "saw": "error", "error": error.to_string(), "code": code }));
    }

    fn answered<T>(&self, request: &str, answer: Result<T, Error>) {
        match answer {
            Ok(_) => self.see(json!({ "saw": "answer", "to": request })),
            Err(error) => {
                self.see(json!({ "saw": "refused", "to": request, "error": error.to_string() }));
            }
        }
    }

    fn event(&self, event: &Event) {
        match event {
            Event::Frame(frame) => self.frame(frame),
            Event::Turn(TurnEvent::Ended(end)) => {
                self.change(|it| it.ended.extend(end.messages.iter().cloned()));
            }
            Event::Activity(activity) => {
                self.change(|it| it.is_idle = *activity == Activity::Idle);
            }
            _ => {}
        }
    }

    fn frame(&self, frame: &Frame) {
        let message = frame.message();
        if let Some(piece) = message.text_delta() {
            self.see(json!({ "saw": "piece", "text": piece }));
        }
        match message {
            Message::Assistant(said) => {
                for block in &said.message.content {
                    if let ContentBlock::Text(block) = block {
                        self.see(match block.text.len() {
                            ..=LONG => json!({ "saw": "text", "text": block.text }),
                            length => json!({ "saw": "text", "length": length }),
                        });
                    }
                }
            }
            Message::User(user) => {
                for result in user.tool_results() {
                    self.see(json!({
                        "saw": "tool_result",
                        "text": result.content.as_ref().map(Content::text),
                        "is_error": result.is_error == Some(true),
                    }));
                }
            }
            Message::Result(result) => self.see(json!({
                "saw": "result",
                "subtype": result.subtype.to_string(),
                "is_error": result.is_error,
            })),
            _ => {}
        }
    }
}
