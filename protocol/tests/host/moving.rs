//! Tests of a session that continues in another process of the agent.

use crate::host::session::{Session, ask, lifecycle, result_of, state, success};
use agentwire_protocol::control::{
    Initialize, Interrupt, McpStatus, SetCwd, SetModel, SetPermissionMode,
};
use agentwire_protocol::host::{Handover, Redelivery, TurnRecovery};
use agentwire_protocol::permission::PermissionMode;
use serde_json::json;
use std::time::Duration;

/// Returns a session that can restart, with an agent that reports message IDs.
fn restartable() -> Session {
    let mut session = Session::connected_to(json!({"capabilities": []}));
    session.host.retain_for_restart();
    session
}

/// Returns a session whose turn has picked up the first message. The second
/// message waits in the agent's queue.
fn in_a_turn() -> Session {
    let mut session = restartable();
    session.submit("first");
    session.submit("second");
    session.lines();
    session.receive_script("queued first, started first, queued second");
    session.events();
    session
}

/// Sends `initialize` to the next process, which responds.
fn initialize(session: &mut Session) {
    session.request("again", &Initialize::default());
    assert_eq!(session.lines(), ["initialize"]);
    session.receive(success("again", json!({"capabilities": []})));
}

fn redeliveries(handover: &Handover) -> Vec<(&str, Redelivery)> {
    handover
        .messages
        .iter()
        .map(|(uuid, redelivery)| (&**uuid, *redelivery))
        .collect()
}

#[test]
fn messages_not_picked_up_are_sent_again_before_queued_ones() {
    let mut session = restartable();
    session.submit("left");
    session.lines();
    session.host.handle_write_failed();
    session.submit("waits");
    session.events();
    let handover = session.host.begin_restart(TurnRecovery::Resume);
    assert_eq!(redeliveries(&handover), [("left", Redelivery::Resent)]);
    initialize(&mut session);
    assert_eq!(session.lines(), [""; 0], "it is not told everything yet");
    session.host.finish_restart();
    assert_eq!(session.lines(), ["left", "waits"]);
    assert_eq!(session.states(), ["handed waits", "written waits"]);
}

#[test]
fn a_turn_continues_if_the_next_process_resumes_it_or_starts_again() {
    for shows in [true, false] {
        let mut session = in_a_turn();
        let handover = session.host.begin_restart(TurnRecovery::Resume);
        assert_eq!(
            redeliveries(&handover),
            [
                ("first", Redelivery::Resumed),
                ("second", Redelivery::Resent)
            ]
        );
        assert_eq!((handover.turn, handover.resumes), (Some(1), true));
        if shows {
            session.receive_script("running, started first");
        }
        initialize(&mut session);
        session.host.finish_restart();
        let again: &[&str] = if shows {
            &["second"]
        } else {
            &["first", "second"]
        };
        assert_eq!(session.lines(), again);
        session.events();
        session.receive_script("init, result first");
        assert_eq!(session.turns(), ["turn 1 completed: first"]);
    }
}

#[test]
fn a_resumed_turn_that_ends_before_initialize_is_not_started_again() {
    let mut session = in_a_turn();
    session.host.begin_restart(TurnRecovery::Resume);
    session.receive_script("started first, result first");
    initialize(&mut session);
    session.host.finish_restart();
    assert_eq!(session.lines(), ["second"]);
}

#[test]
fn a_turn_that_is_not_resumed_ends_as_cut_off_and_is_not_sent_again() {
    let mut session = in_a_turn();
    let handover = session.host.begin_restart(TurnRecovery::CutOff);
    assert_eq!(
        redeliveries(&handover),
        [
            ("first", Redelivery::CutOff),
            ("second", Redelivery::Resent)
        ]
    );
    let events: Vec<_> = std::iter::from_fn(|| session.host.poll_event())
        .map(|event| crate::host::session::brief(&event))
        .collect();
    assert_eq!(events, ["cut off first", "turn 1 cut off: first"]);
    initialize(&mut session);
    session.host.finish_restart();
    assert_eq!(session.lines(), ["second"]);
}

#[test]
fn an_interrupted_turn_is_not_resumed() {
    let mut session = in_a_turn();
    session.request("stop", &Interrupt::and_cancel_queued());
    session.lines();
    session.events();
    let handover = session.host.begin_restart(TurnRecovery::Resume);
    assert_eq!(
        redeliveries(&handover),
        [
            ("first", Redelivery::Interrupted),
            ("second", Redelivery::Cancelled)
        ]
    );
    initialize(&mut session);
    session.host.finish_restart();
    assert_eq!(session.lines(), [""; 0]);
}

#[test]
fn without_pick_up_reports_messages_are_not_sent_again() {
    let mut session = Session::connected_to(json!({}));
    session.host.retain_for_restart();
    session.submit("left");
    session.lines();
    session.submit("waits");
    let handover = session.host.begin_restart(TurnRecovery::Resume);
    assert_eq!(redeliveries(&handover), [("left", Redelivery::Unknown)]);
    session.events();
    session.request("again", &Initialize::default());
    session.lines();
    session.receive(success("again", json!({})));
    session.host.finish_restart();
    assert_eq!(session.lines(), ["waits"]);
}

#[test]
fn a_resent_message_that_the_agent_knew_ends_with_the_resumed_turn_or_at_once() {
    let mut session = in_a_turn();
    session.host.begin_restart(TurnRecovery::Resume);
    session.receive_script("running, started first");
    initialize(&mut session);
    session.host.finish_restart();
    session.lines();
    session.events();
    session.receive(lifecycle("second", "completed"));
    assert_eq!(session.states(), [""; 0], "it may be part of that turn");
    session.receive(result_of(&["first"]));
    assert_eq!(session.states(), ["completed first", "completed second"]);

    let mut session = restartable();
    session.submit("m");
    session.lines();
    session.host.begin_restart(TurnRecovery::CutOff);
    initialize(&mut session);
    session.host.finish_restart();
    session.lines();
    session.events();
    session.receive(lifecycle("m", "completed"));
    assert_eq!(session.states(), ["cut off m"], "its turn was not seen");
}

#[test]
fn read_only_requests_are_repeated_and_others_fail() {
    let mut session = restartable();
    session.request("reads", &McpStatus::default());
    session.request("sets", &SetModel::to("m"));
    session.receive(ask("asked"));
    session.lines();
    session.events();
    let handover = session.host.begin_restart(TurnRecovery::Resume);
    assert_eq!(handover.incoming_requests, ["asked".into()]);
    initialize(&mut session);
    session.host.finish_restart();
    assert_eq!(session.lines(), ["mcp_status"]);
}

#[test]
fn settings_are_restored_before_everything_else() {
    let mut session = restartable();
    session.request("1", &SetModel::to("m"));
    session.request("2", &SetPermissionMode::to(PermissionMode::Plan));
    session.lines();
    session.receive_all(&[success("1", json!({})), success("2", json!({}))]);
    session.submit("m");
    session.host.begin_restart(TurnRecovery::Resume);
    assert_eq!(
        session.host.setting("set_model", "model").as_deref(),
        Some("m")
    );
    initialize(&mut session);
    for request in session.host.settings("again") {
        session
            .host
            .request(session.now, request, Duration::from_secs(60))
            .unwrap();
    }
    assert_eq!(session.lines(), ["set_model", "set_permission_mode"]);
    session.host.finish_restart();
    assert_eq!(session.lines(), ["m"]);
}

#[test]
fn a_rejected_directory_does_not_replace_the_last_one() {
    let mut session = restartable();
    for (id, path, status) in [
        ("1", "/a", "ok"),
        ("2", "/b", "needs_trust"),
        ("3", "/c", "rejected"),
    ] {
        session.request(id, &SetCwd::to(path));
        session.lines();
        session.receive(success(id, json!({"status": status})));
    }
    session.host.begin_restart(TurnRecovery::Resume);
    assert_eq!(
        session.host.setting("set_cwd", "path").as_deref(),
        Some("/a")
    );
}

#[test]
fn a_silent_agent_is_probed_and_counts_as_hung_without_a_response() {
    let second = Duration::from_secs(1);
    let mut session = restartable();
    session.host.set_watchdog(Some(second));
    session.advance(second * 10);
    assert_eq!(session.lines(), [""; 0], "it owes nothing");
    session.submit("m");
    session.lines();
    session.events();
    session.advance(second * 2);
    assert_eq!(session.lines(), ["mcp_status"]);
    session.advance(second * 2);
    let hung = std::iter::from_fn(|| session.host.poll_event());
    let is_hung = |event: &agentwire_protocol::host::HostEvent| {
        matches!(event, agentwire_protocol::host::HostEvent::Hung)
    };
    assert_eq!(hung.filter(is_hung).count(), 1);

    let mut session = restartable();
    session.host.set_watchdog(Some(second));
    session.submit("m");
    session.lines();
    session.advance(second * 2);
    session.lines();
    session.receive(state("running"));
    session.events();
    session.advance(second / 2);
    assert_eq!(session.events(), [""; 0], "it has said something");
}
