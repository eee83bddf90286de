//! Tests of complete turns.

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

/// Returns the lines and events of a turn with a text and a tool.
fn a_whole_turn(cuts: &[usize]) -> (Vec<String>, Vec<String>) {
    let mut session = Session::connected(Config::default(), cuts);
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);

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

    let id = session.permission_request_id();
    assert_eq!(session.host.activity(), Activity::RequiresAction);
    assert!(session.respond(&id, &PermissionResult::allow()));
    assert_eq!(session.decision("t1"), Decision::Allowed(input("t1")));
    session.finish_tool("t1", "done", false);
    session.finish_tools();
    session.say_text("all done");
    session.end_turn();
    assert_eq!(session.event(), None);

    let heard = session.host_events.iter().map(|event| match event {
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
    (session.lines(), heard)
}

#[test]
fn a_reply_has_the_model_of_its_request() {
    let mut session = Session::new();
    session.agent.change_model("m-1");
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.agent.ask_model();
    session.agent.set_model("m-2");
    session.agent.charge(Usage::default(), 0.25, None);
    session.say_text("One.");
    session.end_turn();
    session.submit("m2");
    session.assert_turn_starts(&["m2"]);
    session.say_text("Two.");
    session.end_turn();
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
            // The session state precedes the permission request.
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
    fn a_turn_does_not_depend_on_the_split_of_the_bytes(
        cuts in prop::collection::vec(1_usize..200, 1..30),
    ) {
        prop_assert_eq!(a_whole_turn(&cuts), a_whole_turn(&[usize::MAX]));
    }
}

#[test]
fn without_partial_messages_and_states_only_complete_messages_are_sent() {
    let config = Config {
        partial_messages: false,
        session_states: false,
        ..Config::default()
    };
    let mut session = Session::connected(config, &[64]);
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.say_text("hello");
    session.end_turn();
    assert_eq!(
        session.lines(),
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
fn a_result_has_the_last_text_and_the_number_of_messages() {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.call_tools(&["t1", "t2"]);
    for id in ["t1", "t2"] {
        session.finish_tool(id, "done", false);
    }
    session.finish_tools();
    session.say_text("second");
    session.now += Duration::from_millis(250);
    session.end_turn();
    session.transfer_all();
    let result = session.host_events.iter().find_map(|event| match event {
        host::HostEvent::Frame(frame) => match frame.message() {
            Message::Result(result) => Some(result),
            _ => None,
        },
        _ => None,
    });
    let result = result.unwrap();
    assert_eq!(result.result.as_deref(), Some("second"));
    // The prompt and two tool results.
    assert_eq!(result.num_turns, Some(3));
    assert_eq!(result.duration_ms.unwrap().get(), "250");
}

#[test]
fn no_turn_starts_before_the_response_to_initialize() {
    let mut session = Session::start(Config::default(), &[5]);
    session.submit("m1");
    assert_eq!(session.event(), None);
    session.request("init", &Initialize::default());
    session.assert_turn_starts(&["m1"]);
    assert_eq!(session.lines()[..2], ["success init", "running"]);
}
