//! Whole turns, and what of them is sent.

use crate::agent::session::{Session, input};
use agentwire_protocol::Message;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::control::Initialize;
use agentwire_protocol::host::{self, Activity, SessionUpdate, TurnEvent};
use agentwire_protocol::message::Usage;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::{Config, Decision, ToolCall};
use proptest::prelude::*;
use std::time::Duration;

/// Everything that a turn with a text and a tool looks like from both sides.
fn a_whole_turn(cuts: &[usize]) -> (Vec<String>, Vec<String>) {
    let mut session = Session::connected(Config::default(), cuts);
    session.submit("m1");
    session.begins(&["m1"]);

    session.agent.start_message("msg-1");
    session.agent.start_block(ContentBlock::thinking(""));
    session.agent.say("hm 🤔");
    session.agent.stop_block();
    session.agent.start_block(ContentBlock::text(""));
    session.agent.say("I ");
    session.agent.say("run");
    session.agent.stop_block();
    session
        .agent
        .start_block(ContentBlock::tool_use("t1", "Bash", input("t1")));
    session.agent.stop_block();
    session.agent.stop_message();
    session
        .agent
        .call_tool(session.now, ToolCall::new("t1", "Bash", input("t1")));

    let id = session.ask_id();
    assert_eq!(session.host.activity(), Activity::RequiresAction);
    assert!(session.respond(&id, &PermissionResult::allow()));
    assert_eq!(session.decision("t1"), Decision::Allowed(input("t1")));
    session.finishes("t1", "done", false);
    session.goes_on();
    session.says("all done");
    session.ends_turn();
    assert_eq!(session.event(), None);

    let heard = session.heard.iter().map(|event| match event {
        host::HostEvent::Frame(frame) => match frame.message() {
            message @ Message::StreamEvent(_) => {
                format!("{}{:?}", frame.kind(), message.text_delta())
            }
            message => {
                assert!(!matches!(message, Message::Unknown(_)), "{frame:?}");
                frame.head().label()
            }
        },
        host::HostEvent::IncomingRequest(_) => "ask".to_owned(),
        host::HostEvent::Submission { uuid, state } => format!("{state} {uuid}"),
        host::HostEvent::Activity(activity) => format!("{activity:?}"),
        host::HostEvent::Turn(TurnEvent::Started { turn }) => format!("turn {turn}"),
        host::HostEvent::Turn(TurnEvent::PickedUp { uuid, .. }) => format!("took up {uuid}"),
        host::HostEvent::Turn(TurnEvent::Ended(end)) => format!("turn {}", end.outcome),
        host::HostEvent::Session(SessionUpdate::Began(_)) => "session".to_owned(),
        other => panic!("{other:?}"),
    });
    let heard = heard.collect();
    (session.said(), heard)
}

#[test]
fn a_reply_is_of_the_model_that_was_asked_whatever_the_host_has_set_since() {
    let mut session = Session::new();
    session.agent.change_model("m-1");
    session.submit("m1");
    session.begins(&["m1"]);
    session.agent.ask_model();
    session.agent.set_model("m-2");
    session.agent.charge(Usage::default(), 0.25, None);
    session.says("One.");
    session.ends_turn();
    session.submit("m2");
    session.begins(&["m2"]);
    session.says("Two.");
    session.ends_turn();
    let replies = session.messages("assistant", None);
    let models: Vec<_> = replies.iter().map(|it| &it["message"]["model"]).collect();
    assert_eq!(models, ["m-1", "m-2"]);
    let results = session.messages("result", None);
    assert_eq!(results[0]["modelUsage"]["m-1"]["costUSD"], 0.25);
    assert_eq!(results[0]["modelUsage"].get("m-2"), None);
}

#[test]
fn a_turn_with_a_text_and_a_tool() {
    let (said, heard) = a_whole_turn(&[usize::MAX]);
    assert_eq!(
        said,
        [
            "running",
            "m1 queued",
            "m1 started",
            "init [m1]",
            "status",
            "event message_start",
            "event content_block_start",
            "thinking_tokens",
            "event content_block_delta",
            "event content_block_delta",
            "assistant thinking",
            "event content_block_stop",
            "event content_block_start",
            "event content_block_delta",
            "event content_block_delta",
            "assistant text",
            "event content_block_stop",
            "event content_block_start",
            "event content_block_delta",
            "event content_block_delta",
            "event content_block_delta",
            "assistant tool_use",
            "event content_block_stop",
            "event message_delta",
            "event message_stop",
            "requires_action",
            "ask t1",
            "running",
            "tool result t1",
            "status",
            "event message_start",
            "event content_block_start",
            "event content_block_delta",
            "event content_block_delta",
            "assistant text",
            "event content_block_stop",
            "event message_delta",
            "event message_stop",
            "result success completed [m1]",
            "m1 completed",
            "idle",
        ]
    );
    let told: Vec<_> = heard
        .iter()
        .filter(|event| {
            !["system", "command", "assistant", "user", "stream_eventNone"]
                .iter()
                .any(|known| event.starts_with(known))
        })
        .collect();
    assert_eq!(
        told,
        [
            "Running",
            "handed m1",
            "written m1",
            "queued m1",
            "turn 1",
            "started m1",
            "took up m1",
            "session",
            // The agent's own state comes before its ask.
            r#"stream_eventSome("I ")"#,
            r#"stream_eventSome("run")"#,
            "ask",
            "RequiresAction",
            "Running",
            r#"stream_eventSome("all ")"#,
            r#"stream_eventSome("done")"#,
            "result/success",
            "completed m1",
            "turn completed",
            "Idle",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_does_not_depend_on_how_the_bytes_are_cut(
        cuts in prop::collection::vec(1_usize..200, 1..30),
    ) {
        prop_assert_eq!(a_whole_turn(&cuts), a_whole_turn(&[usize::MAX]));
    }
}

#[test]
fn without_partial_messages_and_states_only_whole_messages_are_sent() {
    let config = Config {
        partial_messages: false,
        session_states: false,
        ..Config::default()
    };
    let mut session = Session::connected(config, &[64]);
    session.submit("m1");
    session.begins(&["m1"]);
    session.says("hello");
    session.ends_turn();
    assert_eq!(
        session.said(),
        [
            "m1 queued",
            "m1 started",
            "init [m1]",
            "assistant text",
            "result success completed [m1]",
            "m1 completed"
        ]
    );
    assert_eq!(session.host.activity(), Activity::Idle);
}

#[test]
fn a_result_carries_the_last_text_and_how_many_messages_the_turn_had() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.calls(&["t1", "t2"]);
    for id in ["t1", "t2"] {
        session.finishes(id, "done", false);
    }
    session.goes_on();
    session.says("second");
    session.now += Duration::from_millis(250);
    session.ends_turn();
    session.pump();
    let result = session.heard.iter().find_map(|event| match event {
        host::HostEvent::Frame(frame) => match frame.message() {
            Message::Result(result) => Some(result),
            _ => None,
        },
        _ => None,
    });
    let result = result.unwrap();
    assert_eq!(result.result.as_deref(), Some("second"));
    // The prompt, and two tool results.
    assert_eq!(result.num_turns, Some(3));
    assert_eq!(result.duration_ms.unwrap().get(), "250");
}

#[test]
fn nothing_begins_before_initialize_is_answered() {
    let mut session = Session::start(Config::default(), &[5]);
    session.submit("m1");
    assert_eq!(session.event(), None);
    session.request("init", &Initialize::default());
    session.begins(&["m1"]);
    assert_eq!(session.said()[..2], ["success init", "running"]);
}
