//! Hooks that may keep a turn from ending.

use crate::agent::session::Session;
use agentwire_protocol::control::Interrupt;
use agentwire_testkit::agent::Event;
use serde_json::{Value, json};

/// A session whose turn wants to end.
fn ending() -> Session {
    let mut session = Session::hooked(json!({"Stop": [
        {"hookCallbackIds": ["a", "b"], "timeout": 5, "onFailure": "block"},
    ]}));
    session.begins(&["m1"]);
    session.says("done");
    session.said();
    session.ends_turn();
    assert_eq!(session.said(), ["hook a", "hook b"]);
    let input = session.hook("a")["request"]["input"].clone();
    assert_eq!(input["stop_hook_active"], json!(false));
    assert_eq!(input["last_assistant_message"], json!("done"));
    session
}

fn ended(session: &mut Session, reason: &str) {
    let said = session.said();
    let result = format!("result success {reason} [m1]");
    assert_eq!(
        said[said.len() - 3..],
        [&*result, "m1 completed", "idle"],
        "{said:?}"
    );
    assert_eq!(session.event(), None);
}

#[test]
fn a_turn_ends_when_the_hooks_let_it() {
    let mut session = ending();
    session.hook_says("b", json!({"async": true}));
    assert_eq!(session.said(), Vec::<String>::new());
    session.hook_says("a", json!({"systemMessage": "bye"}));
    let told = session.messages("system", Some("informational"));
    assert_eq!(told[0]["content"], json!("Stop says: bye"));
    ended(&mut session, "completed");
}

#[test]
fn hooks_make_the_model_go_on_and_say_why() {
    let mut session = ending();
    session.hook_says("b", json!({"decision": "block", "reason": "two"}));
    session.hook_says("a", json!({"decision": "block", "reason": "one"}));
    assert_eq!(session.said(), ["user text", "user text", "notification"]);
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

    session.says("more");
    session.ends_turn();
    let input = session.hook("a")["request"]["input"].clone();
    assert_eq!(input["stop_hook_active"], json!(true));
    for id in ["a", "b"] {
        session.hook_says(id, json!({}));
    }
    ended(&mut session, "completed");
    let result = session.messages("result", None).pop().unwrap();
    assert_eq!(result["num_turns"], json!(3));
    assert_eq!(result["result"], json!("more"));
}

#[test]
fn what_the_model_is_told_makes_it_go_on_as_well() {
    let mut session = ending();
    let told = json!({"hookEventName": "Stop", "additionalContext": "and the tests?"});
    session.hook_says("a", json!({"hookSpecificOutput": told}));
    session.hook_says("b", json!({}));
    assert_eq!(session.said(), Vec::<String>::new());
    assert_eq!(session.event(), Some(Event::TurnContinued));
}

#[test]
fn a_hook_that_stops_beats_one_that_blocks() {
    let mut session = ending();
    session.hook_says("a", json!({"decision": "block", "reason": "more"}));
    session.hook_says("b", json!({"continue": false, "stopReason": "enough"}));
    ended(&mut session, "stop_hook_prevented");
}

#[test]
fn a_hook_that_fails_or_takes_too_long_never_blocks_the_end() {
    let mut session = ending();
    session.hook_fails("a");
    assert_eq!(session.said(), ["informational"]);
    session.wait(5);
    assert!(session.open().is_empty());
    ended(&mut session, "completed");
}

#[test]
fn an_interrupt_ends_the_turn_as_it_is() {
    let mut session = ending();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.said(),
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
fn a_turn_that_fails_has_no_hooks() {
    let mut session = Session::hooked(json!({"Stop": [{"hookCallbackIds": ["a"]}]}));
    session.begins(&["m1"]);
    session.fails_turn();
    assert_eq!(session.open(), Vec::<Value>::new());
    assert_eq!(session.said().last().unwrap(), "idle");
}
