//! Tests of requests of the agent from a script.

use crate::agent::session::Session;
use agentwire_protocol::control::{self, AgentRequest, Initialize, Interrupt, Refusal};
use agentwire_testkit::agent::Event;
use serde_json::json;

fn pending_permissions() -> Session {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.lines();
    let ask = json!({"subtype": "elicitation", "mcp_server_name": "calc", "message": "Name?"});
    session.agent.ask_host(ask.into());
    assert_eq!(session.lines(), ["elicitation"]);
    session
}

#[test]
fn the_response_arrives_as_an_event() {
    let mut session = pending_permissions();
    let id = session.permission_request_id();
    session.respond(&id, &json!({"action": "decline"}));
    let Some(Event::HostAnswered { answer }) = session.event() else {
        panic!("no answer")
    };
    assert_eq!(answer.unwrap().get(), r#"{"action":"decline"}"#);

    let mut session = pending_permissions();
    let id = session.permission_request_id();
    session
        .host
        .respond(&id, control::failure(&id, &Refusal::new("nobody here")));
    let answer = Err("nobody here".to_owned());
    assert_eq!(session.event(), Some(Event::HostAnswered { answer }));
}

#[test]
fn an_interrupt_cancels_scripted_requests() {
    let mut session = pending_permissions();
    session.request("stop", &Interrupt::default());
    assert_eq!(session.lines()[..2], ["cancel", "success stop"]);
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.event(), None);
}

#[test]
fn a_second_initialize_lists_pending_requests() {
    let mut session = pending_permissions();
    let dialog = json!({"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {}});
    session.agent.ask_host(dialog.into());
    session.transfer_all();
    session.request("again", &Initialize::default());
    let answer = session.response("again").unwrap();
    let pending: Vec<_> = answer.pending_requests().map(Result::unwrap).collect();
    let [dialog, elicitation] = &pending[..] else {
        panic!("{pending:?}");
    };
    assert!(matches!(dialog.request, AgentRequest::RequestUserDialog(_)));
    assert!(matches!(elicitation.request, AgentRequest::Elicitation(_)));
}

#[test]
fn the_end_of_the_input_ends_scripted_requests() {
    let mut session = pending_permissions();
    session.host.end();
    let is_refused = |event| matches!(event, Some(Event::HostAnswered { answer: Err(_) }));
    assert!(is_refused(session.event()));
    session
        .agent
        .ask_host(json!({"subtype": "elicitation"}).into());
    assert!(is_refused(session.event()));
    assert_eq!(session.lines(), Vec::<String>::new());
}
