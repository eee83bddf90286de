//! Tests of the activity of the session, and of the conditions for closing it.

use crate::host::session::{
    MINUTE, Session, allow, ask, assert_events, assistant, cancel, init, lifecycle, narrow, prompt,
    result, result_of, state, success,
};
use agentwire_protocol::control::SetModel;
use agentwire_protocol::host::{Activity, QueueError, Request};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn finishing_waits_for_idle_where_the_agent_reports_its_state() {
    let mut session = Session::connected();
    session.submit("A");
    session.host.finish(session.now, MINUTE);
    assert_eq!(session.lines(), ["A"]);
    for line in [
        state("running"),
        lifecycle("A", "queued"),
        lifecycle("A", "started"),
        init(),
        assistant(),
        result_of(&["A"]),
        lifecycle("A", "completed"),
    ] {
        session.receive(line);
        assert!(!session.polls_end());
    }
    session.receive(state("idle"));
    assert!(session.polls_end());
    assert!(!session.polls_end());
}

#[test]
fn finishing_waits_for_a_turn_that_the_agent_started() {
    let mut session = Session::connected();
    session.submit("A");
    session.lines();
    session.host.finish(session.now, MINUTE);
    session.receive_script("running, init, result A, completed A, idle, running, init");
    assert!(!session.polls_end());
    session.receive_script("result, idle");
    assert!(session.polls_end());
}

#[test]
fn finishing_waits_for_the_lifecycle_of_each_message() {
    // A terminal state may precede or follow the result.
    for last in [false, true] {
        let mut session = Session::connected();
        session.submit("A");
        session.submit("B");
        session.lines();
        session.host.finish(session.now, MINUTE);
        session
            .receive_script("queued A, queued B, started A, init, assistant, result, completed A");
        assert!(!session.polls_end());
        session.receive_script("started B, init");
        assert!(!session.polls_end());
        let mut end = [result(), lifecycle("B", "cancelled")];
        if last {
            end.reverse();
        }
        for line in end {
            assert!(!session.polls_end());
            session.receive(line);
        }
        assert!(session.polls_end());
    }
}

#[test]
fn finishing_waits_for_the_result_of_an_old_agent() {
    let mut session = Session::connected();
    session.submit("A");
    session.lines();
    session.host.finish(session.now, MINUTE);
    for line in [init(), assistant()] {
        assert!(!session.polls_end());
        session.receive(line);
    }
    assert!(!session.polls_end());
    session.receive(result());
    assert!(session.polls_end());
}

#[test]
fn a_result_of_an_old_agent_does_not_end_a_queued_message() {
    let mut session = Session::connected();
    session.submit("A");
    session.lines();
    session.submit("B");
    session.host.finish(session.now, MINUTE);
    session.receive_script("init, assistant, result");
    assert_eq!(session.host.activity(), Activity::Running);
    assert_eq!(session.lines(), ["B"]);
    assert!(!session.polls_end());
    session.receive_script("init, assistant, result");
    assert!(session.polls_end());
}

#[test]
fn a_result_in_an_oversized_line_ends_its_turn() {
    let mut session = narrow();
    session.submit("A");
    session.lines();
    session.submit("B");
    session.host.finish(session.now, MINUTE);
    let mut long = String::from(r#"{"type":"result","subtype":"success","result":""#);
    long.push_str(&"x".repeat(500));
    long.push_str("\"}\n");
    session.receive(init());
    session.host.handle_input(session.now, long.as_bytes());
    assert_eq!(session.host.activity(), Activity::Running);
    assert_eq!(session.lines(), ["B"]);
    session.host.handle_input(session.now, long.as_bytes());
    assert!(session.polls_end());
}

#[test]
fn a_result_may_precede_the_report_that_its_message_was_written() {
    let mut session = Session::connected();
    session.submit("A");
    session.host.finish(session.now, MINUTE);
    session.poll_line();
    session.receive_script("init, assistant, result");
    session.host.handle_written(session.now);
    assert!(session.polls_end());
}

#[test]
fn a_result_ends_the_messages_that_it_names_and_no_others() {
    let mut session = Session::connected();
    for uuid in ["A", "B", "C"] {
        session.submit(uuid);
    }
    session.lines();
    session.events();
    session.receive_script("init, result A C");
    assert_eq!(session.host.activity(), Activity::Running);
    let mut last = result();
    last["user_message_uuid"] = json!("B");
    session.receive_all(&[init(), last]);
    assert_eq!(session.host.activity(), Activity::Idle);
}

#[test]
fn finishing_waits_for_requests_of_both_sides() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.host.finish(session.now, MINUTE);
    session.lines();
    assert!(!session.polls_end());
    session.receive(ask("a1"));
    session.receive(success("r1", json!({})));
    assert!(!session.polls_end());
    // A callback may still make a request.
    session.request("r2", &SetModel::to("m"));
    session.host.respond("a1", allow("a1"));
    assert_eq!(session.lines(), ["set_model", "success a1"]);
    assert!(!session.polls_end());
    session.receive(success("r2", json!({})));
    assert!(session.polls_end());
}

#[test]
fn finishing_closes_an_idle_session_at_once() {
    let mut session = Session::connected();
    session.host.finish(session.now, MINUTE);
    assert!(session.polls_end());
    assert_eq!(session.host.poll_transmit(), None);
}

#[test]
fn a_finishing_session_refuses_messages() {
    let mut session = Session::connected();
    session.host.finish(session.now, MINUTE);
    assert_eq!(
        session.host.submit(session.now, prompt("A")),
        Err(QueueError::Closing)
    );
    assert!(session.polls_end());
    let request = Request::new("r1", &SetModel::to("m")).unwrap();
    assert_eq!(
        session.host.request(session.now, request, MINUTE),
        Err(QueueError::Closing)
    );
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn activity_is_reported_line_by_line_for_turns_in_one_chunk() {
    let mut session = Session::connected();
    session.submit("A");
    session.lines();
    assert_eq!(session.events_without_frames(), ["Running", "written A"]);
    session.receive_script(
        "running, queued A, init, ask a1, cancel a1, result A, completed A, idle, running, \
        init, requires_action, idle",
    );
    assert_events(
        session.events(),
        "frame system/session_state_changed; frame command_lifecycle; frame system/init; \
        ask a1; RequiresAction; ask cancelled a1; Running; frame result/success; \
        frame command_lifecycle; frame system/session_state_changed; Idle; \
        frame system/session_state_changed; Running; frame system/init; \
        frame system/session_state_changed; frame system/session_state_changed; Idle",
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_do_not_depend_on_how_the_bytes_are_cut(
        cuts in prop::collection::vec(1_usize..40, 1..60),
    ) {
        let script = [
            state("running"),
            init(),
            json!({"type": "weather", "say": "zażółć \u{2028} 🦀"}),
            ask("a1"),
            cancel("a1"),
            success("r1", json!({"model": "m"})),
            success("nobody", json!({})),
            result(),
            state("idle"),
        ];
        let text: String = script.iter().map(|line| format!("{line}\r\n")).collect();
        let text = text + "no frame\n" + &state("running").to_string();

        let run = |sizes: &mut dyn Iterator<Item = usize>| {
            let mut session = Session::connected();
            session.request("r1", &SetModel::to("m"));
            session.lines();
            let mut rest = text.as_bytes();
            while !rest.is_empty() {
                let (piece, behind) = rest.split_at(rest.len().min(sizes.next().unwrap()));
                session.host.handle_input(session.now, piece);
                rest = behind;
            }
            session.host.handle_input_end(session.now);
            session.events()
        };
        let whole = run(&mut std::iter::repeat(text.len()));
        prop_assert_eq!(whole.len(), 16);
        prop_assert_eq!(run(&mut cuts.iter().copied().cycle()), whole);
    }
}
