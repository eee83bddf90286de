//! Hooks before and after tools.

use crate::agent::session::Session;
use agentwire_protocol::Json;
use agentwire_protocol::message::Priority;
use agentwire_testkit::agent::ToolOutcome;
use agentwire_testkit::agent::{Decision, Event};
use serde_json::{Value, json};

fn session(hooks: Value) -> Session {
    let mut session = Session::hooked(hooks);
    session.begins(&["m1"]);
    session
}

fn specific(event: &str, mut members: Value) -> Value {
    members["hookEventName"] = json!(event);
    json!({"hookSpecificOutput": members})
}

fn calls(session: &mut Session) {
    session.calls_tool("t1", "Bash", &json!({"command": "true"}), false);
}

#[test]
fn a_hook_changes_the_input_and_the_last_one_wins() {
    let mut session = session(json!({"PreToolUse": [{"hookCallbackIds": ["a", "b"]}]}));
    calls(&mut session);
    for (id, command) in [("b", "second"), ("a", "first")] {
        let input = json!({"updatedInput": {"command": command}});
        session.hook_says(id, specific("PreToolUse", input));
    }
    let changed = Json::from(json!({"command": "first"}));
    assert_eq!(session.decision("t1"), Decision::Allowed(changed));
}

#[test]
fn the_host_is_asked_about_the_changed_input() {
    let mut session = session(json!({"PreToolUse": [{"hookCallbackIds": ["a"]}]}));
    calls(&mut session);
    let members = json!({"permissionDecision": "ask", "updatedInput": {"command": "false"}});
    session.hook_says("a", specific("PreToolUse", members));
    let ask = session.open().pop().unwrap();
    assert_eq!(ask["request"]["input"], json!({"command": "false"}));
    assert_eq!(ask["request"]["decision_reason"], json!(""));
}

#[test]
fn a_denial_is_listed_with_the_input_that_the_model_gave() {
    let mut session = session(json!({"PreToolUse": [{"hookCallbackIds": ["a"]}]}));
    calls(&mut session);
    let members = json!({"permissionDecision": "deny", "updatedInput": {"command": "false"}});
    session.hook_says("a", specific("PreToolUse", members));
    let Decision::Denied(why) = session.decision("t1") else {
        panic!("it may run")
    };
    assert_eq!(why, "PreToolUse:Bash hook error: Blocked by hook");
    session.finishes("t1", &why, true);
    session.goes_on();
    session.says("Then not.");
    session.ends_turn();
    let result = session.messages("result", None).pop().unwrap();
    assert_eq!(
        result["permission_denials"],
        json!([{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "true"}}])
    );
}

#[test]
fn hooks_after_a_tool_come_before_its_result() {
    let mut session = session(json!({
        "PostToolUse": [{"hookCallbackIds": ["post"]}],
        "PostToolUseFailure": [{"hookCallbackIds": ["failure"]}],
    }));
    calls(&mut session);
    session.decision("t1");
    session.said();
    session
        .agent
        .finish_tool(session.now, "t1", ToolOutcome::success("done"));
    assert_eq!(session.said(), ["hook post"]);
    assert_eq!(session.event(), None);
    let input = session.hook("post")["request"]["input"].clone();
    assert_eq!(input["tool_response"], json!("done"));
    session.hook_says("post", json!({}));
    assert_eq!(session.said(), ["tool result t1"]);
    let tool_use_id = "t1".to_owned();
    assert_eq!(session.event(), Some(Event::ToolFinished { tool_use_id }));

    session.goes_on();
    calls(&mut session);
    session.decision("t1");
    session.said();
    session
        .agent
        .finish_tool(session.now, "t1", ToolOutcome::error("broke"));
    assert_eq!(session.said(), ["hook failure"]);
    let input = session.hook("failure")["request"]["input"].clone();
    assert_eq!(input["error"], json!("broke"));
    // It can say what it likes: the model goes on.
    session.hook_says("failure", json!({"continue": false, "decision": "block"}));
    assert_eq!(session.said(), ["tool error t1"]);
    session.event();
    session.goes_on();
}

#[test]
fn a_tool_that_was_denied_has_no_hooks_after_it() {
    let mut session = session(json!({
        "PreToolUse": [{"hookCallbackIds": ["pre"]}],
        "PostToolUse": [{"hookCallbackIds": ["post"]}],
        "PostToolUseFailure": [{"hookCallbackIds": ["failure"]}],
    }));
    calls(&mut session);
    session.hook_says("pre", json!({"decision": "block"}));
    session.decision("t1");
    session.said();
    session.finishes("t1", "denied", true);
    assert_eq!(session.said(), ["tool error t1"]);
}

#[test]
fn a_hook_changes_what_a_tool_answered() {
    for (output, text) in [(json!({"stdout": "less"}), "less"), (json!("less"), "less")] {
        let mut session = session(json!({"PostToolUse": [{"hookCallbackIds": ["post"]}]}));
        calls(&mut session);
        session.decision("t1");
        session
            .agent
            .finish_tool(session.now, "t1", ToolOutcome::success("more"));
        let changed = specific("PostToolUse", json!({"updatedToolOutput": output}));
        session.hook_says("post", changed);
        assert_eq!(session.tool_result(), json!(text));
    }
}

#[test]
fn a_hook_that_stops_ends_the_turn_after_the_tools() {
    for event in ["PreToolUse", "PostToolUse", "PostToolBatch"] {
        let mut session = session(json!({
            event: [{"hookCallbackIds": ["a"]}],
            "Stop": [{"hookCallbackIds": ["stop"]}],
        }));
        calls(&mut session);
        let stop = json!({"continue": false, "stopReason": "enough"});
        if event == "PreToolUse" {
            session.hook_says("a", stop.clone());
        }
        assert!(matches!(session.decision("t1"), Decision::Allowed(_)));
        session
            .agent
            .finish_tool(session.now, "t1", ToolOutcome::success("done"));
        if event == "PostToolUse" {
            session.hook_says("a", stop.clone());
        }
        session.event();
        session.agent.finish_tools(session.now);
        if event == "PostToolBatch" {
            session.hook_says("a", stop);
        }
        let said = session.said();
        assert_eq!(
            said[said.len() - 3..],
            ["result success hook_stopped [m1]", "m1 completed", "idle"],
            "{event}"
        );
        assert!(!said.contains(&"hook stop".to_owned()));
        let result = session.messages("result", None).pop().unwrap();
        assert_eq!(result["stop_reason"], json!("tool_use"));
    }
}

#[test]
fn the_hooks_after_all_tools_are_told_of_each() {
    let mut session = session(json!({"PostToolBatch": [{"hookCallbackIds": ["batch"]}]}));
    session.calls(&["t1", "t2"]);
    for id in ["t2", "t1"] {
        session.finishes(id, id, id == "t2");
    }
    session.agent.finish_tools(session.now);
    let request = session.hook("batch")["request"].clone();
    let calls = request["input"]["tool_calls"].as_array().unwrap();
    let ids: Vec<_> = calls.iter().map(|it| &it["tool_use_id"]).collect();
    assert_eq!(ids, [&json!("t2"), &json!("t1")]);
    assert_eq!(calls[0]["tool_response"], json!("t2"));
    assert!(request["tool_use_id"].is_string());
    session.hook_says("batch", json!({}));
    assert_eq!(session.event(), Some(Event::TurnContinued));
}

#[test]
fn what_hooks_want_told_comes_beside_the_result() {
    let mut session = session(json!({
        "PreToolUse": [{"hookCallbackIds": ["pre"]}],
        "PostToolUse": [{"hookCallbackIds": ["post"]}],
    }));
    calls(&mut session);
    session.hook_says("pre", json!({"systemMessage": "before"}));
    session.decision("t1");
    session
        .agent
        .finish_tool(session.now, "t1", ToolOutcome::success("done"));
    session.said();
    session.hook_says("post", json!({"systemMessage": "after"}));
    assert_eq!(
        session.said(),
        ["informational", "tool result t1", "informational"]
    );
    let told: Vec<_> = session
        .messages("system", Some("informational"))
        .iter()
        .map(|it| it["content"].clone())
        .collect();
    assert_eq!(
        told,
        [
            "PreToolUse:Bash says: before",
            "PostToolUse:Bash says: after"
        ]
    );
}

#[test]
fn a_prompt_that_cannot_wait_cuts_off_a_tool_that_hooks_are_asked_about() {
    let mut session = session(json!({"PreToolUse": [{"hookCallbackIds": ["pre"]}]}));
    calls(&mut session);
    session.said();
    session.submit_at("W", Some(Priority::Now));
    let said = session.said_in_whole();
    assert_eq!(
        said[..5],
        [
            "cancel",
            "W queued",
            "tool error t1",
            "result success aborted_tools [m1]",
            "m1 cancelled"
        ]
    );
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.begins(&["W"]);
}
