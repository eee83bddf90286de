//! Tests of `Stop` hooks.

use crate::agent::session::Session;
use agentwire_protocol::control::Interrupt;
use agentwire_testkit::agent::Event;
use serde_json::{Value, json};

/// Returns a session whose turn is about to end.
fn ending() -> Session {
    let mut session = Session::hooked(json!({"Stop": [
        {"hookCallbackIds": ["a", "b"], "timeout": 5, "onFailure": "block"},
    ]}));
    session.assert_turn_starts(&["m1"]);
    session.say_text("done");
    session.lines();
    session.end_turn();
    assert_eq!(session.lines(), ["hook a", "hook b"]);
    let input = session.hook("a")["request"]["input"].clone();
    assert_eq!(input["stop_hook_active"], json!(false));
    assert_eq!(input["last_assistant_message"], json!("done"));
    session
}

fn ended(session: &mut Session, reason: &str) {
    let said = session.lines();
    let result = format!("result success {reason} [m1]");
    assert_eq!(
        said[said.len() - 3..],
        [&*result, "m1 completed", "idle"],
        "{said:?}"
    );
    assert_eq!(session.event(), None);
}

#[test]
fn a_turn_ends_after_its_hooks() {
    let mut session = ending();
    session.respond_to_hook("b", json!({"async": true}));
    assert_eq!(session.lines(), Vec::<String>::new());
    session.respond_to_hook("a", json!({"systemMessage": "bye"}));
    let told = session.messages("system", Some("informational"));
    assert_eq!(told[0]["content"], json!("Stop says: bye"));
    ended(&mut session, "completed");
}

#[test]
fn hooks_continue_the_turn_with_a_reason() {
    let mut session = ending();
    session.respond_to_hook("b", json!({"decision": "block", "reason": "two"}));
    session.respond_to_hook("a", json!({"decision": "block", "reason": "one"}));
    assert_eq!(session.lines(), ["user text", "user text", "notification"]);
    let feedback: Vec<_> = session
        .messages("user", None)
        .iter()
        .map(|it| {
            (
                it["message"]["content"][0]["text"].clone(),
                it["isSynthetic"].clone(),
            )
        })
        .collect();
    let line = |why: &str| (json!(format!("Stop hook feedback:\n{why}")), json!(true));
    assert_eq!(feedback, [line("two"), line("one")]);
    assert_eq!(session.event(), Some(Event::TurnContinued));

    session.say_text("more");
    session.end_turn();
    let input = session.hook("a")["request"]["input"].clone();
    assert_eq!(input["stop_hook_active"], json!(true));
    for id in ["a", "b"] {
        session.respond_to_hook(id, json!({}));
    }
    ended(&mut session, "completed");
    let result = session.messages("result", None).pop().unwrap();
    assert_eq!(result["num_turns"], json!(3));
    assert_eq!(result["result"], json!("more"));
}

#[test]
fn additional_context_continues_the_turn() {
    let mut session = ending();
    let told = json!({"hookEventName": "Stop", "additionalContext": "and the tests?"});
    session.respond_to_hook("a", json!({"hookSpecificOutput": told}));
    session.respond_to_hook("b", json!({}));
    assert_eq!(session.lines(), Vec::<String>::new());
    assert_eq!(session.event(), Some(Event::TurnContinued));
}

#[test]
fn stopping_overrides_blocking() {
    let mut session = ending();
    session.respond_to_hook("a", json!({"decision": "block", "reason": "more"}));
    session.respond_to_hook("b", json!({"continue": false, "stopReason": "enough"}));
    ended(&mut session, "stop_hook_prevented");
}

#[test]
fn a_failed_or_late_hook_does_not_continue_the_turn() {
    let mut session = ending();
    session.fail_hook("a");
    assert_eq!(session.lines(), ["informational"]);
    session.wait(5);
    assert!(session.open().is_empty());
    ended(&mut session, "completed");
}

#[test]
fn an_interrupt_ends_the_turn() {
    let mut session = ending();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.lines(),
        [
            "cancel",
            "cancel",
            "success stop",
            "result success completed [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
    assert_eq!(session.event(), Some(Event::TurnAborted));
}

#[test]
fn a_failed_turn_calls_no_stop_hooks() {
    let mut session = Session::hooked(json!({"Stop": [{"hookCallbackIds": ["a"]}]}));
    session.assert_turn_starts(&["m1"]);
    session.fail_turn();
    assert_eq!(session.open(), Vec::<Value>::new());
    assert_eq!(session.lines().last().unwrap(), "idle");
}
