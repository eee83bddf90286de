//! Tests of the agent's queue.

use crate::agent::session::{Session, pending_permissions, withdraw};
use agentwire_protocol::control::SetPermissionMode;
use agentwire_protocol::host::Activity;
use agentwire_protocol::message::Priority;
use agentwire_protocol::permission::PermissionMode;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::Event;
use serde_json::json;

/// Returns the lifecycle states of a message, in order.
fn states_of(said: &[String], uuid: &str) -> Vec<String> {
    said.iter()
        .filter_map(|line| line.strip_prefix(&format!("{uuid} ")))
        .map(str::to_owned)
        .collect()
}

const SIX_PROMPTS: [(&str, Option<Priority>); 6] = [
    ("L1", Some(Priority::Later)),
    ("N1", Some(Priority::Next)),
    ("X1", None),
    ("W1", Some(Priority::Now)),
    ("L2", Some(Priority::Later)),
    ("N2", Some(Priority::Next)),
];

#[test]
fn messages_run_by_priority_one_class_per_turn() {
    // The agent receives the messages one by one, or all at once, in another
    // order.
    for at_once in [false, true] {
        let mut session = Session::new();
        session.submit("M");
        session.assert_turn_starts(&["M"]);
        session.start_text("final ");
        session.transfer_all();
        for (uuid, priority) in SIX_PROMPTS {
            session.submit_at(uuid, priority);
            if !at_once {
                session.transfer_all();
            }
        }
        assert_eq!(session.event(), Some(Event::TurnAborted));
        for turn in [&["W1"][..], &["N1", "X1", "N2"], &["L1", "L2"]] {
            session.assert_turn_starts(turn);
            session.say_text("short");
            session.end_turn();
        }
        assert_eq!(session.event(), None);

        let said = session.lines();
        let results: Vec<_> = said.iter().filter(|l| l.starts_with("result")).collect();
        assert_eq!(
            results,
            [
                "result success aborted_streaming [M]",
                "result success completed [W1]",
                "result success completed [N1 X1 N2]",
                "result success completed [L1 L2]"
            ]
        );
        let inits: Vec<_> = said.iter().filter(|l| l.starts_with("init")).collect();
        assert_eq!(
            inits,
            ["init [M]", "init [W1]", "init [N1 X1 N2]", "init [L1 L2]"]
        );
        assert_eq!(states_of(&said, "M"), ["queued", "started", "cancelled"]);
        for (uuid, _) in SIX_PROMPTS {
            assert_eq!(
                states_of(&said, uuid),
                ["queued", "started", "completed"],
                "{uuid}"
            );
        }
        // The session is idle only at the end.
        let idles = said.iter().filter(|l| *l == "idle").count();
        assert_eq!((idles, said.last().unwrap().as_str()), (1, "idle"));
        assert_eq!(session.host.activity(), Activity::Idle);
    }
}

#[test]
fn queued_messages_are_folded_in_after_a_tool_except_for_later_ones() {
    let mut session = pending_permissions(&["t1"]);
    for (uuid, priority) in [
        ("L", Some(Priority::Later)),
        ("N", Some(Priority::Next)),
        ("X", None),
    ] {
        session.submit_at(uuid, priority);
    }
    let id = session.permission_request_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.finish_tool("t1", "done", false);
    session.finish_tools();
    session.say_text("done");
    session.end_turn();
    session.assert_turn_starts(&["L"]);
    let said = session.lines_without_events();
    let folded = said.iter().position(|l| l == "N started").unwrap();
    assert_eq!(
        said[folded - 1..=folded + 1],
        ["tool result t1", "N started", "X started"]
    );
    assert!(said.contains(&"result success completed [m1 N X]".to_owned()));
    for uuid in ["N", "X"] {
        assert_eq!(states_of(&said, uuid), ["queued", "started", "completed"]);
    }
    assert_eq!(states_of(&said, "L"), ["queued", "started"]);
}

#[test]
fn a_message_with_the_priority_now_waits_for_a_tool_and_ends_the_turn() {
    let mut session = pending_permissions(&["t1"]);
    let id = session.permission_request_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.submit_at("W", Some(Priority::Now));
    assert_eq!(session.event(), None);
    assert!(
        !session
            .lines()
            .iter()
            .any(|line| line.starts_with("result"))
    );

    session.finish_tool("t1", "done", false);
    session.agent.finish_tools(session.now);
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.assert_turn_starts(&["W"]);
    assert_eq!(
        session.lines(),
        [
            "tool result t1",
            "result success aborted_tools [m1]",
            "m1 cancelled",
            "W started",
            "init [W]"
        ]
    );
}

#[test]
fn a_queued_message_can_be_cancelled() {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.submit("m2");
    session.lines();
    for (id, uuid, cancelled) in [
        ("c1", "m2", true),
        ("c2", "m2", false),
        ("c3", "m1", false),
        ("c4", "nobody", false),
    ] {
        session.request(id, &withdraw(uuid));
        let mut answer = json!({ "cancelled": cancelled });
        if cancelled {
            answer["message_uuid"] = uuid.into();
        }
        assert_eq!(session.answer(id), answer, "{id}");
    }
    assert_eq!(session.lines()[..2], ["m2 cancelled", "success c1"]);
    session.say_text("hello");
    session.end_turn();
    assert_eq!(session.event(), None);
    assert_eq!(session.host.activity(), Activity::Idle);
}

#[test]
fn requests_and_messages_keep_their_order() {
    let mut session = Session::new();
    session.submit("m1");
    session.request("mode", &SetPermissionMode::to(PermissionMode::Plan));
    session.submit_at("m2", Some(Priority::Now));
    session.assert_turn_starts(&["m1"]);
    let said = session.lines();
    let place = |line: &str| said.iter().position(|l| l == line).unwrap();
    assert!(place("init [m1]") < place("success mode"));
    assert!(place("success mode") < place("m2 queued"));
}
