//! Tests of commands that call hooks.

use crate::agent::session::Session;
use agentwire_protocol::control::Initialize;
use agentwire_protocol::host::Prompt;
use agentwire_protocol::message::UserMessage;
use agentwire_testkit::agent::Config;
use serde_json::{Value, json};
use std::time::Duration;

fn prompted(prompt: UserMessage) -> Session {
    let mut session = session();
    submit(&mut session, prompt);
    session
}

/// Returns a session with a conversation to compact.
fn session_to_compact(prompt: UserMessage) -> Session {
    let mut session = session();
    session.submit("m0");
    session.respond_to_hook("prompt", json!({}));
    session.assert_turn_starts(&["m0"]);
    session.say_text("hello");
    session.end_turn();
    session.lines();
    submit(&mut session, prompt);
    session
}

fn session() -> Session {
    let mut session = Session::start(Config::default(), &[64]);
    let hook = |id: &str, matcher: &str| {
        json!([{"hookCallbackIds": [id], "matcher": matcher},
            {"hookCallbackIds": ["never"], "matcher": "resume"}])
    };
    let hooks = json!({
        "SessionEnd": hook("end", "clear"),
        "SessionStart": hook("start", "clear|compact"),
        "PreCompact": hook("before", "manual"),
        "PostCompact": hook("after", ""),
        "UserPromptSubmit": [{"hookCallbackIds": ["prompt"]}],
    });
    let initialize: Initialize = serde_json::from_value(json!({"hooks": hooks})).unwrap();
    session.request("init", &initialize);
    session.lines();
    session
}

fn submit(session: &mut Session, prompt: UserMessage) {
    session
        .host
        .submit(session.now, Prompt::new("m1", prompt).unwrap())
        .unwrap();
    assert_eq!(session.lines()[..3], ["running", "m1 queued", "m1 started"]);
}

const END: [&str; 3] = ["result success - [m1]", "m1 completed", "idle"];

#[test]
fn clear_ends_the_session_and_starts_another() {
    let mut session = prompted("/clear".into());
    let old = session.hook("end")["request"]["input"].clone();
    assert_eq!(old["reason"], json!("clear"));
    session.respond_to_hook("end", json!({}));
    assert_eq!(
        session.lines(),
        [
            "conversation_reset",
            "background_tasks_changed",
            "hook start"
        ]
    );
    let new = session.hook("start")["request"]["input"].clone();
    assert_eq!(new["source"], json!("clear"));
    assert_ne!(new["session_id"], old["session_id"]);
    session.respond_to_hook("start", json!({}));
    assert_eq!(session.lines(), [&["init [m1]"][..], &END].concat());
    let result = session.messages("result", None).pop().unwrap();
    assert_eq!(result["num_turns"], json!(0));
    assert_eq!(result["session_id"], new["session_id"]);
    assert_eq!(session.event(), None);
}

#[test]
fn compact_calls_hooks_before_and_after() {
    let mut session = session_to_compact("/compact keep the names".into());
    let input = session.hook("before")["request"]["input"].clone();
    assert_eq!(input["trigger"], json!("manual"));
    assert_eq!(input["custom_instructions"], json!("keep the names"));
    session.respond_to_hook("before", json!({}));
    let input = session.hook("start")["request"]["input"].clone();
    assert_eq!(input["source"], json!("compact"));
    session.respond_to_hook("start", json!({}));
    assert_eq!(session.lines(), ["hook start", "hook after"]);
    session.respond_to_hook("after", json!({}));
    let whole = [
        "status",
        "init [m1]",
        "compact_boundary",
        "user -",
        "user -",
    ];
    assert_eq!(session.lines(), [&whole[..], &END].concat());
    assert_eq!(session.event(), None);
}

#[test]
fn compact_can_be_blocked() {
    let mut session = session_to_compact("/compact".into());
    let input = session.hook("before")["request"]["input"].clone();
    assert_eq!(input["custom_instructions"], Value::Null);
    session.respond_to_hook("before", json!({"decision": "block", "reason": "no"}));
    assert_eq!(
        session.lines(),
        [&["status", "init [m1]"][..], &END].concat()
    );
    let status = session.messages("system", Some("status")).pop().unwrap();
    assert_eq!(status["compact_result"], json!("failed"));
    let result = session.messages("result", None).pop().unwrap();
    let why = "Compaction blocked by PreCompact hook: [callback]";
    assert_eq!(result["result"], json!(why));
}

#[test]
fn a_hook_timeout_lets_a_command_continue() {
    let mut session = prompted("/clear".into());
    session.now += Duration::from_secs(600);
    session.agent.handle_timeout(session.now);
    assert_eq!(
        session.lines(),
        [
            "cancel",
            "conversation_reset",
            "background_tasks_changed",
            "hook start"
        ]
    );
}

#[test]
fn synthetic_text_and_unknown_words_are_not_commands() {
    for prompt in [
        UserMessage::from("/clear").verbatim(),
        "/clearer".into(),
        "say /clear".into(),
    ] {
        let mut session = prompted(prompt);
        session.hook("prompt");
    }
}
