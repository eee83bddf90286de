//! The agent's queue.

use crate::agent::session::{Session, asking, withdraw};
use agentwire_protocol::control::SetPermissionMode;
use agentwire_protocol::host::Activity;
use agentwire_protocol::message::Priority;
use agentwire_protocol::permission::PermissionMode;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::Event;
use serde_json::json;

/// What became of a message, in order.
fn states_of(said: &[String], uuid: &str) -> Vec<String> {
    said.iter()
        .filter_map(|line| line.strip_prefix(&format!("{uuid} ")))
        .map(str::to_owned)
        .collect()
}

const SIX: [(&str, Option<Priority>); 6] = [
    ("L1", Some(Priority::Later)),
    ("N1", Some(Priority::Next)),
    ("X1", None),
    ("W1", Some(Priority::Now)),
    ("L2", Some(Priority::Later)),
    ("N2", Some(Priority::Next)),
];

#[test]
fn messages_run_by_their_priority_a_class_at_a_time() {
    // One by one, as they are sent; or all at once, and ordered on the way.
    for at_once in [false, true] {
        let mut session = Session::new();
        session.submit("M");
        session.begins(&["M"]);
        session.begins_to_say("final ");
        session.pump();
        for (uuid, priority) in SIX {
            session.submit_at(uuid, priority);
            if !at_once {
                session.pump();
            }
        }
        assert_eq!(session.event(), Some(Event::TurnAborted));
        for turn in [&["W1"][..], &["N1", "X1", "N2"], &["L1", "L2"]] {
            session.begins(turn);
            session.says("short");
            session.ends_turn();
        }
        assert_eq!(session.event(), None);

        let said = session.said();
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
        for (uuid, _) in SIX {
            assert_eq!(
                states_of(&said, uuid),
                ["queued", "started", "completed"],
                "{uuid}"
            );
        }
        // It is idle once, at the end.
        let idles = said.iter().filter(|l| *l == "idle").count();
        assert_eq!((idles, said.last().unwrap().as_str()), (1, "idle"));
        assert_eq!(session.host.activity(), Activity::Idle);
    }
}

#[test]
fn messages_that_wait_are_folded_in_when_a_tool_is_done_but_for_later_ones() {
    let mut session = asking(&["t1"]);
    for (uuid, priority) in [
        ("L", Some(Priority::Later)),
        ("N", Some(Priority::Next)),
        ("X", None),
    ] {
        session.submit_at(uuid, priority);
    }
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.finishes("t1", "done", false);
    session.goes_on();
    session.says("done");
    session.ends_turn();
    session.begins(&["L"]);
    let said = session.said_in_whole();
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
fn a_message_for_now_waits_for_a_tool_and_then_ends_the_turn() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.submit_at("W", Some(Priority::Now));
    assert_eq!(session.event(), None);
    assert!(!session.said().iter().any(|line| line.starts_with("result")));

    session.finishes("t1", "done", false);
    session.agent.finish_tools(session.now);
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.begins(&["W"]);
    assert_eq!(
        session.said(),
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
fn a_message_that_waits_can_be_withdrawn() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.submit("m2");
    session.said();
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
    assert_eq!(session.said()[..2], ["m2 cancelled", "success c1"]);
    session.says("hello");
    session.ends_turn();
    assert_eq!(session.event(), None);
    assert_eq!(session.host.activity(), Activity::Idle);
}

#[test]
fn a_request_does_not_change_sides_with_a_message() {
    let mut session = Session::new();
    session.submit("m1");
    session.request("mode", &SetPermissionMode::to(PermissionMode::Plan));
    session.submit_at("m2", Some(Priority::Now));
    session.begins(&["m1"]);
    let said = session.said();
    let place = |line: &str| said.iter().position(|l| l == line).unwrap();
    assert!(place("init [m1]") < place("success mode"));
    assert!(place("success mode") < place("m2 queued"));
}
