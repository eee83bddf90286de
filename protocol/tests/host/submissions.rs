//! Delivery states of user messages: each state is reported once, and every message has
//! a final state.

use crate::host::session::{
    MINUTE, Session, assert_events, assistant, init, lifecycle, prompt, refusal, result, result_of,
    state, success,
};
use agentwire_protocol::control::{CancelAsyncMessage, Interrupt, SetModel};
use agentwire_protocol::host::{Activity, HostEvent, Request};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn cut_off(uuids: &[&str]) -> Value {
    let mut result = result_of(uuids);
    result["subtype"] = json!("error_during_execution");
    result["terminal_reason"] = json!("aborted_streaming");
    result
}

/// Returns a session that has written these messages.
fn written(uuids: &[&str]) -> Session {
    let mut session = Session::connected();
    for uuid in uuids {
        session.submit(uuid);
    }
    session.lines();
    session.states();
    session
}

#[test]
fn a_message_is_handed_written_queued_started_and_completed() {
    let mut session = Session::connected();
    session.submit("m");
    assert_eq!(session.states(), [""; 0], "it waits");
    session.lines();
    assert_eq!(session.states(), ["handed m", "written m"]);
    session.receive_script("queued m, started m, result m, completed m");
    assert_eq!(session.states(), ["queued m", "started m", "completed m"]);
}

#[test]
fn late_states_are_ignored() {
    let mut session = Session::connected();
    session.submit("m");
    // The pipe reports the write after the agent's report.
    assert!(session.host.poll_transmit().is_some());
    session.receive_script("started m, queued m, started m");
    session.host.handle_written(session.now);
    session.receive_script("completed m, result m, cancelled m");
    assert_eq!(session.states(), ["handed m", "started m", "completed m"]);
}

#[test]
fn a_cancelled_message_was_removed_or_interrupted() {
    let mut session = written(&["a", "b", "c"]);
    session.receive_script("queued a, started a, queued b, queued c, started c");
    session.states();
    session.receive_all(&[
        lifecycle("b", "cancelled"),
        lifecycle("a", "cancelled"),
        cut_off(&["c"]),
        lifecycle("c", "cancelled"),
    ]);
    assert_events(
        session.states(),
        "cancelled b; interrupted a; interrupted c",
    );
}

#[test]
fn without_lifecycles_states_follow_from_the_ids_in_messages() {
    let mut session = written(&["a", "b", "c"]);
    let mut init = init();
    init["user_message_uuids"] = json!(["a"]);
    let mut said = assistant();
    said["user_message_uuid"] = json!("b");
    let status = json!({"type": "system", "subtype": "status", "status": "requesting",
        "user_message_uuids": ["c"]});
    session.receive_all(&[init, said, status]);
    assert_eq!(session.states(), ["started a", "started b", "started c"]);
    session.receive(result_of(&["a", "b", "c"]));
    assert_events(session.states(), "completed a; completed b; completed c");
}

#[test]
fn a_result_without_ids_ends_all_sent_messages() {
    let mut session = written(&["a"]);
    session.submit("b");
    session.receive(result());
    assert_eq!(session.states(), ["started a", "completed a"]);
    session.submit("c");
    session.lines();
    session.states();
    // The order in which the agent picked up the messages is unknown.
    session.receive(result());
    assert_eq!(session.states(), ["completed b", "completed c"]);
}

#[test]
fn a_result_without_ids_ends_no_message_of_an_agent_that_reports_ids() {
    let mut capable = init();
    capable["capabilities"] = json!(["msg_lifecycle_v1"]);
    let mut naming = init();
    naming["user_message_uuids"] = json!(["a"]);
    for (begin, states) in [(capable, vec![]), (naming, vec!["started a"])] {
        let mut session = written(&["a"]);
        session.receive_all(&[begin, result()]);
        assert_eq!(session.states(), states);
    }
    let mut other = init();
    other["capabilities"] = json!(["something_else_v1"]);
    let mut session = written(&["a"]);
    session.receive_all(&[other, result()]);
    assert_eq!(session.states(), ["started a", "completed a"]);
}

#[test]
fn a_turn_without_ids_picks_up_the_only_sent_message() {
    let mut session = written(&["b"]);
    session.submit("a");
    // Stream events are not searched for IDs.
    session.receive(json!({"type": "stream_event", "event": {"type": "message_stop"}}));
    assert_eq!(session.states(), [""; 0]);
    session.receive(assistant());
    assert_eq!(session.states(), ["started b"]);

    let mut session = written(&["a", "b"]);
    session.receive(init());
    assert_eq!(session.states(), [""; 0]);
}

#[test]
fn with_lifecycles_a_result_without_ids_ends_no_message() {
    let mut session = written(&["a"]);
    session.receive_script("queued a, result");
    assert_eq!(session.states(), ["queued a"]);
}

#[test]
fn an_echo_means_that_a_message_is_queued() {
    let mut session = written(&["a"]);
    session.receive(json!({"type": "user", "uuid": "a", "isReplay": true, "message": {}}));
    assert_eq!(session.states(), ["queued a"]);
}

#[test]
fn a_message_with_a_repeated_id_ends_when_the_agent_is_idle() {
    let mut session = written(&["a"]);
    let echo = || json!({"type": "user", "uuid": "a", "isReplay": true, "message": {}});
    session.receive_script("running, queued a, started a, result a, completed a, idle");
    session.states();
    for echoes in [vec![], vec![echo()]] {
        session.submit("a");
        session.lines();
        session.receive_all(&echoes);
        session.states();
        session.receive(state("idle"));
        assert_eq!(session.states(), ["completed a"]);
    }
}

#[test]
fn the_last_256_ended_messages_are_remembered() {
    let mut session = Session::connected();
    for number in 0..257 {
        let uuid = number.to_string();
        session.submit(&uuid);
        session.lines();
        session.receive_all(&[lifecycle(&uuid, "started"), lifecycle(&uuid, "completed")]);
    }
    for uuid in ["0", "1"] {
        session.submit(uuid);
    }
    session.lines();
    session.states();
    session.receive(state("idle"));
    assert_eq!(session.states(), ["completed 1"]);
}

#[test]
fn without_lifecycles_started_messages_end_when_the_agent_is_idle() {
    let mut session = written(&["a"]);
    session.receive_script("running, init, idle");
    assert_eq!(session.states(), ["started a", "completed a"]);

    let mut session = written(&["a"]);
    session.receive_script("running, queued a, idle");
    assert_eq!(session.states(), ["queued a"], "it will say so itself");
}

#[test]
fn an_idle_agent_with_unacknowledged_messages_is_probed() {
    let mut session = written(&["b"]);
    session.receive(state("idle"));
    session.advance(MINUTE / 4);
    session.receive(state("running"));
    assert_eq!(session.host.poll_timeout(), None);
    session.receive(state("idle"));
    session.advance(MINUTE / 2);
    assert_eq!(session.lines(), ["mcp_status"]);
    // A late response proves nothing, so the agent is probed again.
    session.advance(MINUTE);
    assert_eq!(session.lines(), ["cancel still-there-1"]);
    session.advance(MINUTE / 2);
    assert_eq!(session.lines(), ["mcp_status"]);
    assert_eq!(session.states(), [""; 0]);
    // The agent may not have read messages that were sent after the probe.
    session.submit("c");
    session.lines();
    session.states();
    session.receive(refusal("still-there-2", json!("no")));
    session.advance(MINUTE / 4);
    assert_eq!(session.states(), [""; 0]);
    session.advance(MINUTE / 4);
    session.lines();
    session.receive(success("still-there-3", json!({})));
    assert_eq!(session.states(), [""; 0], "it may be about to begin");
    session.advance(MINUTE / 10);
    assert_eq!(session.states(), ["lost b", "lost c"]);
    assert_eq!(session.host.activity(), Activity::Idle);
    assert_eq!(session.host.poll_timeout(), None);
}

#[test]
fn an_agent_without_states_is_probed_when_a_turn_skipped_a_message() {
    let mut session = written(&["a", "b"]);
    assert_eq!(session.host.poll_timeout(), None);
    let mut naming = init();
    naming["user_message_uuids"] = json!(["a"]);
    session.receive(naming);
    assert_eq!(session.host.poll_timeout(), None);
    session.receive(result_of(&["a"]));
    assert_eq!(session.host.poll_timeout(), Some(session.now + MINUTE / 2));
    // The next turn may be the one for the message.
    session.receive(init());
    assert_eq!(session.host.poll_timeout(), None);
    session.receive(result_of(&[]));
    session.advance(MINUTE / 2);
    assert_eq!(session.lines(), ["mcp_status"]);
    session.states();

    // Messages in the outbound queue are not given up.
    session.receive(success("still-there-1", json!({})));
    session.submit("c");
    session.advance(MINUTE / 10);
    assert_eq!(session.states(), ["lost b"]);
    assert_eq!(session.lines(), ["c"]);
    assert_eq!(session.host.poll_timeout(), None);
}

#[test]
fn an_agent_that_reports_no_ids_is_not_probed_after_its_turns() {
    let mut session = written(&["a", "b"]);
    session.receive_script("queued a, started a, result, completed a");
    assert_eq!(session.host.poll_timeout(), None);
}

#[test]
fn finishing_times_out_for_unacknowledged_messages() {
    let mut session = written(&["b"]);
    session.receive(state("idle"));
    session.states();
    session.host.finish(session.now, MINUTE / 4);
    session.advance(MINUTE / 4);
    assert_eq!(session.states(), ["lost b"]);
    assert!(session.polls_end());
}

#[test]
fn a_prompt_blocked_by_a_hook_is_refused() {
    let mut session = written(&["a", "b"]);
    let blocked = json!({"type": "system", "subtype": "informational", "content": "no",
        "prompt_submit_outcome": {"kind": "blocked_by_hook"}});
    session.receive_all(&[blocked.clone(), result_of(&["a"]), result_of(&["b"])]);
    assert_events(
        session.states(),
        "started a; refused a; started b; completed b",
    );
    // Other outcomes than a block do not refuse the prompt.
    let mut other = blocked;
    other["prompt_submit_outcome"]["kind"] = json!("let_through");
    let mut session = written(&["a"]);
    session.receive_all(&[other, result_of(&["a"])]);
    assert_eq!(session.states(), ["started a", "completed a"]);
}

#[test]
fn a_receipt_updates_queued_and_cancelled_messages() {
    let mut session = written(&["a", "b"]);
    session.request("i", &Interrupt::default());
    session.lines();
    session.receive(success(
        "i",
        json!({"still_queued": ["a"], "cancelled": ["b"]}),
    ));
    assert_eq!(session.states(), ["queued a", "cancelled b"]);
}

#[test]
fn a_message_in_the_outbound_queue_is_withdrawn_by_the_host() {
    let mut session = Session::connected();
    session.submit("a");
    session.submit("b");
    session.request("c", &CancelAsyncMessage::new("a"));
    assert_eq!(session.events(), ["Running", "answered c", "withdrawn a"]);
    assert_eq!(session.lines(), ["b"]);
    // Only the agent can withdraw sent messages.
    session.request("d", &CancelAsyncMessage::new("b"));
    assert_eq!(session.lines(), ["cancel_async_message"]);
    session.states();
    session.receive(success(
        "d",
        json!({"cancelled": true, "message_uuid": "b"}),
    ));
    assert_eq!(session.states(), ["cancelled b"]);
}

#[test]
fn a_withdrawal_by_the_host_has_the_response_of_the_agent() {
    let mut session = Session::connected();
    session.submit("a");
    session.request("c", &CancelAsyncMessage::new("a"));
    let answer = std::iter::from_fn(|| session.host.poll_event()).find_map(|event| match event {
        HostEvent::RequestEnded { outcome, .. } => outcome.ok(),
        _ => None,
    });
    let answer: Value = answer.unwrap().read().unwrap();
    assert_eq!(answer, json!({"cancelled": true, "message_uuid": "a"}));
}

#[test]
fn a_late_withdrawal_has_no_effect() {
    let mut session = written(&["a"]);
    session.request("c", &CancelAsyncMessage::new("a"));
    session.request("d", &CancelAsyncMessage::new("a"));
    session.lines();
    session.receive(success("c", json!({"cancelled": false})));
    session.receive(refusal("d", json!("no")));
    assert_eq!(session.states(), [""; 0]);
}

#[test]
fn a_raw_withdrawal_equals_the_typed_one() {
    let mut session = Session::connected();
    session.submit("a");
    let members = json!({"message_uuid": "a"});
    let raw = Request::raw("c", "cancel_async_message", members).unwrap();
    session.host.request(session.now, raw, MINUTE).unwrap();
    assert_eq!(session.states(), ["withdrawn a"]);
}

#[test]
fn every_message_ends_with_the_session() {
    let mut session = written(&["a"]);
    session.submit("b");
    session.request("m", &SetModel::to("x"));
    session.submit("c");
    assert!(session.host.poll_transmit().is_some());
    session.receive(lifecycle("a", "started"));
    session.states();
    session.host.end();
    assert_eq!(session.states(), ["lost c"]);
    session.host.handle_end();
    assert_eq!(session.states(), ["lost a", "lost b"]);
    assert!(session.host.submit(session.now, prompt("d")).is_err());
}

#[test]
fn a_report_about_a_queued_message_is_ignored() {
    let mut session = Session::connected();
    session.submit("a");
    session.receive(lifecycle("a", "completed"));
    assert_eq!(session.states(), [""; 0]);
    assert_eq!(session.lines(), ["a"]);
}

/// Returns all states, in order, of each message that the host sent in a
/// recording.
fn states_in(name: &str) -> BTreeMap<String, String> {
    let mut session = Session::recorded(name);
    let mut states = BTreeMap::<String, Vec<String>>::new();
    for state in session.states() {
        let (state, uuid) = state.split_once(' ').unwrap();
        let short = uuid[uuid.len() - 4..].to_owned();
        states.entry(short).or_default().push(state.to_owned());
    }
    states
        .into_iter()
        .map(|(uuid, all)| (uuid, all.join(" ")))
        .collect()
}

#[test]
fn states_of_recorded_priorities_are_reported_by_message() {
    let states = states_in("08_priority_order");
    assert_eq!(states.len(), 7);
    for (uuid, states) in states {
        // The fifth message, with priority now, preempted the first.
        let end = if uuid == "0001" {
            "interrupted"
        } else {
            "completed"
        };
        assert_eq!(
            states,
            format!("handed written queued started {end}"),
            "{uuid}"
        );
    }
}

#[test]
fn recorded_interrupts_and_cancellations_have_different_states() {
    let states = states_in("05_interrupt");
    for (uuid, told) in [
        ("0001", "handed written queued started interrupted"),
        ("0002", "handed written queued started interrupted"),
        ("000a", "handed written queued started completed"),
        ("0003", "handed written queued started interrupted"),
        ("000b", "handed written queued cancelled"),
    ] {
        assert_eq!(states[uuid], told, "{uuid}");
    }
    let states = states_in("09_cancel_async_and_folding");
    for (uuid, told) in [
        ("0001", "handed written queued started completed"),
        ("0002", "handed written queued cancelled"),
        ("0003", "handed written queued started completed"),
        // This message did not query the model.
        ("0009", "handed written queued started completed"),
    ] {
        assert_eq!(states[uuid], told, "{uuid}");
    }
}
