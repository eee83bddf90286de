//! Tests of the queue for an agent without a queue. One turn runs at a time,
//! other messages wait in the host, and messages of one priority can be merged.

use crate::host::session::{
    MINUTE, Session, assert_events, brief_line, init, lifecycle, refusal, result, state, success,
};
use agentwire_protocol::control::{CancelAsyncMessage, Initialize, Interrupt, SetModel};
use agentwire_protocol::host::{Prompt, Queueing, Transmit};
use agentwire_protocol::message::{Priority, UserMessage};
use proptest::prelude::*;
use serde_json::{Value, json};

const MERGED: Queueing = Queueing::ByHost { merge: true };
const ONE_BY_ONE: Queueing = Queueing::ByHost { merge: false };

fn with(queueing: Queueing) -> Session {
    let mut session = Session::new();
    session.host.set_queueing(queueing);
    session.request("init", &Initialize::default());
    session.lines();
    session.receive(success("init", json!({"pid": 7})));
    session.events();
    session
}

/// Sends a message. The first letter of its ID is its priority: `w` is now, `n`
/// is next, `l` is later.
fn send(session: &mut Session, uuid: &str) {
    send_text(session, uuid, uuid);
}

fn send_text(session: &mut Session, uuid: &str, text: &str) {
    let mut message = UserMessage::text(text);
    message.priority = match uuid.as_bytes()[0] {
        b'w' => Some(Priority::Now),
        b'l' => Some(Priority::Later),
        b'n' => Some(Priority::Next),
        _ => None,
    };
    let prompt = Prompt::new(uuid, message).unwrap();
    session.host.submit(session.now, prompt).unwrap();
}

/// Returns the sent lines. The line of a message is its text.
fn sent_lines(session: &mut Session) -> Vec<String> {
    let mut said = vec![];
    while let Some(Transmit::Line(line)) = session.host.poll_transmit() {
        let value: Value = serde_json::from_slice(&line).unwrap();
        said.push(match value["message"]["content"].as_str() {
            Some(text) => text.to_owned(),
            None => brief_line(&line),
        });
        session.host.handle_written(session.now);
    }
    said
}

#[test]
fn the_measured_order_holds_for_an_agent_that_knows_no_priorities() {
    for (queueing, order) in [
        (MERGED, vec!["w1", "n1\nx1\nn2", "l1\nl2"]),
        (ONE_BY_ONE, vec!["w1", "n1", "x1", "n2", "l1", "l2"]),
    ] {
        let mut session = with(queueing);
        send(&mut session, "base");
        assert_eq!(sent_lines(&mut session), ["base"]);
        session.receive(init());
        for uuid in ["l1", "n1", "x1", "w1", "l2", "n2"] {
            send(&mut session, uuid);
        }
        assert_eq!(sent_lines(&mut session), ["interrupt"]);
        session.receive(success("interrupt-for-now-1", json!({})));
        assert_eq!(sent_lines(&mut session), [""; 0], "it has not stopped yet");
        session.states();
        session.receive(result());
        assert_eq!(session.states(), ["interrupted base"]);
        for turn in order {
            assert_eq!(sent_lines(&mut session), [turn]);
            assert_eq!(sent_lines(&mut session), [""; 0], "one turn at a time");
            session.states();
            session.receive(init());
            session.receive(result());
            let ends: Vec<String> = session.states();
            let ends: Vec<&str> = (ends.iter())
                .filter_map(|it| it.strip_prefix("completed "))
                .collect();
            assert_eq!(ends.join("\n"), turn);
        }
    }
}

#[test]
fn a_turn_with_merged_messages_names_them_all() {
    let mut session = with(MERGED);
    send(&mut session, "a");
    sent_lines(&mut session);
    for uuid in ["b", "c"] {
        send(&mut session, uuid);
    }
    session.receive_script("init, result");
    sent_lines(&mut session);
    session.receive_script("init, result");
    assert_events(
        session.turns(),
        "turn 1; turn 1 answers a; turn 1 completed: a; turn 2; turn 2 answers b; \
        turn 2 answers c; turn 2 completed: b c",
    );
}

#[test]
fn messages_and_requests_do_not_wait_for_each_other() {
    let mut session = with(MERGED);
    send(&mut session, "a");
    sent_lines(&mut session);
    send(&mut session, "b");
    session.request("model", &SetModel::to("m"));
    assert_eq!(sent_lines(&mut session), ["set_model"]);
    session.receive(result());
    assert_eq!(sent_lines(&mut session), ["b"]);
}

#[test]
fn only_messages_that_differ_in_content_are_merged() {
    let mut session = with(MERGED);
    send(&mut session, "a");
    sent_lines(&mut session);
    send_text(&mut session, "b", "b");
    let verbatim = UserMessage::text("/c").verbatim();
    for (uuid, message) in [
        ("c", verbatim.clone()),
        ("d", verbatim),
        ("e", UserMessage::text("/compact")),
        ("f", UserMessage::text("f")),
        ("i", UserMessage::text("i").should_query(false)),
        ("j", UserMessage::text("j").should_query(false)),
    ] {
        let prompt = Prompt::new(uuid, message).unwrap();
        session.host.submit(session.now, prompt).unwrap();
    }
    send_text(&mut session, "g", "g");
    send_text(&mut session, "h", "h");
    let mut turns = vec![];
    loop {
        session.receive(result());
        match sent_lines(&mut session) {
            said if said.is_empty() => break,
            said => turns.extend(said),
        }
    }
    assert_eq!(turns, ["b", "/c\n/c", "/compact", "f", "i", "j", "g\nh"]);
}

#[test]
fn blocks_of_merged_messages_are_concatenated() {
    let mut session = with(MERGED);
    send(&mut session, "a");
    sent_lines(&mut session);
    send(&mut session, "b");
    let picture = UserMessage::text("c").with(agentwire_protocol::content::ContentBlock::text("d"));
    let prompt = Prompt::new("c", picture).unwrap();
    session.host.submit(session.now, prompt).unwrap();
    session.receive(result());
    let Some(Transmit::Line(line)) = session.host.poll_transmit() else {
        panic!()
    };
    let line: Value = serde_json::from_slice(&line).unwrap();
    let texts = line["message"]["content"].as_array().unwrap();
    let texts: Vec<&str> = texts
        .iter()
        .map(|it| it["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        (line["uuid"].as_str(), texts),
        (Some("b"), vec!["b", "c", "d"])
    );
}

#[test]
fn backlog_messages_can_be_withdrawn_and_are_listed_by_an_interrupt() {
    let mut session = with(MERGED);
    send(&mut session, "a");
    sent_lines(&mut session);
    for uuid in ["b", "c", "d"] {
        send(&mut session, uuid);
    }
    session.request("take", &CancelAsyncMessage::new("b"));
    session.request("stop", &Interrupt::default());
    assert_eq!(sent_lines(&mut session), ["interrupt"]);
    session.states();
    session.receive(success("stop", json!({})));
    assert_eq!(session.events(), ["answered stop"]);
    session.request("all", &Interrupt::and_cancel_queued());
    assert_eq!(session.states(), ["withdrawn c", "withdrawn d"]);
    session.receive(result());
    assert_eq!(sent_lines(&mut session), ["interrupt"]);
}

#[test]
fn a_message_with_priority_now_interrupts_a_running_turn_once() {
    let mut session = with(MERGED);
    send(&mut session, "w1");
    assert_eq!(sent_lines(&mut session), ["w1"]);
    send(&mut session, "w2");
    send(&mut session, "w3");
    assert_eq!(sent_lines(&mut session), ["interrupt"]);
    // The interrupt and its response are not reported to the user.
    session.states();
    session.receive(refusal("interrupt-for-now-1", json!("no")));
    assert_eq!(session.events(), [""; 0]);
    session.receive(result());
    assert_eq!(sent_lines(&mut session), ["w2\nw3"]);
    send(&mut session, "w4");
    assert_eq!(sent_lines(&mut session), ["interrupt"]);
}

#[test]
fn a_turn_interrupted_for_a_message_is_preempted_despite_its_result() {
    for members in [
        json!({}),
        json!({"is_error": true}),
        json!({"is_error": true, "terminal_reason": "aborted_streaming"}),
    ] {
        let mut session = with(MERGED);
        send(&mut session, "a");
        sent_lines(&mut session);
        session.receive(init());
        send(&mut session, "w");
        sent_lines(&mut session);
        session.receive(success("interrupt-for-now-1", json!({})));
        session.turns();
        let mut end = result();
        for (name, value) in members.as_object().unwrap() {
            end[name] = value.clone();
        }
        session.receive(end);
        assert_eq!(session.turns(), ["turn 1 preempted: a"]);
    }
}

#[test]
fn a_turn_that_does_not_end_after_its_interrupt_times_out() {
    let mut session = with(MERGED);
    send(&mut session, "a");
    sent_lines(&mut session);
    send(&mut session, "w");
    assert_eq!(sent_lines(&mut session), ["interrupt"]);
    session.states();
    // Neither a response arrives, nor does the turn end.
    session.advance(MINUTE);
    assert_eq!(sent_lines(&mut session), ["cancel interrupt-for-now-1"]);
    session.advance(MINUTE);
    assert_eq!(session.states(), ["interrupted a"]);
    assert_eq!(sent_lines(&mut session), ["w"]);
}

#[test]
fn a_turn_does_not_time_out_while_the_agent_reports_running() {
    let mut session = with(MERGED);
    send(&mut session, "a");
    sent_lines(&mut session);
    session.receive(state("running"));
    send(&mut session, "w");
    assert_eq!(sent_lines(&mut session), ["interrupt"]);
    session.receive(success("interrupt-for-now-1", json!({})));
    session.states();
    assert_eq!(session.host.poll_timeout(), None);
    session.advance(10 * MINUTE);
    assert_eq!(session.states(), [""; 0]);
    assert_eq!(sent_lines(&mut session), [""; 0]);
    session.receive_script("result, idle");
    assert_eq!(sent_lines(&mut session), ["w"]);
}

#[test]
fn messages_wait_while_the_agent_reports_running() {
    let mut session = with(MERGED);
    session.receive(state("running"));
    send(&mut session, "a");
    assert_eq!(sent_lines(&mut session), [""; 0]);
    session.receive(state("idle"));
    assert_eq!(sent_lines(&mut session), ["a"]);
}

#[test]
fn a_background_sub_agent_does_not_block_messages() {
    let mut session = with(MERGED);
    let running = json!({"type": "system", "subtype": "background_tasks_changed",
        "tasks": [{"task_id": "t"}]});
    session.receive_all(&[state("running"), init(), running]);
    send(&mut session, "a");
    assert_eq!(sent_lines(&mut session), [""; 0], "a turn runs");
    session.receive(result());
    assert_eq!(sent_lines(&mut session), ["a"]);
}

#[test]
fn finishing_sends_the_backlog_and_ending_loses_it() {
    for ends in [false, true] {
        let mut session = with(ONE_BY_ONE);
        for uuid in ["a", "b"] {
            send(&mut session, uuid);
        }
        assert_eq!(sent_lines(&mut session), ["a"]);
        session.states();
        session.host.finish(session.now, MINUTE);
        if ends {
            session.host.end();
            assert_eq!(session.states(), ["lost b"]);
        } else {
            session.receive(result());
            assert_eq!(sent_lines(&mut session), ["b"]);
            session.receive(result());
            assert!(session.polls_end());
        }
    }
}

#[test]
fn the_queueing_side_follows_from_the_agents_capabilities() {
    let begin = |answer: Value| {
        let mut session = Session::new();
        session.host.set_queueing(Queueing::Auto { merge: true });
        session.request("init", &Initialize::default());
        send(&mut session, "a");
        session.request("model", &SetModel::to("m"));
        send(&mut session, "l");
        send(&mut session, "n");
        session.lines();
        session.receive(success("init", answer));
        session
    };
    // If the agent has capabilities, messages are sent in the order of the
    // calls.
    let mut session = begin(json!({"capabilities": []}));
    assert_eq!(sent_lines(&mut session), ["a", "set_model", "n", "l"]);
    // The agent has no capabilities, or other capabilities.
    for answer in [json!({}), json!({"capabilities": {"hooks": true}})] {
        let mut session = begin(answer);
        assert_eq!(sent_lines(&mut session), ["set_model", "a\nn"]);
        session.receive(result());
        assert_eq!(sent_lines(&mut session), ["l"]);
    }
    // The agent shows later that it has a queue.
    let mut capable = init();
    capable["capabilities"] = json!(["msg_lifecycle_v1"]);
    for sign in [capable, lifecycle("a", "queued")] {
        let mut session = begin(json!({}));
        assert_eq!(sent_lines(&mut session), ["set_model", "a\nn"]);
        session.receive(sign);
        assert_eq!(sent_lines(&mut session), ["l"]);
    }
}

proptest! {
    #[test]
    fn queued_messages_are_sent_once_by_priority_and_in_order(
        uuids in prop::collection::vec("[wnl]", 1..20),
        merge in any::<bool>(),
    ) {
        let mut session = with(Queueing::ByHost { merge });
        send(&mut session, "base");
        sent_lines(&mut session);
        for (number, class) in uuids.iter().enumerate() {
            send(&mut session, &format!("{class}{number}"));
        }
        sent_lines(&mut session);
        let mut gone = vec![];
        for _ in 0..=uuids.len() {
            session.receive(result());
            gone.extend(sent_lines(&mut session).iter().flat_map(|it| it.split('\n')).map(str::to_owned));
        }
        let mut expected: Vec<String> = (uuids.iter().enumerate())
            .map(|(number, class)| format!("{class}{number}"))
            .collect();
        expected.sort_by_key(|uuid| "wnl".find(&uuid[..1]));
        prop_assert_eq!(gone, expected);
        prop_assert!(session.host.waiting().users == 0 && session.host.waiting().user_bytes == 0);
    }
}
