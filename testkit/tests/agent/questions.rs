//! Tests of tools that require the user: questions and plans.

use crate::agent::session::Session;
use agentwire_protocol::permission::{
    Allow, PermissionDestination, PermissionMode, PermissionResult, PermissionUpdate,
};
use agentwire_testkit::agent::{Config, Event};
use serde_json::{Value, json};

fn questions() -> Value {
    json!({"questions": [{"question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
        "options": [{"label": "Tea", "description": ""}, {"label": "Coffee", "description": ""}]}]})
}

/// Calls a tool that requests permission in any mode, and responds. Returns the
/// session with the tool result.
fn ask(mode: PermissionMode, tool: &str, input: &Value, answer: &PermissionResult) -> Session {
    let config = Config {
        permission_mode: mode,
        ..Config::default()
    };
    let mut session = Session::connected(config, &[64]);
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.call_tool("t1", tool, input, false);
    let asked = session.open().pop().unwrap();
    assert_eq!(asked["request"]["requires_user_interaction"], json!(true));
    let id = session.permission_request_id();
    session.lines();
    session.respond(&id, answer);
    session.transfer_all();
    session
}

#[test]
fn the_allowed_input_answers_a_question() {
    let answered = |answers: Value| {
        let mut input = questions();
        input["answers"] = answers;
        PermissionResult::allow_with(input)
    };
    let both = json!({"Tea or coffee?": "Tea", "Why?": "It is late, so"});
    for (answer, text) in [
        (PermissionResult::allow(), "The user did not answer."),
        (answered(json!({})), "The user did not answer."),
        (
            answered(both),
            r#"The user answered: "Tea or coffee?"="Tea", "Why?"="It is late, so"."#,
        ),
    ] {
        let mut session = ask(
            PermissionMode::BypassPermissions,
            "AskUserQuestion",
            &questions(),
            &answer,
        );
        assert_eq!(session.lines(), ["running", "tool result t1"]);
        assert_eq!(session.tool_result(), json!(text));
        assert!(matches!(session.event(), Some(Event::ToolFinished { .. })));
        session.finish_tools();
    }
}

#[test]
fn answers_without_their_questions_are_an_error() {
    let answers = json!({"answers": {"Tea or coffee?": "Tea"}});
    let answer = PermissionResult::allow_with(answers);
    let mut session = ask(
        PermissionMode::Default,
        "AskUserQuestion",
        &questions(),
        &answer,
    );
    assert_eq!(session.lines(), ["running", "tool error t1"]);
}

#[test]
fn a_hook_allows_a_question_without_answering_it() {
    for answers in [None, Some(json!({"Tea or coffee?": "Tea"}))] {
        let mut session = Session::hooked(json!({"PreToolUse": [{"hookCallbackIds": ["a"]}]}));
        session.assert_turn_starts(&["m1"]);
        session.call_tool("t1", "AskUserQuestion", &questions(), true);
        let mut allow = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow"});
        let is_answered = answers.is_some();
        if let Some(answers) = answers {
            allow["updatedInput"] = questions();
            allow["updatedInput"]["answers"] = answers;
        }
        session.respond_to_hook("a", json!({"hookSpecificOutput": allow}));
        let last = if is_answered {
            "tool result t1"
        } else {
            "ask t1"
        };
        assert_eq!(session.lines().last().unwrap(), last);
    }
}

#[test]
fn an_approved_plan_ends_plan_mode() {
    let edited = PermissionResult::allow_with(json!({"plan": "Do less."}));
    for (answer, text) in [
        (PermissionResult::allow(), "The user approved the plan."),
        (edited, "The user approved the plan.\n\nDo less."),
    ] {
        let mut session = ask(PermissionMode::Plan, "ExitPlanMode", &json!({}), &answer);
        assert_eq!(session.lines(), ["running", "status", "tool result t1"]);
        assert_eq!(session.tool_result(), json!(text));
        let status = session.messages("system", Some("status")).pop().unwrap();
        assert_eq!(status["permissionMode"], json!("default"));
    }
}

#[test]
fn an_approval_may_set_another_mode() {
    let mode =
        PermissionUpdate::set_mode(PermissionMode::AcceptEdits, PermissionDestination::Session);
    let answer = Allow::default().updated_permissions([mode]).into();
    let mut session = ask(PermissionMode::Plan, "ExitPlanMode", &json!({}), &answer);
    assert_eq!(session.lines(), ["status", "running", "tool result t1"]);
    let status = session.messages("system", Some("status")).pop().unwrap();
    assert_eq!(status["permissionMode"], json!("acceptEdits"));
}

#[test]
fn a_rejected_plan_does_not_end_plan_mode() {
    let answer = PermissionResult::deny("not yet");
    let mut session = ask(PermissionMode::Plan, "ExitPlanMode", &json!({}), &answer);
    assert!(matches!(session.event(), Some(Event::ToolDecided { .. })));
    assert_eq!(session.lines(), ["running"]);
}

#[test]
fn a_plan_outside_plan_mode_is_an_error() {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.call_tool("t1", "ExitPlanMode", &json!({}), true);
    assert!(matches!(session.event(), Some(Event::ToolFinished { .. })));
    assert_eq!(session.lines().last().unwrap(), "tool error t1");
}
