//! Tests of `PermissionRequest` hooks, which run concurrently with the request
//! to the host.

use crate::agent::session::Session;
use agentwire_protocol::Json;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::{Decision, Event};
use serde_json::{Value, json};

/// Returns a session with a pending permission request and two hook calls.
fn pending_hooks() -> Session {
    let mut session = Session::hooked(json!({"PermissionRequest": [
        {"hookCallbackIds": ["a"], "timeout": 5},
        {"hookCallbackIds": ["b"], "onFailure": "block"},
    ]}));
    session.assert_turn_starts(&["m1"]);
    session.call_tool("t1", "Bash", &json!({}), true);
    let said = session.lines();
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
fn a_hook_that_allows_cancels_the_request() {
    let mut session = pending_hooks();
    session.respond_to_hook("b", decides(json!({"behavior": "allow"})));
    assert_eq!(session.lines(), ["cancel", "running"]);
    assert_eq!(
        session.decision("t1"),
        Decision::Allowed(Json::from(json!({})))
    );
    // The response of the other hook is ignored.
    session.respond_to_hook("a", decides(json!({"behavior": "deny"})));
    assert_eq!(session.event(), None);
}

#[test]
fn a_hook_changes_the_input() {
    let mut session = pending_hooks();
    let input = json!({"command": "less"});
    let allow = json!({"behavior": "allow", "updatedInput": input});
    session.respond_to_hook("a", decides(allow));
    assert_eq!(session.decision("t1"), Decision::Allowed(input.into()));
}

#[test]
fn a_hook_denies_with_a_reason() {
    let mut session = pending_hooks();
    let deny = json!({"behavior": "deny", "message": "not now"});
    session.respond_to_hook("a", decides(deny));
    assert_eq!(session.lines(), ["cancel", "running"]);
    assert_eq!(session.decision("t1"), Decision::Denied("not now".into()));
}

#[test]
fn a_hook_ends_the_turn() {
    let mut session = pending_hooks();
    let deny = json!({"behavior": "deny", "interrupt": true});
    session.respond_to_hook("a", decides(deny));
    let said = session.lines_without_events();
    assert_eq!(said[..3], ["cancel", "running", "tool error t1"]);
    assert_eq!(said.last().unwrap(), "idle");
    assert_eq!(session.event(), Some(Event::TurnAborted));
}

#[test]
fn output_without_a_decision_leaves_it_to_the_host() {
    let mut session = pending_hooks();
    session.respond_to_hook("a", json!({"decision": "block", "reason": "no"}));
    session.respond_to_hook("b", json!({"continue": false}));
    assert_eq!(session.lines(), Vec::<String>::new());
    let id = session.request_id_of("can_use_tool");
    session.respond(&id, &PermissionResult::allow());
    assert!(matches!(session.decision("t1"), Decision::Allowed(_)));
}

#[test]
fn a_failed_hook_denies_if_its_matcher_blocks_on_failure() {
    let mut session = pending_hooks();
    session.fail_hook("a");
    assert_eq!(session.lines(), ["informational"]);
    session.fail_hook("b");
    assert_eq!(session.lines(), ["informational", "cancel", "running"]);
    let decision = session.decision("t1");
    assert!(matches!(&decision, Decision::Denied(why) if why.contains("b failed")));
}

#[test]
fn a_hook_timeout_denies() {
    let mut session = pending_hooks();
    session.wait(5);
    // The request to the host stays pending.
    assert_eq!(session.lines(), ["cancel"]);
    let decision = session.decision("t1");
    assert!(matches!(&decision, Decision::Denied(why) if why.contains("in time")));
}

#[test]
fn hooks_are_ignored_after_a_response_of_the_host() {
    let mut session = pending_hooks();
    let id = session.request_id_of("can_use_tool");
    session.respond(&id, &PermissionResult::allow());
    assert!(matches!(session.decision("t1"), Decision::Allowed(_)));
    assert_eq!(session.lines(), ["running"]);
    session.respond_to_hook("a", decides(json!({"behavior": "deny"})));
    session.wait(600);
    assert_eq!(session.event(), None);
    // The lines report only the progress of the running tool.
    let said = session.lines();
    let is_progress = |it: &String| matches!(&**it, "task_started" | "tool_progress");
    assert!(said.iter().all(is_progress), "{said:?}");
}
