//! Tests of hooks before and after tools.

use crate::agent::session::Session;
use agentwire_protocol::Json;
use agentwire_protocol::message::Priority;
use agentwire_testkit::agent::ToolOutcome;
use agentwire_testkit::agent::{Decision, Event};
use serde_json::{Value, json};

fn session(hooks: Value) -> Session {
    let mut session = Session::hooked(hooks);
    session.assert_turn_starts(&["m1"]);
    session
}

fn specific(event: &str, mut members: Value) -> Value {
    members["hookEventName"] = json!(event);
    json!({"hookSpecificOutput": members})
}

fn calls(session: &mut Session) {
    session.call_tool("t1", "Bash", &json!({"command": "true"}), false);
}

#[test]
fn the_last_changed_input_applies() {
    let mut session = session(json!({"PreToolUse": [{"hookCallbackIds": ["a", "b"]}]}));
    calls(&mut session);
    for (id, command) in [("b", "second"), ("a", "first")] {
        let input = json!({"updatedInput": {"command": command}});
        session.respond_to_hook(id, specific("PreToolUse", input));
    }
    let changed = Json::from(json!({"command": "first"}));
    assert_eq!(session.decision("t1"), Decision::Allowed(changed));
}

#[test]
fn the_permission_request_has_the_changed_input() {
    let mut session = session(json!({"PreToolUse": [{"hookCallbackIds": ["a"]}]}));
    calls(&mut session);
    let members = json!({"permissionDecision": "ask", "updatedInput": {"command": "false"}});
    session.respond_to_hook("a", specific("PreToolUse", members));
    let ask = session.open().pop().unwrap();
    assert_eq!(ask["request"]["input"], json!({"command": "false"}));
    assert_eq!(ask["request"]["decision_reason"], json!(""));
}

#[test]
fn a_denial_is_listed_with_the_original_input() {
    let mut session = session(json!({"PreToolUse": [{"hookCallbackIds": ["a"]}]}));
    calls(&mut session);
    let members = json!({"permissionDecision": "deny", "updatedInput": {"command": "false"}});
    session.respond_to_hook("a", specific("PreToolUse", members));
    let Decision::Denied(why) = session.decision("t1") else {
        panic!("it may run")
    };
    assert_eq!(why, "PreToolUse:Bash hook error: Blocked by hook");
    session.finish_tool("t1", &why, true);
    session.finish_tools();
    session.say_text("Then not.");
    session.end_turn();
    let result = session.messages("result", None).pop().unwrap();
    assert_eq!(
        result["permission_denials"],
        json!([{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "true"}}])
    );
}

#[test]
fn post_tool_hooks_precede_the_result() {
    let mut session = session(json!({
        "PostToolUse": [{"hookCallbackIds": ["post"]}],
        "PostToolUseFailure": [{"hookCallbackIds": ["failure"]}],
    }));
    calls(&mut session);
    session.decision("t1");
    session.lines();
    session
        .agent
        .finish_tool(session.now, "t1", ToolOutcome::success("done"));
    assert_eq!(session.lines(), ["hook post"]);
    assert_eq!(session.event(), None);
    let input = session.hook("post")["request"]["input"].clone();
    assert_eq!(input["tool_response"], json!("done"));
    session.respond_to_hook("post", json!({}));
    assert_eq!(session.lines(), ["tool result t1"]);
    let tool_use_id = "t1".to_owned();
    assert_eq!(session.event(), Some(Event::ToolFinished { tool_use_id }));

    session.finish_tools();
    calls(&mut session);
    session.decision("t1");
    session.lines();
    session
        .agent
        .finish_tool(session.now, "t1", ToolOutcome::error("broke"));
    assert_eq!(session.lines(), ["hook failure"]);
    let input = session.hook("failure")["request"]["input"].clone();
    assert_eq!(input["error"], json!("broke"));
    // The output of the hook is ignored, so the model continues.
    session.respond_to_hook("failure", json!({"continue": false, "decision": "block"}));
    assert_eq!(session.lines(), ["tool error t1"]);
    session.event();
    session.finish_tools();
}

#[test]
fn a_denied_tool_has_no_post_tool_hooks() {
    let mut session = session(json!({
        "PreToolUse": [{"hookCallbackIds": ["pre"]}],
        "PostToolUse": [{"hookCallbackIds": ["post"]}],
        "PostToolUseFailure": [{"hookCallbackIds": ["failure"]}],
    }));
    calls(&mut session);
    session.respond_to_hook("pre", json!({"decision": "block"}));
    session.decision("t1");
    session.lines();
    session.finish_tool("t1", "denied", true);
    assert_eq!(session.lines(), ["tool error t1"]);
}

#[test]
fn a_hook_changes_the_result_of_a_tool() {
    for (output, text) in [(json!({"stdout": "less"}), "less"), (json!("less"), "less")] {
        let mut session = session(json!({"PostToolUse": [{"hookCallbackIds": ["post"]}]}));
        calls(&mut session);
        session.decision("t1");
        session
            .agent
            .finish_tool(session.now, "t1", ToolOutcome::success("more"));
        let changed = specific("PostToolUse", json!({"updatedToolOutput": output}));
        session.respond_to_hook("post", changed);
        assert_eq!(session.tool_result(), json!(text));
    }
}

#[test]
fn a_hook_that_stops_ends_the_turn_after_all_tools() {
    for event in ["PreToolUse", "PostToolUse", "PostToolBatch"] {
        let mut session = session(json!({
            event: [{"hookCallbackIds": ["a"]}],
            "Stop": [{"hookCallbackIds": ["stop"]}],
        }));
        calls(&mut session);
        let stop = json!({"continue": false, "stopReason": "enough"});
        if event == "PreToolUse" {
            session.respond_to_hook("a", stop.clone());
        }
        assert!(matches!(session.decision("t1"), Decision::Allowed(_)));
        session
            .agent
            .finish_tool(session.now, "t1", ToolOutcome::success("done"));
        if event == "PostToolUse" {
            session.respond_to_hook("a", stop.clone());
        }
        session.event();
        session.agent.finish_tools(session.now);
        if event == "PostToolBatch" {
            session.respond_to_hook("a", stop);
        }
        let said = session.lines();
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
fn batch_hooks_get_all_tool_calls() {
    let mut session = session(json!({"PostToolBatch": [{"hookCallbackIds": ["batch"]}]}));
    session.call_tools(&["t1", "t2"]);
    for id in ["t2", "t1"] {
        session.finish_tool(id, id, id == "t2");
    }
    session.agent.finish_tools(session.now);
    let request = session.hook("batch")["request"].clone();
    let calls = request["input"]["tool_calls"].as_array().unwrap();
    let ids: Vec<_> = calls.iter().map(|it| &it["tool_use_id"]).collect();
    assert_eq!(ids, [&json!("t2"), &json!("t1")]);
    assert_eq!(calls[0]["tool_response"], json!("t2"));
    assert!(request["tool_use_id"].is_string());
    session.respond_to_hook("batch", json!({}));
    assert_eq!(session.event(), Some(Event::TurnContinued));
}

#[test]
fn messages_of_hooks_are_sent_with_the_result() {
    let mut session = session(json!({
        "PreToolUse": [{"hookCallbackIds": ["pre"]}],
        "PostToolUse": [{"hookCallbackIds": ["post"]}],
    }));
    calls(&mut session);
    session.respond_to_hook("pre", json!({"systemMessage": "before"}));
    session.decision("t1");
    session
        .agent
        .finish_tool(session.now, "t1", ToolOutcome::success("done"));
    session.lines();
    session.respond_to_hook("post", json!({"systemMessage": "after"}));
    assert_eq!(
        session.lines(),
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
fn an_urgent_prompt_aborts_a_tool_in_its_hooks() {
    let mut session = session(json!({"PreToolUse": [{"hookCallbackIds": ["pre"]}]}));
    calls(&mut session);
    session.lines();
    session.submit_at("W", Some(Priority::Now));
    let said = session.lines_without_events();
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
    session.assert_turn_starts(&["W"]);
}
