//! Tests of the start, the messages and the outcome of turns.

use crate::host::session::{Session, assert_events, assistant, init, result, success};
use agentwire_protocol::control::Interrupt;
use agentwire_protocol::host::{HostEvent, SubmissionState, TurnEvent, TurnOutcome};
use serde_json::{Value, json};

#[test]
fn a_turn_starts_before_its_first_frame_and_ends_after_its_last() {
    let mut session = Session::connected();
    session.submit("a");
    session.lines();
    session.events();
    session.receive_script("running, queued a, started a, init, result a, completed a, idle");
    let all = std::iter::from_fn(|| session.host.poll_event());
    let order: Vec<String> = all
        .filter(|event| matches!(event, HostEvent::Frame(_) | HostEvent::Turn(_)))
        .map(|event| crate::host::session::brief(&event))
        .collect();
    assert_events(
        order,
        "frame system/session_state_changed; frame command_lifecycle; turn 1; \
        turn 1 answers a; frame command_lifecycle; frame system/init; frame result/success; \
        turn 1 completed: a; frame command_lifecycle; frame system/session_state_changed",
    );
}

#[test]
fn a_message_picked_up_within_a_turn_belongs_to_that_turn() {
    let mut session = Session::connected();
    session.submit("a");
    session.submit("b");
    session.lines();
    session.receive_script("started a, init, queued b, started b, completed b, result a b");
    assert_events(
        session.turns(),
        "turn 1; turn 1 answers a; turn 1 answers b; turn 1 completed: a b",
    );
}

#[test]
fn a_turn_started_by_the_agent_has_no_messages() {
    let mut session = Session::connected();
    session.submit("a");
    session.lines();
    session.receive_script("init, result, init, assistant, result");
    assert_events(
        session.turns(),
        "turn 1; turn 1 answers a; turn 1 completed: a; turn 2; turn 2 completed",
    );
}

#[test]
fn a_message_of_a_sub_agent_starts_no_turn() {
    let mut session = Session::connected();
    let mut said = assistant();
    said["parent_tool_use_id"] = json!("toolu_1");
    session.receive(said);
    assert_eq!(session.turns(), [""; 0]);
    let mut said = assistant();
    said["parent_tool_use_id"] = json!(null);
    session.receive(said);
    assert_eq!(session.turns(), ["turn 1"]);
}

#[test]
fn an_invalid_init_starts_a_turn_but_other_invalid_frames_do_not() {
    let mut session = Session::connected();
    session.receive(json!({"type": "system", "subtype": "session_state_changed"}));
    session.receive(json!({"type": "system", "subtype": "status", "user_message_uuids": 7}));
    assert_eq!(session.turns(), [""; 0]);
    session.receive(json!({"type": "system", "subtype": "init", "capabilities": 7}));
    assert_eq!(session.turns(), ["turn 1"]);
}

#[test]
fn a_turn_ends_when_the_agent_is_idle_or_the_session_ends() {
    let mut session = Session::connected();
    session.receive_script("init, idle, init");
    session.host.handle_end();
    session.host.handle_end();
    assert_events(
        session.turns(),
        "turn 1; turn 1 ended without a result; turn 2; turn 2 lost",
    );
}

/// Returns the outcome of a turn whose result has these members.
fn outcome(members: Value, interrupted: bool) -> String {
    let mut session = Session::connected();
    session.receive(init());
    if interrupted {
        session.request("stop", &Interrupt::default());
        session.lines();
        session.receive(success("stop", json!({})));
    }
    let mut result = result();
    for (name, value) in members.as_object().unwrap() {
        result[name] = value.clone();
    }
    session.receive(result);
    session.turns().pop().unwrap()
}

#[test]
fn the_outcome_of_a_turn_follows_from_its_result() {
    for (members, end) in [
        (json!({}), "completed"),
        (json!({"terminal_reason": "completed"}), "completed"),
        (
            json!({"is_error": true, "subtype": "error_max_turns"}),
            "failed",
        ),
        (
            json!({"is_error": true, "terminal_reason": "api_error"}),
            "ended by an API error",
        ),
        (
            json!({"is_error": true, "terminal_reason": "aborted_tools"}),
            "interrupted",
        ),
        (json!({"terminal_reason": "aborted_streaming"}), "preempted"),
        // The result does not report whether it is an error.
        (
            json!({"is_error": null, "subtype": "error_max_turns"}),
            "failed",
        ),
        (json!({"is_error": "no"}), "completed"),
        (json!({"is_error": true, "subtype": 7}), "failed"),
        (
            json!({"is_error": true, "subtype": "error_during_execution", "api_error_status": 413}),
            "ended by an API error",
        ),
    ] {
        assert_eq!(outcome(members, false), format!("turn 1 {end}"));
    }
    // An agent that reports no reason has accepted the interrupt.
    let error = json!({"is_error": true, "subtype": "error_during_execution"});
    assert_eq!(outcome(error, true), "turn 1 interrupted");
}

#[test]
fn a_failed_turn_is_reported_despite_other_invalid_members_of_its_result() {
    let whole = json!({
        "num_turns": 1, "duration_ms": 1, "duration_api_ms": 1, "ttft_ms": 1, "result": "x",
        "total_cost_usd": 0.1, "usage": {"input_tokens": 1}, "modelUsage": {}, "errors": [],
        "permission_denials": [], "stop_reason": "x", "structured_output": {}, "uuid": "x",
        "session_id": "x", "terminal_reason": "x", "fast_mode_state": "off", "origin": {},
        "user_message_uuid": "x", "user_message_uuids": [], "api_error_status": null,
    });
    for name in whole.as_object().unwrap().keys() {
        for odd in [
            json!(1.5),
            json!("5"),
            json!([]),
            json!({"input_tokens": 1.5}),
            json!([[7]]),
        ] {
            let mut members = whole.clone();
            members[name] = odd;
            members["is_error"] = json!(true);
            members["subtype"] = json!("error_during_execution");
            let end = outcome(members, false);
            let ends = ["turn 1 failed", "turn 1 ended by an API error"];
            assert!(ends.contains(&&*end), "{name}: {end}");
        }
    }
}

#[test]
fn the_state_of_a_message_follows_from_the_outcome_of_its_turn() {
    use {SubmissionState as Message, TurnOutcome as Turn};
    for (turn, message) in [
        (Turn::Completed, Message::Completed),
        (Turn::Failed, Message::Completed),
        (Turn::ApiError, Message::Completed),
        (Turn::NoResult, Message::Completed),
        (Turn::Interrupted, Message::Interrupted),
        (Turn::Preempted, Message::Interrupted),
        (Turn::Lost, Message::Lost),
    ] {
        assert_eq!(Message::from(turn), message);
    }
}

#[test]
fn the_end_of_a_turn_has_its_result() {
    let mut session = Session::connected();
    session.receive_script("init, result a");
    let end = std::iter::from_fn(|| session.host.poll_event()).find_map(|event| match event {
        HostEvent::Turn(TurnEvent::Ended(end)) => Some(end),
        _ => None,
    });
    let result = end.unwrap().result().unwrap();
    assert!(!result.is_error);
    assert_eq!(result.user_message_uuids, Some(vec!["a".to_owned()]));
}

/// Returns the turn events of a recorded session.
fn turns_in(name: &str) -> Vec<String> {
    let mut session = Session::recorded(name);
    let mut turns = session.turns();
    turns.retain(|turn| turn.split(' ').count() > 2 && !turn.contains("answers"));
    for turn in &mut turns {
        *turn = turn.replace(" 22222222-0000-4000-8000-00000000", " ");
        *turn = turn.replace(" 44444444-0000-4000-8000-00000000", " ");
    }
    turns
}

#[test]
fn turns_of_recordings_are_reported() {
    assert_events(
        turns_in("08_priority_order"),
        "turn 1 preempted: 0001; turn 2 completed: 0005; turn 3 completed: 0003 0004 0007; \
        turn 4 completed: 0002 0006",
    );
    assert_events(
        turns_in("05_interrupt"),
        "turn 1 interrupted: 0001; turn 2 completed; turn 3 interrupted; turn 4 interrupted; \
        turn 5 interrupted; turn 6 interrupted: 0002; turn 7 completed: 000a; \
        turn 8 interrupted: 0003; turn 9 completed",
    );
    // Four prompts, one of which has no answer of its own; a turn that a
    // background task started; and the turns of the sub-agent.
    assert_eq!(turns_in("10_background_stop_task").len(), 7);
}

#[test]
fn a_result_in_a_malformed_line_ends_the_turn_of_an_agent_without_states() {
    let ends = |line: &str| {
        let mut session = Session::connected();
        session.submit("a");
        session.lines();
        session.receive_script("init, assistant");
        let now = session.now;
        session
            .host
            .handle_input(now, format!("{line}\n").as_bytes());
        let turns = session.turns();
        turns
            .iter()
            .any(|it| it.starts_with("turn 1 ended without a result"))
    };
    let result = result();
    assert!(ends(&format!("warning: something {result}")));
    assert!(ends(&format!("{}{result}", assistant())));
    assert!(ends(r#"{"type" : "result", "#));
    // A text that contains a result does not end the turn.
    assert!(!ends(&format!(
        "warning: {}",
        json!({ "text": result.to_string() })
    )));
    assert!(!ends(r#"warning: {"type":"tool_result"}"#));
}
