//! Hooks that are asked beside the host whether a tool may run.

use crate::agent::session::Session;
use agentwire_protocol::Json;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::{Decision, Event};
use serde_json::{Value, json};

/// A session in which the host and two hooks are asked about a tool.
fn asked() -> Session {
    let mut session = Session::hooked(json!({"PermissionRequest": [
        {"hookCallbackIds": ["a"], "timeout": 5},
        {"hookCallbackIds": ["b"], "onFailure": "block"},
    ]}));
    session.begins(&["m1"]);
    session.calls_tool("t1", "Bash", &json!({}), true);
    let said = session.said();
    assert_eq!(
        said[said.len() - 4..],
        ["requires_action", "ask t1", "hook a", "hook b"]
    );
    session
}

fn decides(decision: Value) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}

#[test]
fn a_hook_that_allows_takes_the_question_back() {
    let mut session = asked();
    session.hook_says("b", decides(json!({"behavior": "allow"})));
    assert_eq!(session.said(), ["cancel", "running"]);
    assert_eq!(
        session.decision("t1"),
        Decision::Allowed(Json::from(json!({})))
    );
    // The other one is not heard any more.
    session.hook_says("a", decides(json!({"behavior": "deny"})));
    assert_eq!(session.event(), None);
}

#[test]
fn a_hook_changes_the_input() {
    let mut session = asked();
    let input = json!({"command": "less"});
    let allow = json!({"behavior": "allow", "updatedInput": input});
    session.hook_says("a", decides(allow));
    assert_eq!(session.decision("t1"), Decision::Allowed(input.into()));
}

#[test]
fn a_hook_that_denies_says_why() {
    let mut session = asked();
    let deny = json!({"behavior": "deny", "message": "not now"});
    session.hook_says("a", decides(deny));
    assert_eq!(session.said(), ["cancel", "running"]);
    assert_eq!(session.decision("t1"), Decision::Denied("not now".into()));
}

#[test]
fn a_hook_ends_the_turn() {
    let mut session = asked();
    let deny = json!({"behavior": "deny", "interrupt": true});
    session.hook_says("a", decides(deny));
    let said = session.said_in_whole();
    assert_eq!(said[..3], ["cancel", "running", "tool error t1"]);
    assert_eq!(said.last().unwrap(), "idle");
    assert_eq!(session.event(), Some(Event::TurnAborted));
}

#[test]
fn other_answers_leave_it_to_the_host() {
    let mut session = asked();
    session.hook_says("a", json!({"decision": "block", "reason": "no"}));
    session.hook_says("b", json!({"continue": false}));
    assert_eq!(session.said(), Vec::<String>::new());
    let id = session.ask_of("can_use_tool");
    session.respond(&id, &PermissionResult::allow());
    assert!(matches!(session.decision("t1"), Decision::Allowed(_)));
}

#[test]
fn a_hook_that_fails_denies_if_its_matcher_says_so() {
    let mut session = asked();
    session.hook_fails("a");
    assert_eq!(session.said(), ["informational"]);
    session.hook_fails("b");
    assert_eq!(session.said(), ["informational", "cancel", "running"]);
    let decision = session.decision("t1");
    assert!(matches!(&decision, Decision::Denied(why) if why.contains("b failed")));
}

#[test]
fn a_hook_that_takes_too_long_denies() {
    let mut session = asked();
    session.wait(5);
    // The host's ask stays open, and the session waits for it.
    assert_eq!(session.said(), ["cancel"]);
    let decision = session.decision("t1");
    assert!(matches!(&decision, Decision::Denied(why) if why.contains("in time")));
}

#[test]
fn when_the_host_answers_first_the_hooks_are_not_heard() {
    let mut session = asked();
    let id = session.ask_of("can_use_tool");
    session.respond(&id, &PermissionResult::allow());
    assert!(matches!(session.decision("t1"), Decision::Allowed(_)));
    assert_eq!(session.said(), ["running"]);
    session.hook_says("a", decides(json!({"behavior": "deny"})));
    session.wait(600);
    assert_eq!(session.event(), None);
    // The tool runs all the while, and only that is told.
    let said = session.said();
    let is_progress = |it: &String| matches!(&**it, "task_started" | "tool_progress");
    assert!(said.iter().all(is_progress), "{said:?}");
}
