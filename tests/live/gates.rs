//! Tests of hooks that deny and of gates that fail, on the real CLI: the guarded call
//! does not run.

use super::support::{Live, describe, log_to_end, wait_for};
use agentwire::hook::HookCall;
use agentwire::protocol::hook::{HookEvent, HookKind, HookOutput};
use agentwire::{Activity, Client, Error, Event, Hook, Notice, Options, PermissionResult, query};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::LocalSet;

/// Returns a reply that calls a tool, which creates a file, and two replies with a text.
fn touch_and_talk() -> Scenario {
    Scenario::default()
        .reply([Step::tool(
            "Bash",
            json!({ "command": "touch made; echo made" }),
            "",
        )])
        .reply([Step::text("One.")])
        .reply([Step::text("Two.")])
}

/// Returns a hook that is no gate. It denies as the documented table of denials lists.
fn refuses(event: &HookKind) -> Hook {
    let denial = HookOutput::denial(event, "Not today.").unwrap();
    Hook::named(event.clone(), move |_: HookCall<HookEvent>| {
        let denial = denial.clone();
        async { denial }
    })
}

/// Returns a gate that fails at each call.
fn failing_gate(event: HookKind) -> Hook {
    async fn fail(_: HookCall<HookEvent>) -> Result<(), &'static str> {
        Err("out of order")
    }
    Hook::named(event, fail).gate()
}

/// Returns the events for these prompts.
async fn log_of(options: Options, prompts: &[&str]) -> Vec<String> {
    let mut client = Client::connect(options).await.unwrap();
    let mut log = Vec::new();
    for prompt in prompts {
        client.send(*prompt).await.unwrap();
        wait_for(&mut client, |event| {
            log.extend(describe(event));
            matches!(event, Event::Activity(Activity::Idle)).then_some(())
        })
        .await;
    }
    client.close().await;
    log
}

#[tokio::test]
async fn the_denial_of_each_event_is_heeded() {
    let touched = r#"call: Bash {"command":"touch made; echo made"}"#;
    let fine = "result: success fine";
    let compacting: &[&str] = &["Go", "/compact"];
    // The delivered events; whether the tool ran; the number of model requests; whether
    // the model received the reason.
    type Seen = (&'static [&'static str], bool, usize, bool);
    let cases: [(HookKind, &[&str], Seen); 7] = [
        (
            HookKind::PreToolUse,
            &["Go"],
            (
                &["call", "tool failed", "text: One.", "result"],
                false,
                2,
                true,
            ),
        ),
        (
            HookKind::UserPromptSubmit,
            &["Go"],
            (&["result"], false, 0, false),
        ),
        (
            HookKind::UserPromptExpansion,
            &["/init"],
            (&["result"], false, 0, false),
        ),
        (
            HookKind::PreCompact,
            compacting,
            // The session answers in place of the model.
            (
                &[
                    "call",
                    "tool answered",
                    "text: One.",
                    "result",
                    "text",
                    "result",
                ],
                true,
                2,
                false,
            ),
        ),
        (
            HookKind::PostToolUse,
            &["Go"],
            (
                &["call", "tool answered", "text: One.", "result"],
                true,
                2,
                true,
            ),
        ),
        // The turn ends.
        (
            HookKind::PostToolBatch,
            &["Go"],
            (&["call", "tool answered", "result"], true, 1, false),
        ),
        (
            HookKind::PostToolUseFailure,
            &["Go"],
            (
                &["call", "tool answered", "text: One.", "result"],
                true,
                2,
                false,
            ),
        ),
    ];
    for (event, prompts, (seen, ran, requests, is_told)) in cases {
        let live = Live::start(touch_and_talk()).await;
        let options = live
            .options()
            .hook(refuses(&event))
            .on_permission(|_| async { PermissionResult::allow() });
        let log = log_of(options, prompts).await;
        let alike = log.len() == seen.len()
            && log
                .iter()
                .zip(seen)
                .all(|(line, start)| line.starts_with(start));
        assert!(alike, "{event}: {log:#?}");
        assert!(!log.contains(&touched.to_owned()) || log.last().unwrap() == fine);
        assert_eq!(live.project().join("made").exists(), ran, "{event}");
        let mut asked = live.model.requests();
        // Some versions first check whether the API is available.
        asked.retain(|it| it.reply().is_some());
        assert_eq!(asked.len(), requests, "{event}");
        let hears = |it: &agentwire_testkit::model::ModelRequest| {
            it.body
                .as_ref()
                .is_some_and(|body| body.to_string().contains("Not today."))
        };
        assert_eq!(asked.iter().any(hears), is_told, "{event}");
    }
}

#[tokio::test]
async fn a_failed_gate_of_the_model_keeps_the_model() {
    let live = Live::start(Scenario::default()).await;
    let options = live.options().hook(failing_gate(HookKind::PreModelSwitch));
    let mut client = Client::connect(options).await.unwrap();
    let initialized = client.initialized();
    assert_eq!(initialized.hook_on_failure_supported, Some(true));
    assert_eq!(initialized.hooks_applied, Some(true));
    let refused = client.set_model("claude-haiku-4-5").await;
    let Err(Error::Request(failure)) = refused else {
        panic!("{refused:?}")
    };
    assert!(failure.to_string().contains("blocked_by_hook"), "{failure}");
    wait_for(&mut client, |event| {
        matches!(event, Event::Notice(Notice::CallbackFailed { .. })).then_some(())
    })
    .await;
    client.close().await;
}

/// The agent sends both requests at once, and uses the first response.
#[tokio::test]
async fn the_first_response_of_a_gate_or_the_permission_callback_decides() {
    for gate_is_first in [true, false] {
        let live = Live::start(touch_and_talk()).await;
        let first_has_answered = Arc::new(Notify::new());
        let (hook, callback) = (Arc::clone(&first_has_answered), first_has_answered);
        let gate = Hook::named(
            HookKind::PermissionRequest,
            move |call: HookCall<HookEvent>| {
                let hook = Arc::clone(&hook);
                async move {
                    if !gate_is_first {
                        hook.notified().await;
                        call.cancelled.cancelled().await;
                    }
                    hook.notify_one();
                    Err::<(), _>("out of order")
                }
            },
        );
        let options = live.options().hook(gate.gate()).on_permission(move |ask| {
            let callback = Arc::clone(&callback);
            async move {
                if gate_is_first {
                    callback.notified().await;
                    ask.cancelled.cancelled().await;
                }
                PermissionResult::allow()
            }
        });
        let mut log = log_of(options, &["Go"]).await;
        log.retain(|line| line.starts_with("tool"));
        assert_eq!(log.len(), 1);
        let made = live.project().join("made").exists();
        assert_eq!(made, !gate_is_first, "{log:?}");
    }
}

/// After the timeout, the agent cancels its permission request without a message, and
/// never reports that it is idle.
#[tokio::test]
async fn a_slow_permission_hook_does_not_block_the_session() {
    let live = Live::start(touch_and_talk()).await;
    let (told, mut hears) = mpsc::unbounded_channel();
    let callback = told.clone();
    let hook = Hook::named(
        HookKind::PermissionRequest,
        move |call: HookCall<HookEvent>| {
            let told = told.clone();
            async move {
                call.cancelled.cancelled().await;
                told.send("hook").unwrap();
            }
        },
    );
    let options = live
        .options()
        .hook(hook.timeout(Duration::from_secs(1)))
        .on_permission(move |ask| {
            let told = callback.clone();
            async move {
                ask.cancelled.cancelled().await;
                told.send("permission").unwrap();
                PermissionResult::allow()
            }
        });
    let mut answer = query("Go", options).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert!(error.is_none(), "{error:?}");
    assert!(log[1].starts_with("tool failed"), "{log:?}");
    assert_eq!(log[2..], ["text: One.", "result: success fine"]);
    assert_eq!(hears.recv().await, Some("hook"));
    assert_eq!(hears.recv().await, Some("permission"));
    assert!(!live.project().join("made").exists());
}

#[tokio::test]
async fn a_hanging_hook_does_not_block_the_session() {
    let hanging = |event: HookKind| async move {
        let live = Live::start(touch_and_talk()).await;
        let (told, mut hears) = mpsc::unbounded_channel();
        let hook = Hook::named(event.clone(), move |call: HookCall<HookEvent>| {
            let told = told.clone();
            async move {
                call.cancelled.cancelled().await;
                told.send(()).unwrap();
            }
        });
        let options = live
            .options()
            .hook(hook.timeout(Duration::from_secs(1)))
            .on_permission(|_| async { PermissionResult::allow() });
        let mut answer = query("Go", options).await.unwrap();
        let (log, error) = log_to_end(async || answer.next().await).await;
        // The CLI abandons the session at this hook. Its exit reports this.
        let exits = event == HookKind::PostToolBatch;
        assert_eq!(error.is_some(), exits, "{event}: {error:?} {log:?}");
        let has_result = log.iter().any(|line| line.starts_with("result"));
        assert!(has_result, "{event}: {log:?}");
        // The hook is always cancelled, at the latest at the end of the session.
        hears.recv().await.unwrap();
    };
    let tasks = LocalSet::new();
    let all = [
        HookKind::UserPromptSubmit,
        HookKind::PreToolUse,
        HookKind::PostToolUse,
        HookKind::PostToolBatch,
        HookKind::MessageDisplay,
        HookKind::Stop,
    ]
    .map(|event| tasks.spawn_local(hanging(event)));
    tasks.await;
    for one in all {
        one.await.unwrap();
    }
}
