//! Tests of permission requests.

use crate::agent::session::{Session, input, pending_permissions};
use agentwire_protocol::control::{self, Refusal};
use agentwire_protocol::host::{self, Activity};
use agentwire_protocol::permission::{PermissionMode, PermissionResult};
use agentwire_protocol::{Json, Message};
use agentwire_testkit::agent::{Config, Decision, Event};
use serde_json::{Value, json};

#[test]
fn the_host_may_change_a_tools_input() {
    let mut session = pending_permissions(&["t1"]);
    let id = session.permission_request_id();
    let changed = Json::from(json!({"command": "true"}));
    session.respond(&id, &PermissionResult::allow_with(changed.clone()));
    assert_eq!(session.decision("t1"), Decision::Allowed(changed));
}

#[test]
fn the_host_may_deny_a_tool() {
    let mut session = pending_permissions(&["t1"]);
    let id = session.permission_request_id();
    session.respond(&id, &PermissionResult::deny("not here"));
    assert_eq!(session.decision("t1"), Decision::Denied("not here".into()));
    session.finish_tool("t1", "not here", true);
    session.finish_tools();
    session.say_text("then not");
    session.end_turn();
    session.transfer_all();
    let denials = session.host_events.iter().find_map(|event| match event {
        host::HostEvent::Frame(frame) => match frame.message() {
            Message::Result(result) => result.permission_denials,
            _ => None,
        },
        _ => None,
    });
    let denials = denials.unwrap();
    assert_eq!(denials.len(), 1);
    assert_eq!(
        (&*denials[0].tool_name, &*denials[0].tool_use_id),
        ("Bash", "t1")
    );
    assert_eq!(denials[0].tool_input, input("t1"));
}

#[test]
fn an_invalid_response_denies() {
    for answer in [
        json!({"behavior": "allow", "updatedInput": null}),
        json!({"behavior": "deny"}),
        json!({"behavior": "perhaps"}),
        json!({"allowed": true}),
        json!({}),
        json!("allow"),
        Value::Null,
    ] {
        let mut session = pending_permissions(&["t1"]);
        let id = session.permission_request_id();
        session.respond(&id, &answer);
        let decision = session.decision("t1");
        assert!(matches!(decision, Decision::Denied(_)), "{answer}");
        assert_eq!(session.lines(), ["running"]);
    }
}

#[test]
fn an_error_response_denies() {
    let mut session = pending_permissions(&["t1"]);
    let id = session.permission_request_id();
    let line = control::failure(&id, &Refusal::new("the callback broke"));
    assert!(session.host.respond(&id, line));
    let Decision::Denied(why) = session.decision("t1") else {
        panic!()
    };
    assert!(why.contains("the callback broke"), "{why}");
}

#[test]
fn a_denial_that_interrupts_ends_the_turn() {
    let mut session = pending_permissions(&["t1"]);
    let id = session.permission_request_id();
    session.respond(&id, &PermissionResult::deny_and_interrupt("stop"));
    assert_eq!(
        session.lines_without_events(),
        [
            "running",
            "tool error t1",
            "user text",
            "result error_during_execution aborted_tools [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
    assert_eq!(session.event(), Some(Event::TurnAborted));
}

#[test]
fn a_denial_that_interrupts_cancels_the_other_requests() {
    let mut session = pending_permissions(&["t1", "t2"]);
    let second = session.permission_request_id();
    let first = session
        .host_events
        .iter()
        .find_map(|event| match event {
            host::HostEvent::IncomingRequest(ask) => Some(ask.request_id.clone()),
            _ => None,
        })
        .unwrap();
    session.respond(&first, &PermissionResult::deny_and_interrupt("stop"));
    let said = session.lines_without_events();
    assert!(said.contains(&"cancel".to_owned()), "{said:?}");
    assert_eq!(said.last().unwrap(), "idle");
    assert!(!session.respond(&second, &PermissionResult::allow()));
    assert_eq!(session.host.activity(), Activity::Idle);

    // A late response has no effect.
    session.agent.handle_input(
        session.now,
        &control::success(&second, Some(&PermissionResult::allow())).unwrap(),
    );
    assert_eq!(session.lines(), Vec::<String>::new());
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.event(), None);
}

#[test]
fn permission_requests_are_answered_in_any_order() {
    let mut session = pending_permissions(&["t1", "t2"]);
    let second = session.permission_request_id();
    session.host_events.pop_back();
    session.respond(&second, &PermissionResult::allow());
    assert_eq!(session.decision("t2"), Decision::Allowed(input("t2")));
    let first: Vec<Box<str>> = session
        .host_events
        .iter()
        .filter_map(|event| match event {
            host::HostEvent::IncomingRequest(ask) if session.host.is_open(&ask.request_id) => {
                Some(ask.request_id.clone())
            }
            _ => None,
        })
        .collect();
    assert_eq!(first.len(), 1);
    session.respond(&first[0], &PermissionResult::allow());
    assert_eq!(session.decision("t1"), Decision::Allowed(input("t1")));
}

#[test]
fn some_modes_send_no_permission_requests() {
    for (mode, asks_host, allowed) in [
        (PermissionMode::BypassPermissions, true, true),
        (PermissionMode::BypassPermissions, false, true),
        (PermissionMode::DontAsk, true, false),
        (PermissionMode::Default, false, false),
    ] {
        let config = Config {
            permission_mode: mode,
            asks_host,
            ..Config::default()
        };
        let mut session = Session::connected(config, &[64]);
        session.submit("m1");
        session.assert_turn_starts(&["m1"]);
        session.call_tools(&["t1"]);
        let decision = session.decision("t1");
        assert_eq!(matches!(decision, Decision::Allowed(_)), allowed);
        assert!(!session.lines().contains(&"ask t1".to_owned()));
        let told = session.messages("system", Some("permission_denied"));
        assert_eq!(told.len(), usize::from(!allowed));
    }
}
