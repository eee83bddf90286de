//! Tests of the callbacks for a tool call of the real CLI, and of their order.

use super::support::Live;
use agentwire::hook::HookCall;
use agentwire::protocol::hook::{
    PermissionRequest, PostToolUse, PostToolUseFailure, PreToolUse, PreToolUseOutput,
};
use agentwire::protocol::message::SystemMessage;
use agentwire::protocol::permission::PermissionMode;
use agentwire::{Hook, Message, Options, PermissionResult, query};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

type Log = Arc<Mutex<Vec<&'static str>>>;

/// Adds hooks that log each event of a tool call, without a decision.
fn hooked(options: Options, log: &Log) -> Options {
    macro_rules! hook {
        ($event:ty, $name:expr) => {{
            let log = log.clone();
            Hook::new(move |_: HookCall<$event>| {
                log.lock().unwrap().push($name);
                async {}
            })
        }};
    }
    options
        .hook(hook!(PreToolUse, "PreToolUse"))
        .hook(hook!(PermissionRequest, "PermissionRequest"))
        .hook(hook!(PostToolUse, "PostToolUse"))
        .hook(hook!(PostToolUseFailure, "PostToolUseFailure"))
}

/// Adds callbacks that log permissions and questions, and the hooks of [`hooked`].
fn observed(options: Options, log: &Log) -> Options {
    let permission = log.clone();
    let question = log.clone();
    hooked(options, log)
        .on_permission(move |_| {
            permission.lock().unwrap().push("on_permission");
            async { PermissionResult::allow() }
        })
        .on_question(move |ask| {
            question.lock().unwrap().push("on_question");
            async move { ask.answers().choose("Tea?", ["Green"]) }
        })
}

async fn called(
    tool: &str,
    input: &Value,
    set: fn(Options) -> Options,
    observe: fn(Options, &Log) -> Options,
) -> String {
    let scenario = Scenario::default()
        .reply([Step::tool(tool, input.clone(), "")])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let log = Log::default();
    // Without this variable, root may not bypass permissions.
    let options = observe(set(live.options().env("IS_SANDBOX", "1")), &log);
    let mut messages = query("Go", options).await.unwrap().messages();
    while let Some(message) = messages.next().await {
        if let Message::System(SystemMessage::PermissionDenied(denied)) = message.unwrap() {
            let reason = denied.decision_reason_type;
            let reason = reason.map_or("denied".into(), |it| format!("denied: {it}"));
            log.lock().unwrap().push(reason.leak());
        }
    }
    let mut log = std::mem::take(&mut *log.lock().unwrap());
    // These two callbacks run at the same time.
    if let Some(at) = log.iter().position(|it| *it == "PermissionRequest") {
        let first = log[..at].iter().position(|it| *it == "on_permission");
        if first.is_none() && log.get(at + 1) == Some(&"on_permission") {
            log.swap(at, at + 1);
        }
    }
    log.join(", ")
}

fn decides(output: fn() -> PreToolUseOutput) -> Hook {
    Hook::new(move |_: HookCall<PreToolUse>| async move { output() })
}

#[tokio::test]
async fn the_table_of_called_callbacks_is_right() {
    use PermissionMode::{AcceptEdits, BypassPermissions, DontAsk, Plan};
    const RUNS: &str = "PreToolUse, PostToolUse";
    const ALL: &str = "PreToolUse, on_permission, PermissionRequest, PostToolUse";
    const QUESTION: &str = "PreToolUse, on_question, PermissionRequest, PostToolUse";
    let touch = ("Bash", json!({"command": "touch made"}));
    let list = ("Bash", json!({"command": "ls"}));
    let choice = |label| json!({"label": label, "description": "a leaf"});
    let question = json!({"questions": [{"question": "Tea?", "header": "Drink",
        "multiSelect": false, "options": [choice("Green"), choice("Black")]}]});
    let question = ("AskUserQuestion", question);
    type Case<'a> = (
        &'a str,
        &'a (&'a str, Value),
        fn(Options) -> Options,
        [&'a str; 2],
    );
    let cases: &[Case<'_>] = &[
        (
            "default",
            &touch,
            |it| it,
            [ALL, "PreToolUse, PermissionRequest, denied"],
        ),
        ("harmless command", &list, |it| it, [RUNS; 2]),
        (
            "allowed_tools",
            &touch,
            |it| it.allowed_tools(["Bash(touch *)"]),
            [RUNS; 2],
        ),
        (
            "disallowed_tools",
            &touch,
            |it| it.disallowed_tools(["Bash(touch *)"]),
            ["PreToolUse, denied: subcommandResults"; 2],
        ),
        (
            "mode acceptEdits",
            &touch,
            |it| it.permission_mode(AcceptEdits),
            [RUNS; 2],
        ),
        (
            "mode bypassPermissions",
            &touch,
            |it| it.permission_mode(BypassPermissions),
            [RUNS; 2],
        ),
        (
            "mode dontAsk",
            &touch,
            |it| it.permission_mode(DontAsk),
            ["PreToolUse, denied: mode"; 2],
        ),
        (
            "mode plan",
            &touch,
            |it| it.permission_mode(Plan),
            ["PreToolUse, denied: classifier"; 2],
        ),
        (
            "hook allows",
            &touch,
            |it| it.hook(decides(PreToolUseOutput::allow)),
            [RUNS; 2],
        ),
        (
            "hook denies",
            &touch,
            |it| it.hook(decides(|| PreToolUseOutput::deny("no"))),
            ["PreToolUse"; 2],
        ),
        (
            "hook asks, a rule allows",
            &touch,
            |it| {
                it.allowed_tools(["Bash"])
                    .hook(decides(PreToolUseOutput::ask))
            },
            [ALL, "PreToolUse, denied: hook"],
        ),
        (
            "hook allows, a rule denies",
            &touch,
            |it| {
                it.disallowed_tools(["Bash(touch *)"])
                    .hook(decides(PreToolUseOutput::allow))
            },
            ["PreToolUse"; 2],
        ),
        // Without a callback, the model does not have this tool.
        ("question", &question, |it| it, [QUESTION, ""]),
        (
            "question, mode bypassPermissions",
            &question,
            |it| it.permission_mode(BypassPermissions),
            [QUESTION, ""],
        ),
        (
            "question, hook allows",
            &question,
            |it| it.hook(decides(PreToolUseOutput::allow)),
            [QUESTION, ""],
        ),
    ];
    let mut wrong = vec![];
    for (what, (tool, input), set, wanted) in cases {
        let seen = [
            called(tool, input, *set, observed).await,
            called(tool, input, *set, hooked).await,
        ];
        println!("{what}: {}; without a callback: {}", seen[0], seen[1]);
        if seen != *wanted {
            wrong.push(format!("{what}: {seen:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
