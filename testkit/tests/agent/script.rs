//! Requests that a script has the agent make.

use crate::agent::session::Session;
use agentwire_protocol::control::{self, AgentRequest, Initialize, Interrupt, Refusal};
use agentwire_testkit::agent::Event;
use serde_json::json;

fn asking() -> Session {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.said();
    let ask = json!({"subtype": "elicitation", "mcp_server_name": "calc", "message": "Name?"});
    session.agent.ask_host(ask.into());
    assert_eq!(session.said(), ["elicitation"]);
    session
}

#[test]
fn the_host_answers_or_refuses() {
    let mut session = asking();
    let id = session.ask_id();
    session.respond(&id, &json!({"action": "decline"}));
    let Some(Event::HostAnswered { answer }) = session.event() else {
        panic!("no answer")
    };
    assert_eq!(answer.unwrap().get(), r#"{"action":"decline"}"#);

    let mut session = asking();
    let id = session.ask_id();
    session
        .host
        .respond(&id, control::failure(&id, &Refusal::new("nobody here")));
    let answer = Err("nobody here".to_owned());
    assert_eq!(session.event(), Some(Event::HostAnswered { answer }));
}

#[test]
fn an_interrupt_takes_it_back() {
    let mut session = asking();
    session.request("stop", &Interrupt::default());
    assert_eq!(session.said()[..2], ["cancel", "success stop"]);
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.event(), None);
}

#[test]
fn what_is_open_comes_with_a_second_initialize() {
    let mut session = asking();
    let dialog = json!({"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {}});
    session.agent.ask_host(dialog.into());
    session.pump();
    session.request("again", &Initialize::default());
    let answer = session.outcome("again").unwrap();
    let pending: Vec<_> = answer.pending_requests().map(Result::unwrap).collect();
    let [dialog, elicitation] = &pending[..] else {
        panic!("{pending:?}");
    };
    assert!(matches!(dialog.request, AgentRequest::RequestUserDialog(_)));
    assert!(matches!(elicitation.request, AgentRequest::Elicitation(_)));
}

#[test]
fn a_host_that_is_gone_answers_nothing() {
    let mut session = asking();
    session.host.end();
    let is_refused = |event| matches!(event, Some(Event::HostAnswered { answer: Err(_) }));
    assert!(is_refused(session.event()));
    session
        .agent
        .ask_host(json!({"subtype": "elicitation"}).into());
    assert!(is_refused(session.event()));
    assert_eq!(session.said(), Vec::<String>::new());
}
