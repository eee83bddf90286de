//! Tests of requests of the agent in the client's stream.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::event::{CallbackFailure, RequestKind, RequestSummary, SessionStatus};
use agentwire::protocol::permission::CanUseTool;
use agentwire::{
    Activity, Client, Error, Event, Later, Message, Notice, Options, PermissionResult, TurnEvent,
    TurnOutcome,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use support::{fake, ready, wait_for};

/// Returns a reply with a text and a tool that requires a permission, and the final
/// reply.
fn asks() -> Scenario {
    Scenario::default()
        .reply([
            Step::text("Let me look."),
            Step::tool("Bash", json!({"command": "make"}), "made"),
        ])
        .reply([Step::text("Done.")])
}

async fn connect(options: Options) -> Client {
    Client::connect(options.requests_in_stream(true))
        .await
        .unwrap()
}

/// Connects a session with requests in its streams. The test plays its agent.
async fn peer(options: Options) -> (Client, support::peer::Peer) {
    support::peer::connect(options.requests_in_stream(true)).await
}

fn bash() -> Value {
    json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t1"})
}

#[tokio::test]
async fn a_request_follows_its_text_and_is_answered_by_its_id() {
    let mut client = connect(fake(&asks())).await;
    client.send("Go");
    let mut seen = vec![];
    while let Some(event) = client.next().await {
        match event.unwrap() {
            Event::Request(pending) => {
                let RequestKind::Permission(request) = &pending.request else {
                    panic!("{pending:?}")
                };
                seen.push(format!("request {}", request.tool_name));
                let answered = client.respond(&pending.request_id, PermissionResult::allow());
                answered.await.unwrap();
            }
            Event::Frame(frame) => match frame.message() {
                Message::Assistant(said) => {
                    let texts = said.message.content.iter().filter_map(|it| it.as_text());
                    seen.extend(texts.map(str::to_owned));
                }
                Message::Result(result) => {
                    assert_eq!(result.permission_denials.unwrap_or_default(), []);
                    break;
                }
                _ => {}
            },
            _ => {}
        }
    }
    assert_eq!(seen, ["Let me look.", "request Bash", "Done."]);
    client.close().await;
}

/// Returns the ID of the next request in a stream.
async fn request_in(mut next: impl AsyncFnMut() -> Option<Result<Event, Error>>) -> Box<str> {
    loop {
        if let Event::Request(pending) = next().await.unwrap().unwrap() {
            return pending.request_id;
        }
    }
}

/// Returns whether a request in the stream is answered before the stream ends.
async fn is_answered_in(mut next: impl AsyncFnMut() -> Option<Result<Event, Error>>) -> bool {
    while let Some(event) = next().await {
        if matches!(event.unwrap(), Event::RequestAnswered { .. }) {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn every_stream_has_a_request_and_the_first_response_counts() {
    let mut client = connect(fake(&asks())).await;
    let mut log = client.subscribe();
    let submission = client.send("Go");
    let mut turn = submission.turn();
    let id = request_in(async || turn.next().await).await;
    assert_eq!(request_in(async || log.next().await).await, id);
    assert_eq!(request_in(async || client.next().await).await, id);
    let pending = client.pending_requests();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].request_id, id);
    client
        .respond(&id, PermissionResult::allow())
        .await
        .unwrap();
    let second = client.respond(&id, PermissionResult::deny("No.")).await;
    assert!(matches!(second, Err(Error::NoPendingRequest { .. })));
    assert_eq!(client.pending_requests(), []);
    assert!(is_answered_in(async || turn.next().await).await);
    assert!(is_answered_in(async || log.next().await).await);
    assert!(is_answered_in(async || client.next().await).await);
    assert_eq!(
        turn.turn_ended().await.unwrap().outcome,
        TurnOutcome::Completed
    );
}

#[tokio::test]
async fn late_streams_start_with_the_pending_requests() {
    let (mut client, mut agent) = peer(Options::new()).await;
    for id in ["r1", "r2"] {
        agent.asks(id, &bash()).await;
        assert_eq!(&*request_in(async || client.next().await).await, id);
    }
    client
        .respond("r1", PermissionResult::allow())
        .await
        .unwrap();
    let mut late = client.subscribe();
    assert_eq!(&*request_in(async || late.next().await).await, "r2");
    client.abort().await;
}

#[tokio::test]
async fn a_request_that_all_streams_skip_is_denied() {
    for reads_text in [true, false] {
        let client = connect(fake(&asks())).await;
        let mut submission = client.send("Go");
        let turn = submission.turn();
        if reads_text {
            let mut texts = turn.texts();
            while let Some(text) = texts.next().await {
                text.unwrap();
            }
        } else {
            drop(turn);
            let mut messages = client.subscribe().messages();
            while !matches!(messages.next().await.unwrap().unwrap(), Message::Result(_)) {}
        }
        let result = submission.result().await.unwrap();
        let denied = result.permission_denials.unwrap_or_default();
        assert_eq!(denied.len(), 1, "reads text: {reads_text}");
    }
    let options = fake(&asks()).requests_in_stream(true);
    let result = agentwire::prompt("Go", options).await.unwrap();
    assert_eq!(result.permission_denials.unwrap_or_default().len(), 1);
}

#[tokio::test]
async fn a_policy_goes_before_the_stream_and_a_panic_of_it_denies() {
    let policy = |request: &CanUseTool| match &*request.tool_name {
        "Read" => Some(PermissionResult::allow()),
        "Write" => panic!("What is this?"),
        _ => None,
    };
    let (mut client, mut agent) = peer(Options::new().permission_policy(policy)).await;
    for (id, tool) in [("r1", "Read"), ("r2", "Write"), ("r3", "Bash")] {
        let request = json!({"subtype": "can_use_tool", "tool_name": tool, "input": {}});
        agent.asks(id, &request).await;
    }
    let (id, answer) = agent.is_answered().await;
    assert_eq!((&*id, &answer["behavior"]), ("r2", &json!("deny")));
    let (id, answer) = agent.is_answered().await;
    assert_eq!((&*id, &answer["behavior"]), ("r1", &json!("allow")));
    let (request, failure) = support::callback_failure(&mut client).await;
    assert!(matches!(request, RequestSummary::Permission { tool_name } if tool_name == "Write"));
    assert_eq!(failure, CallbackFailure::Panicked("What is this?".into()));
    assert_eq!(&*request_in(async || client.next().await).await, "r3");
    client.abort().await;
}

#[tokio::test]
async fn the_status_lists_requests_that_callbacks_have() {
    let options = Options::new().on_permission(|_| async { Later });
    let (mut client, mut agent) = support::peer::connect(options).await;
    let mut status = client.status();
    agent.asks("r1", &bash()).await;
    let has_one = |it: &SessionStatus| it.pending_requests.len() == 1;
    let pending = status
        .wait_for(has_one)
        .await
        .unwrap()
        .pending_requests
        .clone();
    assert_eq!(pending, client.pending_requests());
    assert!(matches!(&pending[0].request, RequestKind::Permission(it) if it.tool_name == "Bash"));
    agent.cancels("r1").await;
    status
        .wait_for(|it| it.pending_requests.is_empty())
        .await
        .unwrap();
    client.abort().await;
    status.wait_for(|it| it.is_closed).await.unwrap();
    assert!(client.is_closed());
}

#[tokio::test]
async fn the_status_has_the_id_before_the_first_turn_and_follows_the_turn() {
    let id = "0f9e4b7c-0000-4000-8000-000000000001";
    let scenario = Scenario::default().reply([Step::text("Hello.")]);
    let client = Client::connect(fake(&scenario).session_id(id))
        .await
        .unwrap();
    assert_eq!(client.session_id().as_deref(), Some(id));
    assert_eq!(
        (client.activity(), client.is_closed()),
        (Activity::Idle, false)
    );
    let mut log = client.subscribe();
    let mut status = client.status();
    let mut submission = client.send("Hi");
    status
        .wait_for(|it| it.activity == Activity::Running)
        .await
        .unwrap();
    submission.turn_ended().await.unwrap();
    // All events of the turn are already in the stream, so these calls do not wait.
    let is_end = |event: &Event| matches!(event, Event::Turn(TurnEvent::Ended(_)));
    while !is_end(&ready(log.next()).unwrap().unwrap()) {}
    status
        .wait_for(|it| it.activity == Activity::Idle)
        .await
        .unwrap();
    assert_eq!(client.session_id().as_deref(), Some(id));
}

#[tokio::test]
async fn a_request_that_is_dropped_unread_is_denied_with_a_notice() {
    let options = fake(&asks())
        .backpressure(agentwire::options::Backpressure::DropOldest)
        .unread_limit(1);
    let mut client = connect(options).await;
    let mut log = client.subscribe();
    client.send("Go");
    // The subscription keeps only its newest event. The turn ends anyway.
    client.send("And then?").turn_ended().await.unwrap();
    drop(log.next().await);
    let mut failures = vec![];
    client.close().await;
    while let Some(Ok(event)) = client.next().await {
        if let Event::Notice(Notice::CallbackFailed {
            request, failure, ..
        }) = event
        {
            failures.push((request, failure));
        }
    }
    let is_denied = |(request, failure): &(RequestSummary, CallbackFailure)| {
        matches!(request, RequestSummary::Permission { tool_name } if tool_name == "Bash")
            && *failure == CallbackFailure::Unread
    };
    // The notice itself may have been dropped for later events.
    assert!(failures.iter().all(is_denied), "{failures:?}");
}

#[tokio::test]
async fn a_callback_goes_before_the_stream() {
    let options = fake(&asks()).on_permission(|_| async { PermissionResult::allow() });
    let mut client = connect(options).await;
    client.send("Go");
    while let Some(event) = client.next().await {
        match event.unwrap() {
            Event::Request(pending) => panic!("{pending:?}"),
            Event::Frame(frame) if frame.kind() == "result" => break,
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_request_that_the_agent_withdraws_is_reported() {
    let (mut client, mut agent) =
        support::peer::connect(Options::new().requests_in_stream(true)).await;
    agent
        .says(r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t1"}}"#)
        .await;
    agent
        .says(r#"{"type":"control_cancel_request","request_id":"r1"}"#)
        .await;
    let withdrawn = wait_for(&mut client, |event| match event {
        Event::RequestWithdrawn { request_id } => Some(request_id.clone()),
        _ => None,
    });
    assert_eq!(&*withdrawn.await, "r1");
    let answer = client.respond("r1", PermissionResult::allow()).await;
    assert!(matches!(
        answer,
        Err(agentwire::Error::NoPendingRequest { .. })
    ));
    drop(agent);
    client.abort().await;
}
