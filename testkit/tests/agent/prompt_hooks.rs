//! Hooks that prompts have to pass.

use crate::agent::session::Session;
use agentwire_protocol::control::Interrupt;
use agentwire_protocol::message::Priority;
use agentwire_testkit::agent::Event;
use serde_json::{Value, json};

fn session() -> Session {
    let mut session = Session::hooked(json!({"UserPromptSubmit": [
        {"hookCallbackIds": ["a"], "timeout": 5, "onFailure": "block"},
    ]}));
    assert_eq!(
        session.said(),
        ["running", "m1 queued", "m1 started", "hook a"]
    );
    session
}

fn result(session: &mut Session) -> Value {
    session.messages("result", None).pop().unwrap()
}

#[test]
fn the_model_gets_a_prompt_when_the_hooks_have_seen_it() {
    let mut session = session();
    let request = session.hook("a")["request"].clone();
    assert_eq!(request["input"]["prompt"], json!("say m1"));
    assert!(request["tool_use_id"].is_string());
    assert_eq!(session.event(), None);
    session.hook_says("a", json!({"systemMessage": "seen"}));
    assert_eq!(session.said(), ["init [m1]", "informational"]);
    session.begins(&["m1"]);
}

#[test]
fn a_prompt_that_is_blocked_does_not_reach_the_model() {
    for (answer, text, outcome) in [
        (
            json!({"decision": "block", "reason": "no"}),
            "UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: say m1",
            json!({"kind": "blocked_by_hook", "prompt_kept": false, "reason": "no"}),
        ),
        (
            json!({"decision": "block", "reason": "no", "hookSpecificOutput":
                {"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": true}}),
            "UserPromptSubmit operation blocked by hook:\nno",
            json!({"kind": "blocked_by_hook", "prompt_kept": false, "reason": "no"}),
        ),
        (
            json!({"continue": false, "stopReason": "later"}),
            "Operation stopped by hook: later",
            json!({"kind": "stopped_by_hook", "prompt_kept": true, "reason": "later"}),
        ),
        (
            json!({"continue": false}),
            "Operation stopped by hook",
            json!({"kind": "stopped_by_hook", "prompt_kept": true}),
        ),
    ] {
        let mut session = session();
        session.hook_says("a", answer);
        assert_eq!(
            session.said(),
            [
                "init [m1]",
                "informational",
                "result success - [m1]",
                "m1 completed",
                "idle"
            ]
        );
        assert_eq!(session.event(), None);
        let result = result(&mut session);
        assert_eq!(result["result"], json!(text));
        assert_eq!(result["num_turns"], json!(0));
        let told = session.messages("system", Some("informational"));
        assert_eq!(told[0]["content"], json!(text));
        assert_eq!(told[0]["prevent_continuation"], json!(true));
        assert_eq!(told[0]["prompt_submit_outcome"], outcome);
    }
}

#[test]
fn a_hook_that_fails_or_takes_too_long_blocks_without_a_verdict() {
    for fails in [true, false] {
        let mut session = session();
        if fails {
            session.hook_fails("a");
        } else {
            session.wait(5);
        }
        let told = session.messages("system", Some("informational"));
        let outcome = &told.last().unwrap()["prompt_submit_outcome"];
        assert_eq!(outcome["kind"], json!("no_verdict"));
        let kind = if fails {
            "hook_failed"
        } else {
            "callback_timed_out"
        };
        assert_eq!(outcome["no_verdict_kind"], json!(kind));
        assert_eq!(session.said().last().unwrap(), "idle");
        assert_eq!(session.event(), None);
    }
}

#[test]
fn prompts_that_are_one_turn_are_one_to_the_hooks() {
    let mut session = session();
    session.submit_at("m2", Some(Priority::Later));
    session.submit_at("m3", Some(Priority::Later));
    session.hook_says("a", json!({"decision": "block"}));
    let prompt = session.hook("a")["request"]["input"]["prompt"].clone();
    assert_eq!(prompt, json!("say m2\nsay m3"));
    session.hook_says("a", json!({}));
    session.begins(&["m2", "m3"]);
}

/// A session in which a turn with a tool has taken up another prompt.
fn folding() -> Session {
    let mut session = session();
    session.hook_says("a", json!({}));
    session.begins(&["m1"]);
    session.calls_tool("t1", "Bash", &json!({}), false);
    session.decision("t1");
    session.submit("m2");
    session.finishes("t1", "done", false);
    session.said();
    session.agent.finish_tools(session.now);
    assert_eq!(session.said(), ["hook a"]);
    let prompt = session.hook("a")["request"]["input"]["prompt"].clone();
    assert_eq!(prompt, json!("say m2"));
    session
}

#[test]
fn a_prompt_that_is_folded_is_seen_by_the_hooks_as_well() {
    let mut session = folding();
    assert_eq!(session.event(), None);
    session.hook_says("a", json!({}));
    assert_eq!(session.said(), ["m2 started"]);
    assert_eq!(session.event(), Some(Event::TurnContinued));
}

#[test]
fn a_prompt_that_would_be_folded_is_blocked_alone() {
    let mut session = folding();
    session.hook_says("a", json!({"decision": "block", "reason": "no"}));
    assert_eq!(
        session.said(),
        ["m2 started", "m2 completed", "informational"]
    );
    assert_eq!(session.event(), Some(Event::TurnContinued));
    session.says("done");
    session.ends_turn();
    assert!(
        session
            .said()
            .contains(&"result success completed [m1]".to_owned())
    );
}

#[test]
fn a_prompt_that_would_be_folded_waits_for_its_own_turn() {
    let mut session = folding();
    session.hook_says("a", json!({"continue": false}));
    assert_eq!(session.said(), Vec::<String>::new());
    assert_eq!(session.event(), Some(Event::TurnContinued));
    session.says("done");
    session.ends_turn();
    session.hook_says("a", json!({}));
    session.begins(&["m2"]);
}

#[test]
fn an_interrupt_while_a_prompt_is_folded_leaves_it() {
    let mut session = folding();
    session.request("stop", &Interrupt::default());
    assert_eq!(session.said()[..2], ["cancel", "success stop"]);
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.hook_says("a", json!({}));
    session.begins(&["m2"]);
}

#[test]
fn an_interrupt_before_the_hooks_have_answered() {
    let mut session = session();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.said(),
        [
            "cancel",
            "success stop",
            "init [m1]",
            "user text",
            "result error_during_execution aborted_streaming [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
    assert_eq!(result(&mut session)["num_turns"], json!(0));
}

#[test]
fn a_prompt_that_has_not_passed_the_hooks_lets_an_urgent_one_go_first() {
    let mut session = session();
    session.submit_at("W", Some(Priority::Now));
    assert_eq!(
        session.said(),
        ["cancel", "W queued", "init [m1]", "W started", "hook a"]
    );
    session.hook_says("a", json!({}));
    session.begins(&["W"]);
    session.says("done");
    session.ends_turn();
    session.hook_says("a", json!({}));
    session.begins(&["m1"]);
}

#[test]
fn a_prompt_goes_on_when_the_host_is_gone() {
    let mut session = session();
    session.host.end();
    session.begins(&["m1"]);
}
