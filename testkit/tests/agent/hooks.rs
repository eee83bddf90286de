//! Tests of hooks in general: matching, combined output, and failures.

use crate::agent::session::Session;
use agentwire_protocol::control::{Initialize, Interrupt};
use agentwire_protocol::host::Activity;
use agentwire_testkit::agent::{Config, Decision};
use serde_json::{Value, json};

/// Returns a session in which a tool call has called the hooks of these
/// matchers.
fn before_tool(matchers: Value) -> Session {
    let mut session = Session::hooked(json!({"PreToolUse": matchers}));
    session.assert_turn_starts(&["m1"]);
    session.call_tool("t1", "Bash", &json!({"command": "true"}), true);
    session
}

fn decides(decision: &str, why: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": why,
    }})
}

fn denied(session: &mut Session) -> String {
    match session.decision("t1") {
        Decision::Denied(why) => why,
        decision => panic!("{decision:?}"),
    }
}

#[test]
fn the_response_to_initialize_reports_the_hooks() {
    let mut session = Session::start(Config::default(), &[64]);
    let request = |hooks: Value| serde_json::from_value::<Initialize>(hooks).unwrap();
    session.request("init", &request(json!({"hooks": {}})));
    let answer = session.answer("init");
    assert_eq!(answer["hooks_applied"], json!(true));
    assert_eq!(answer["hook_on_failure_supported"], json!(true));
    session.request("again", &request(json!({})));
    assert_eq!(session.answer("again")["hooks_applied"], Value::Null);
}

#[test]
fn all_matching_hooks_are_called_concurrently() {
    let mut session = before_tool(json!([
        {"hookCallbackIds": ["a", "b"]},
        {"matcher": "Read", "hookCallbackIds": ["no"]},
        {"matcher": "Read|Bash", "hookCallbackIds": ["c"]},
    ]));
    let said = session.lines_without_events();
    assert_eq!(said[said.len() - 3..], ["hook a", "hook b", "hook c"]);
    let request = &session.hook("a")["request"];
    assert_eq!(request["tool_use_id"], json!("t1"));
    let input = &request["input"];
    assert_eq!(input["hook_event_name"], json!("PreToolUse"));
    assert_eq!(input["tool_name"], json!("Bash"));
    assert_eq!(input["tool_input"], json!({"command": "true"}));
    assert_eq!(input["permission_mode"], json!("default"));
    assert_eq!(input["cwd"], json!("/project"));

    // The agent waits for the responses of all hooks.
    session.respond_to_hook("c", json!({}));
    session.respond_to_hook("a", json!({}));
    assert_eq!(session.lines(), Vec::<String>::new());
    session.respond_to_hook("b", json!({}));
    assert_eq!(session.lines(), ["requires_action", "ask t1"]);
}

#[test]
fn deny_overrides_ask_and_ask_overrides_allow() {
    for (answers, outcome) in [
        (["allow", "deny", "ask"], "deny"),
        (["deny", "ask", "allow"], "deny"),
        (["ask", "allow", "allow"], "ask"),
        (["allow", "ask", "allow"], "ask"),
        (["allow", "allow", "allow"], "allow"),
    ] {
        let mut session = before_tool(json!([{"hookCallbackIds": ["0", "1", "2"]}]));
        for (id, decision) in answers.iter().enumerate() {
            session.respond_to_hook(&id.to_string(), decides(decision, decision));
        }
        if outcome == "ask" {
            let asked = session.open().pop().unwrap();
            assert_eq!(asked["request"]["decision_reason"], json!("ask"));
            assert_eq!(asked["request"]["decision_reason_type"], json!("hook"));
            continue;
        }
        match session.decision("t1") {
            Decision::Allowed(_) => assert_eq!(outcome, "allow", "{answers:?}"),
            Decision::Denied(why) => assert_eq!(why, "PreToolUse:Bash hook error: deny"),
        }
    }
}

#[test]
fn the_last_denial_sets_the_reason() {
    let mut session = before_tool(json!([{"hookCallbackIds": ["a", "b"]}]));
    session.respond_to_hook("b", json!({"decision": "block", "reason": "fast"}));
    session.respond_to_hook("a", decides("deny", "slow"));
    assert_eq!(denied(&mut session), "PreToolUse:Bash hook error: slow");
}

#[test]
fn a_failed_hook_is_ignored_unless_its_matcher_blocks_on_failure() {
    let broken = [
        json!([1]),
        json!("no"),
        json!({"decision": "perhaps"}),
        decides("perhaps", ""),
        json!({"hookSpecificOutput": {"permissionDecision": "deny"}}),
        json!({"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "x"}}),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": "x"}}),
    ];
    for on_failure in [json!(null), json!("continue"), json!("block")] {
        for answer in broken.iter().map(Some).chain([None]) {
            let mut matcher = json!({"hookCallbackIds": ["a"]});
            if !on_failure.is_null() {
                matcher["onFailure"] = on_failure.clone();
            }
            let mut session = before_tool(json!([matcher]));
            match answer {
                Some(answer) => session.respond_to_hook("a", answer.clone()),
                None => session.fail_hook("a"),
            }
            let told = session.messages("system", Some("informational"));
            assert_eq!(told.len(), 1, "{answer:?}");
            assert_eq!(told[0]["tag"], json!("hook_callback_failed"));
            if on_failure == json!("block") {
                let why = denied(&mut session);
                assert!(why.contains("the hook a failed"), "{why}");
            } else {
                assert_eq!(session.lines().last().unwrap(), "ask t1");
            }
        }
    }
}

#[test]
fn empty_unknown_and_async_output_has_no_effect() {
    for answer in [json!({}), json!({"new": 1}), json!({"async": true})] {
        let mut session = before_tool(json!([{"hookCallbackIds": ["a"]}]));
        session.respond_to_hook("a", answer);
        assert_eq!(session.lines().last().unwrap(), "ask t1");
        assert_eq!(
            session.messages("system", Some("informational")),
            Vec::<Value>::new()
        );
    }
}

#[test]
fn a_hook_timeout_cancels_the_hook_and_denies_the_tool() {
    for on_failure in ["continue", "block"] {
        let mut session = before_tool(json!([
            {"hookCallbackIds": ["slow"], "timeout": 2, "onFailure": on_failure},
            {"hookCallbackIds": ["patient"]},
        ]));
        session.lines();
        assert_eq!(
            session.agent.poll_timeout(),
            Some(session.now + std::time::Duration::from_secs(2))
        );
        session.wait(1);
        assert_eq!(session.lines(), Vec::<String>::new());
        let late = ["slow", "patient"].map(|hook| session.hook(hook)["request_id"].clone());
        session.wait(1);
        assert_eq!(session.lines(), ["cancel"]);
        let why = denied(&mut session);
        assert!(why.contains("did not answer in time"), "{why}");
        session.finish_tool("t1", &why, true);
        session.finish_tools();

        // Late responses have no effect, even that of the hook for which the
        // agent waited. The tool has its result.
        for late in late {
            let allowed = decides("allow", "");
            assert!(!session.respond(late.as_str().unwrap(), &allowed));
        }
        assert_eq!(session.event(), None);
    }
}

#[test]
fn a_denial_is_reported_also_after_another_hook_times_out() {
    let mut session = before_tool(json!([
        {"hookCallbackIds": ["a"]},
        {"hookCallbackIds": ["slow"], "timeout": 1},
    ]));
    session.respond_to_hook("a", decides("deny", "no"));
    session.wait(1);
    let why = denied(&mut session);
    assert!(
        why.starts_with("PreToolUse:Bash hook error: no\n\n"),
        "{why}"
    );
}

#[test]
fn a_hook_without_a_timeout_has_ten_minutes() {
    let mut session = before_tool(json!([{"hookCallbackIds": ["a"]}]));
    session.wait(599);
    assert_eq!(session.event(), None);
    session.wait(1);
    denied(&mut session);
}

#[test]
fn an_interrupt_cancels_hooks_before_its_response() {
    let mut session = before_tool(json!([{"hookCallbackIds": ["a", "b"]}]));
    session.lines();
    session.request("stop", &Interrupt::default());
    let said = session.lines_without_events();
    assert_eq!(said[..3], ["cancel", "cancel", "success stop"]);
    assert_eq!(said.last().unwrap(), "idle");
    assert_eq!(session.host.activity(), Activity::Idle);
    assert_eq!(session.agent.poll_timeout(), None);
}

#[test]
fn after_the_end_of_the_input_no_hook_is_called_and_a_pending_one_denies() {
    let mut session = before_tool(json!([{"hookCallbackIds": ["a"]}]));
    session.lines();
    session.host.end();
    session.transfer_all();
    denied(&mut session);
    session.finish_tool("t1", "denied", true);
    session.finish_tools();
    session.lines();
    session.call_tool("t1", "Bash", &json!({}), false);
    denied(&mut session);
    assert!(!session.lines().contains(&"hook a".to_owned()));
    session.end_turn();
    assert_eq!(session.exit_status(), 0);
}
