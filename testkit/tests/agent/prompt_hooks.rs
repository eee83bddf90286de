//! Tests of `UserPromptSubmit` hooks.

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
        session.lines(),
        ["running", "m1 queued", "m1 started", "hook a"]
    );
    session
}

fn result(session: &mut Session) -> Value {
    session.messages("result", None).pop().unwrap()
}

#[test]
fn the_model_gets_a_prompt_after_its_hooks() {
    let mut session = session();
    let request = session.hook("a")["request"].clone();
    assert_eq!(request["input"]["prompt"], json!("say m1"));
    assert!(request["tool_use_id"].is_string());
    assert_eq!(session.event(), None);
    session.respond_to_hook("a", json!({"systemMessage": "seen"}));
    assert_eq!(session.lines(), ["init [m1]", "informational"]);
    session.assert_turn_starts(&["m1"]);
}

#[test]
fn a_blocked_prompt_does_not_reach_the_model() {
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
        session.respond_to_hook("a", answer);
        assert_eq!(
            session.lines(),
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
fn a_failed_or_late_hook_blocks_without_a_verdict() {
    for fails in [true, false] {
        let mut session = session();
        if fails {
            session.fail_hook("a");
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
        assert_eq!(session.lines().last().unwrap(), "idle");
        assert_eq!(session.event(), None);
    }
}

#[test]
fn hooks_get_the_prompts_of_a_turn_as_one() {
    let mut session = session();
    session.submit_at("m2", Some(Priority::Later));
    session.submit_at("m3", Some(Priority::Later));
    session.respond_to_hook("a", json!({"decision": "block"}));
    let prompt = session.hook("a")["request"]["input"]["prompt"].clone();
    assert_eq!(prompt, json!("say m2\nsay m3"));
    session.respond_to_hook("a", json!({}));
    session.assert_turn_starts(&["m2", "m3"]);
}

/// Returns a session whose turn runs a tool and has added these prompts. The
/// first one is `m2`.
fn folding(prompts: &[&str]) -> Session {
    let mut session = session();
    session.respond_to_hook("a", json!({}));
    session.assert_turn_starts(&["m1"]);
    session.call_tool("t1", "Bash", &json!({}), false);
    session.decision("t1");
    for uuid in prompts {
        session.submit(uuid);
    }
    session.finish_tool("t1", "done", false);
    session.lines();
    session.agent.finish_tools(session.now);
    assert_eq!(session.lines(), ["hook a"]);
    let prompt = session.hook("a")["request"]["input"]["prompt"].clone();
    assert_eq!(prompt, json!("say m2"));
    session
}

#[test]
fn hooks_are_called_for_a_folded_prompt() {
    let mut session = folding(&["m2"]);
    assert_eq!(session.event(), None);
    session.respond_to_hook("a", json!({}));
    assert_eq!(session.lines(), ["m2 started"]);
    assert_eq!(session.event(), Some(Event::TurnContinued));
}

#[test]
fn blocking_a_folded_prompt_does_not_block_the_turn() {
    let mut session = folding(&["m2"]);
    session.respond_to_hook("a", json!({"decision": "block", "reason": "no"}));
    assert_eq!(
        session.lines(),
        ["m2 started", "m2 completed", "informational"]
    );
    assert_eq!(session.event(), Some(Event::TurnContinued));
    session.say_text("done");
    session.end_turn();
    assert!(
        session
            .lines()
            .contains(&"result success completed [m1]".to_owned())
    );
}

#[test]
fn a_stopped_folded_prompt_gets_its_own_turn() {
    let mut session = folding(&["m2"]);
    session.respond_to_hook("a", json!({"continue": false}));
    assert_eq!(session.lines(), Vec::<String>::new());
    assert_eq!(session.event(), Some(Event::TurnContinued));
    session.say_text("done");
    session.end_turn();
    session.respond_to_hook("a", json!({}));
    session.assert_turn_starts(&["m2"]);
}

#[test]
fn an_interrupt_keeps_prompts_that_are_being_folded() {
    let mut session = folding(&["m2", "m3"]);
    session.respond_to_hook("a", json!({}));
    assert_eq!(session.lines(), ["hook a"]);
    session.request("stop", &Interrupt::default());
    assert_eq!(session.lines()[..2], ["cancel", "success stop"]);
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.respond_to_hook("a", json!({}));
    session.assert_turn_starts(&["m2", "m3"]);
}

#[test]
fn an_interrupt_before_the_hooks_have_answered() {
    let mut session = session();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.lines(),
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
fn an_urgent_prompt_precedes_a_prompt_in_its_hooks() {
    let mut session = session();
    session.submit_at("W", Some(Priority::Now));
    assert_eq!(
        session.lines(),
        ["cancel", "W queued", "init [m1]", "W started", "hook a"]
    );
    session.respond_to_hook("a", json!({}));
    session.assert_turn_starts(&["W"]);
    session.say_text("done");
    session.end_turn();
    session.respond_to_hook("a", json!({}));
    session.assert_turn_starts(&["m1"]);
}

#[test]
fn a_prompt_continues_after_the_end_of_the_input() {
    let mut session = session();
    session.host.end();
    session.assert_turn_starts(&["m1"]);
}
