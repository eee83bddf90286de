//! Scenario files that run on the fake agent and on the real CLI: the cases in
//! `testkit/conform/cases` whose host expects events.

use super::{Live, fake, log_to_end};
use agentwire::callback::Response;
use agentwire::hook::HookCall;
use agentwire::permission::PermissionRequest;
use agentwire::protocol::Json;
use agentwire::protocol::hook::{HookEvent, HookOutput};
use agentwire::{Client, Hook, Options, PermissionResult};
use agentwire_testkit::Scenario;
use agentwire_testkit::model::ModelRequest;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The maximum time without an event. A test whose session hangs fails with its log.
const TIMEOUT: Duration = super::LONG;

/// The host's part of a scenario file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Host {
    /// The prompts. Each is sent when the previous one is completed.
    prompts: Vec<String>,
    /// The decisions of the permission callback, by tool.
    #[serde(default)]
    decisions: BTreeMap<String, Decision>,
    /// The hooks, in the order in which they are registered.
    #[serde(default)]
    hooks: Vec<ScriptedHook>,
    /// The expected events and requests, in order. `{}` matches anything.
    expect: Vec<String>,
    /// The expected hook calls, in order, with the outcome of their callbacks.
    #[serde(default)]
    called: Vec<String>,
    /// Texts that the model must receive. Ignored with the fake agent, which has no
    /// model.
    #[serde(default)]
    model_sees: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedHook {
    event: String,
    matcher: Option<String>,
    #[serde(default)]
    gate: bool,
    timeout_ms: Option<u64>,
    /// The answer to each call of the hook. The last answer is repeated.
    answers: Vec<HookStep>,
}

/// The answer to a hook call.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum HookStep {
    Answer(serde_json::Value),
    Fail,
    Panic,
    /// Waits until the call is cancelled.
    Hang,
}

/// The handling of a permission request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Decision {
    Allow,
    AllowWith(serde_json::Value),
    Deny(String),
    DenyAndInterrupt(String),
    /// Allows the request by its ID, after the callback has returned `Response::Later`.
    AllowLater,
    /// Interrupts the turn, which cancels the request.
    Interrupt,
    Panic,
}

/// Returns the paths of the testkit's cases that expect events.
fn files() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testkit/conform/cases");
    let paths = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = paths
        .map(|entry| entry.unwrap().path().display().to_string())
        .filter(|file| scenario(file).host.unwrap().get("expect").is_some())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Runs all scenario files, and reports all that fail.
pub(crate) async fn run_all<R>(run: impl Fn(String) -> R)
where
    R: Future<Output = ()> + 'static,
{
    let mut failed = Vec::new();
    let files = files();
    super::counted(files.len(), "scenario files");
    for file in files {
        let tasks = tokio::task::LocalSet::new();
        let playing = tasks.spawn_local(run(file.clone()));
        if tasks.run_until(playing).await.is_err() {
            failed.push(file);
        }
    }
    assert!(failed.is_empty(), "these fail: {failed:#?}");
}

/// Runs a scenario file against the fake agent.
pub(crate) async fn run_on_fake(file: String) {
    let file = &*file;
    let (scenario, host) = read(file);
    play(file, fake(&scenario), host).await;
}

/// Runs a scenario file against the real CLI.
pub(crate) async fn run_on_real(file: String) {
    let file = &*file;
    let (scenario, host) = read(file);
    let model_sees = host.model_sees.clone();
    let live = Live::start(scenario).await;
    play(file, live.options(), host).await;
    let requests = live.model.requests();
    for text in model_sees {
        let is_shown = |request: &ModelRequest| {
            let body = request.body.as_ref();
            body.is_some_and(|body| body.to_string().contains(&text))
        };
        assert!(
            requests.iter().any(is_shown),
            "{file}: the model never saw {text:?}"
        );
    }
}

fn scenario(file: &str) -> Scenario {
    Scenario::from_json(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn read(file: &str) -> (Scenario, Host) {
    let scenario = scenario(file);
    let host = serde_json::from_value(scenario.host.clone().unwrap())
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    (scenario, host)
}

/// The calls of callbacks, in order.
type Calls = Arc<Mutex<Vec<String>>>;

fn note(calls: &Calls, what: impl Into<String>) {
    calls.lock().unwrap().push(what.into());
}

async fn decide(decision: Option<Decision>, ask: PermissionRequest) -> Response<PermissionResult> {
    match decision {
        Some(Decision::Allow) => PermissionResult::allow().into(),
        Some(Decision::AllowWith(input)) => PermissionResult::allow_with(Json::from(input)).into(),
        Some(Decision::Deny(message)) => PermissionResult::deny(message).into(),
        Some(Decision::DenyAndInterrupt(message)) => {
            PermissionResult::deny_and_interrupt(message).into()
        }
        Some(Decision::AllowLater) => {
            let (session, id) = (ask.session.clone(), ask.request_id.clone());
            tokio::spawn(async move {
                let answering = session.respond(&id, PermissionResult::allow());
                answering.await.unwrap();
            });
            Response::Later
        }
        Some(Decision::Interrupt) => {
            ask.session.interrupt().await.unwrap();
            ask.cancelled.cancelled().await;
            Response::Failed("it was cancelled".to_owned())
        }
        Some(Decision::Panic) => panic!("out of order"),
        None => panic!("nobody said what to do about {}", ask.request.tool_name),
    }
}

impl ScriptedHook {
    fn hook(self, calls: Calls) -> Hook {
        let next = Mutex::new(0);
        let answers = self.answers;
        let hook = Hook::named(self.event.as_str(), move |call: HookCall<HookEvent>| {
            let mut next = next.lock().unwrap();
            let step = answers[(*next).min(answers.len() - 1)].clone();
            *next += 1;
            note(&calls, describe_call(&call.event));
            let calls = calls.clone();
            async move {
                match step {
                    HookStep::Answer(answer) => {
                        Ok(serde_json::from_value::<HookOutput>(answer).unwrap())
                    }
                    HookStep::Fail => Err("out of order"),
                    HookStep::Panic => panic!("out of order"),
                    HookStep::Hang => {
                        call.cancelled.cancelled().await;
                        note(&calls, "cancelled");
                        Err("it was cancelled")
                    }
                }
            }
        });
        let hook = match self.matcher {
            Some(matcher) => hook.matcher(matcher),
            None => hook,
        };
        let hook = match self.timeout_ms {
            Some(time) => hook.timeout(Duration::from_millis(time)),
            None => hook,
        };
        if self.gate { hook.gate() } else { hook }
    }
}

/// Describes a hook event and its subject.
fn describe_call(event: &HookEvent) -> String {
    match event {
        HookEvent::PreToolUse(call) => {
            format!("PreToolUse: {} {}", call.tool_name, call.tool_input)
        }
        HookEvent::PostToolUse(call) => format!("PostToolUse: {}", call.tool_name),
        HookEvent::PostToolUseFailure(call) => format!("PostToolUseFailure: {}", call.tool_name),
        HookEvent::PermissionRequest(call) => format!("PermissionRequest: {}", call.tool_name),
        HookEvent::UserPromptSubmit(call) => format!("UserPromptSubmit: {}", call.prompt),
        HookEvent::Stop(call) => format!("Stop: again {}", call.stop_hook_active == Some(true)),
        event => event.tag().unwrap(),
    }
}

/// Plays the host's part and compares the log with the expectation.
async fn play(file: &str, options: Options, host: Host) {
    let (asked, called) = (Calls::default(), Calls::default());
    let (decisions, asks) = (host.decisions, Arc::clone(&asked));
    let mut options = options.on_permission(move |ask: PermissionRequest| {
        let tool = &ask.request.tool_name;
        note(&asks, format!("asked: {tool} {}", ask.request.input));
        decide(decisions.get(tool).cloned(), ask)
    });
    for hook in host.hooks {
        options = options.hook(hook.hook(Arc::clone(&called)));
    }

    let mut client = Client::connect(options).await.unwrap();
    let mut log = Vec::new();
    for prompt in &host.prompts {
        log.push(format!("sent: {prompt}"));
        client.send(prompt.as_str()).await.unwrap();
        loop {
            let next = tokio::time::timeout(TIMEOUT, client.next()).await;
            let Ok(Some(Ok(event))) = next else {
                panic!("{file}: {next:?} after\n  {}", log.join("\n  "));
            };
            log.extend(super::describe(&event));
            if let agentwire::Event::Activity(agentwire::Activity::Idle) = event {
                break;
            }
        }
    }
    let report = client.close().await;
    let (rest, error) = log_to_end(async || client.next().await).await;
    log.extend(rest);
    assert!(error.is_none(), "{file}: {error:?}");
    assert!(report.remaining.is_empty(), "{file}: {report:?}");

    compare(file, &called.lock().unwrap(), &host.called);
    let mut asked = asked.lock().unwrap().clone();
    let mut seen = Vec::new();
    // A request has no fixed position among the messages, because messages are read
    // later. A request precedes the result of its tool.
    for line in log {
        if line.starts_with("tool ") && !asked.is_empty() {
            seen.push(asked.remove(0));
        }
        seen.push(line);
    }
    seen.extend(asked);
    compare(file, &seen, &host.expect);
}

fn compare(file: &str, seen: &[String], expected: &[String]) {
    let matches = seen.len() == expected.len()
        && seen
            .iter()
            .zip(expected)
            .all(|(seen, pattern)| fits(seen, pattern));
    assert!(
        matches,
        "{file}\nexpected:\n  {}\nseen:\n  {}",
        expected.join("\n  "),
        seen.join("\n  ")
    );
}

/// Returns whether a line matches a pattern in which `{}` matches anything.
fn fits(line: &str, pattern: &str) -> bool {
    match pattern.split_once("{}") {
        None => line == pattern,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len()).any(|at| rest.is_char_boundary(at) && fits(&rest[at..], after))
        }),
    }
}
