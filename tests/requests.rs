//! Requests of the agent in the client's stream.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::event::{CallbackFailure, RequestKind, RequestSummary};
use agentwire::{Client, Event, Message, Notice, Options, PermissionResult};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use support::{fake, wait_for};

/// A text, a tool that requires a permission, and its result.
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

#[tokio::test]
async fn a_request_comes_behind_the_text_that_led_to_it_and_is_answered_by_its_id() {
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

#[tokio::test]
async fn other_streams_have_no_requests() {
    let mut client = connect(fake(&asks())).await;
    let mut log = client.subscribe();
    client.send("Go");
    let request_id = wait_for(&mut client, |event| match event {
        Event::Request(pending) => Some(pending.request_id.clone()),
        _ => None,
    })
    .await;
    drop(client.respond(&request_id, PermissionResult::deny("No.")));
    loop {
        match log.next().await.unwrap().unwrap() {
            Event::Request(pending) => panic!("{pending:?}"),
            Event::Frame(frame) if frame.kind() == "result" => break,
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_request_that_is_dropped_unread_is_denied_with_a_notice() {
    let options = fake(&asks())
        .backpressure(agentwire::options::Backpressure::DropOldest)
        .unread_limit(1);
    let mut client = connect(options).await;
    let mut log = client.subscribe();
    client.send("Go");
    // The subscription keeps its newest event only; the turn ends all the same.
    client.send("And then?").turn_ended().await.unwrap();
    drop(log.next().await);
    let mut failures = vec![];
    client.close().await;
    while let Some(Ok(event)) = client.next().await {
        if let Event::Notice(Notice::CallbackFailed { asked, failure, .. }) = event {
            failures.push((asked, failure));
        }
    }
    let is_denied = |(asked, failure): &(RequestSummary, CallbackFailure)| {
        matches!(asked, RequestSummary::Permission { tool_name } if tool_name == "Bash")
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
