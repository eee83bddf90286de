//! The commands that hooks have to do with.

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

/// A session in which there is something to compact.
fn talked(prompt: UserMessage) -> Session {
    let mut session = session();
    session.submit("m0");
    session.hook_says("prompt", json!({}));
    session.begins(&["m0"]);
    session.says("hello");
    session.ends_turn();
    session.said();
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
    session.said();
    session
}

fn submit(session: &mut Session, prompt: UserMessage) {
    session
        .host
        .submit(session.now, Prompt::new("m1", prompt).unwrap())
        .unwrap();
    assert_eq!(session.said()[..3], ["running", "m1 queued", "m1 started"]);
}

const END: [&str; 3] = ["result success - [m1]", "m1 completed", "idle"];

#[test]
fn clear_ends_a_session_and_begins_another() {
    let mut session = prompted("/clear".into());
    let old = session.hook("end")["request"]["input"].clone();
    assert_eq!(old["reason"], json!("clear"));
    session.hook_says("end", json!({}));
    assert_eq!(
        session.said(),
        [
            "conversation_reset",
            "background_tasks_changed",
            "hook start"
        ]
    );
    let new = session.hook("start")["request"]["input"].clone();
    assert_eq!(new["source"], json!("clear"));
    assert_ne!(new["session_id"], old["session_id"]);
    session.hook_says("start", json!({}));
    assert_eq!(session.said(), [&["init [m1]"][..], &END].concat());
    let result = session.messages("result", None).pop().unwrap();
    assert_eq!(result["num_turns"], json!(0));
    assert_eq!(result["session_id"], new["session_id"]);
    assert_eq!(session.event(), None);
}

#[test]
fn compact_asks_before_and_tells_afterwards() {
    let mut session = talked("/compact keep the names".into());
    let input = session.hook("before")["request"]["input"].clone();
    assert_eq!(input["trigger"], json!("manual"));
    assert_eq!(input["custom_instructions"], json!("keep the names"));
    session.hook_says("before", json!({}));
    let input = session.hook("start")["request"]["input"].clone();
    assert_eq!(input["source"], json!("compact"));
    session.hook_says("start", json!({}));
    assert_eq!(session.said(), ["hook start", "hook after"]);
    session.hook_says("after", json!({}));
    let whole = [
        "status",
        "init [m1]",
        "compact_boundary",
        "user -",
        "user -",
    ];
    assert_eq!(session.said(), [&whole[..], &END].concat());
    assert_eq!(session.event(), None);
}

#[test]
fn compact_can_be_blocked() {
    let mut session = talked("/compact".into());
    let input = session.hook("before")["request"]["input"].clone();
    assert_eq!(input["custom_instructions"], Value::Null);
    session.hook_says("before", json!({"decision": "block", "reason": "no"}));
    assert_eq!(
        session.said(),
        [&["status", "init [m1]"][..], &END].concat()
    );
    let status = session.messages("system", Some("status")).pop().unwrap();
    assert_eq!(status["compact_result"], json!("failed"));
    let result = session.messages("result", None).pop().unwrap();
    let why = "Compaction blocked by PreCompact hook: [callback]";
    assert_eq!(result["result"], json!(why));
}

#[test]
fn a_hook_that_takes_too_long_holds_a_command_up_no_longer() {
    let mut session = prompted("/clear".into());
    session.now += Duration::from_secs(600);
    session.agent.handle_timeout(session.now);
    assert_eq!(
        session.said(),
        [
            "cancel",
            "conversation_reset",
            "background_tasks_changed",
            "hook start"
        ]
    );
}

#[test]
fn text_that_a_program_wrote_is_no_command_and_neither_is_another_word() {
    for prompt in [
        UserMessage::from("/clear").verbatim(),
        "/clearer".into(),
        "say /clear".into(),
    ] {
        let mut session = prompted(prompt);
        session.hook("prompt");
    }
}
