//! Hooks as such: who is asked, how their answers go together, and what
//! happens when there is none.

use crate::agent::session::Session;
use agentwire_protocol::control::{Initialize, Interrupt};
use agentwire_protocol::host::Activity;
use agentwire_testkit::agent::{Config, Decision};
use serde_json::{Value, json};

/// A session in which a tool has been called, and these hooks are asked.
fn before_tool(matchers: Value) -> Session {
    let mut session = Session::hooked(json!({"PreToolUse": matchers}));
    session.begins(&["m1"]);
    session.calls_tool("t1", "Bash", &json!({"command": "true"}), true);
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
fn initialize_is_answered_with_what_became_of_the_hooks() {
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
fn all_hooks_that_match_are_asked_at_once() {
    let mut session = before_tool(json!([
        {"hookCallbackIds": ["a", "b"]},
        {"matcher": "Read", "hookCallbackIds": ["no"]},
        {"matcher": "Read|Bash", "hookCallbackIds": ["c"]},
    ]));
    let said = session.said_in_whole();
    assert_eq!(said[said.len() - 3..], ["hook a", "hook b", "hook c"]);
    let request = &session.hook("a")["request"];
    assert_eq!(request["tool_use_id"], json!("t1"));
    let input = &request["input"];
    assert_eq!(input["hook_event_name"], json!("PreToolUse"));
    assert_eq!(input["tool_name"], json!("Bash"));
    assert_eq!(input["tool_input"], json!({"command": "true"}));
    assert_eq!(input["permission_mode"], json!("default"));
    assert_eq!(input["cwd"], json!("/project"));

    // Nothing goes on before all have answered.
    session.hook_says("c", json!({}));
    session.hook_says("a", json!({}));
    assert_eq!(session.said(), Vec::<String>::new());
    session.hook_says("b", json!({}));
    assert_eq!(session.said(), ["requires_action", "ask t1"]);
}

#[test]
fn to_deny_beats_to_ask_and_that_to_allow() {
    for (answers, outcome) in [
        (["allow", "deny", "ask"], "deny"),
        (["deny", "ask", "allow"], "deny"),
        (["ask", "allow", "allow"], "ask"),
        (["allow", "ask", "allow"], "ask"),
        (["allow", "allow", "allow"], "allow"),
    ] {
        let mut session = before_tool(json!([{"hookCallbackIds": ["0", "1", "2"]}]));
        for (id, decision) in answers.iter().enumerate() {
            session.hook_says(&id.to_string(), decides(decision, decision));
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
fn of_two_denials_the_one_that_came_last_says_why() {
    let mut session = before_tool(json!([{"hookCallbackIds": ["a", "b"]}]));
    session.hook_says("b", json!({"decision": "block", "reason": "fast"}));
    session.hook_says("a", decides("deny", "slow"));
    assert_eq!(denied(&mut session), "PreToolUse:Bash hook error: slow");
}

#[test]
fn a_hook_that_fails_is_passed_over_unless_its_matcher_says_that_it_blocks() {
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
                Some(answer) => session.hook_says("a", answer.clone()),
                None => session.hook_fails("a"),
            }
            let told = session.messages("system", Some("informational"));
            assert_eq!(told.len(), 1, "{answer:?}");
            assert_eq!(told[0]["tag"], json!("hook_callback_failed"));
            if on_failure == json!("block") {
                let why = denied(&mut session);
                assert!(why.contains("the hook a failed"), "{why}");
            } else {
                assert_eq!(session.said().last().unwrap(), "ask t1");
            }
        }
    }
}

#[test]
fn an_answer_that_says_nothing_or_only_something_new_changes_nothing() {
    for answer in [json!({}), json!({"new": 1}), json!({"async": true})] {
        let mut session = before_tool(json!([{"hookCallbackIds": ["a"]}]));
        session.hook_says("a", answer);
        assert_eq!(session.said().last().unwrap(), "ask t1");
        assert_eq!(
            session.messages("system", Some("informational")),
            Vec::<Value>::new()
        );
    }
}

#[test]
fn a_hook_that_takes_too_long_is_taken_back_and_the_tool_is_not_run() {
    for on_failure in ["continue", "block"] {
        let mut session = before_tool(json!([
            {"hookCallbackIds": ["slow"], "timeout": 2, "onFailure": on_failure},
            {"hookCallbackIds": ["patient"]},
        ]));
        session.said();
        assert_eq!(
            session.agent.poll_timeout(),
            Some(session.now + std::time::Duration::from_secs(2))
        );
        session.wait(1);
        assert_eq!(session.said(), Vec::<String>::new());
        let late = ["slow", "patient"].map(|hook| session.hook(hook)["request_id"].clone());
        session.wait(1);
        assert_eq!(session.said(), ["cancel"]);
        let why = denied(&mut session);
        assert!(why.contains("did not answer in time"), "{why}");
        session.finishes("t1", &why, true);
        session.goes_on();

        // What comes late comes to nobody, of the hook that was waited for as
        // well: the tool has its result.
        for late in late {
            let allowed = decides("allow", "");
            assert!(!session.respond(late.as_str().unwrap(), &allowed));
        }
        assert_eq!(session.event(), None);
    }
}

#[test]
fn a_denial_is_told_of_even_if_another_hook_takes_too_long() {
    let mut session = before_tool(json!([
        {"hookCallbackIds": ["a"]},
        {"hookCallbackIds": ["slow"], "timeout": 1},
    ]));
    session.hook_says("a", decides("deny", "no"));
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
fn an_interrupt_takes_hooks_back_before_it_is_answered() {
    let mut session = before_tool(json!([{"hookCallbackIds": ["a", "b"]}]));
    session.said();
    session.request("stop", &Interrupt::default());
    let said = session.said_in_whole();
    assert_eq!(said[..3], ["cancel", "cancel", "success stop"]);
    assert_eq!(said.last().unwrap(), "idle");
    assert_eq!(session.host.activity(), Activity::Idle);
    assert_eq!(session.agent.poll_timeout(), None);
}

#[test]
fn a_host_that_is_gone_is_not_asked_and_a_hook_that_is_open_denies() {
    let mut session = before_tool(json!([{"hookCallbackIds": ["a"]}]));
    session.said();
    session.host.end();
    session.pump();
    denied(&mut session);
    session.finishes("t1", "denied", true);
    session.goes_on();
    session.said();
    session.calls_tool("t1", "Bash", &json!({}), false);
    denied(&mut session);
    assert!(!session.said().contains(&"hook a".to_owned()));
    session.ends_turn();
    assert_eq!(session.exits(), 0);
}
