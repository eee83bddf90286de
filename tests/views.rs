//! Tests of streams of messages and of text, and of the result of a prompt.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::protocol::message::ResultSubtype;
use agentwire::{Client, Error, Event, Message, Options, TurnOutcome, prompt, query};
use agentwire_testkit::{Scenario, Step};
use futures_core::Stream;
use serde_json::json;
use std::pin::Pin;
use std::task::{Context, Waker};
use support::fake;

fn two() -> Scenario {
    Scenario::default()
        .reply([Step::text("One."), Step::tool("Bash", json!({}), "1")])
        .reply([Step::text("One and a half.")])
        .reply([Step::text("Two.")])
}

fn refused() -> Scenario {
    Scenario::default()
        .reply([Step::error(400, "invalid_request_error", "no such thing")])
        .reply([Step::text("Better.")])
}

fn kind(message: &Message) -> String {
    message.tag().unwrap()
}

#[tokio::test]
async fn a_query_can_be_read_as_messages_with_their_frames() {
    let mut messages = query("Go", fake(&two())).await.unwrap().messages();
    let mut kinds = vec![];
    while let Some(message) = messages.next().await {
        let message = message.unwrap();
        let frame = messages.frame().unwrap();
        assert_eq!(frame.message(), message);
        kinds.push(kind(&message));
    }
    assert_eq!(kinds.iter().filter(|it| *it == "assistant").count(), 3);
    assert_eq!(kinds.iter().filter(|it| *it == "result").count(), 1);
    assert!(messages.frame().is_some());
}

#[tokio::test]
async fn after_a_stream_of_messages_the_client_can_read_events() {
    let mut client = Client::connect(fake(&two())).await.unwrap();
    client.send("One");
    let mut messages = client.messages();
    while !matches!(messages.next().await.unwrap().unwrap(), Message::Result(_)) {}
    client.send("Two");
    while let Some(event) = client.next().await {
        if let Event::Frame(frame) = event.unwrap()
            && let Message::Result(_) = frame.message()
        {
            break;
        }
    }
    client.close().await;
}

#[tokio::test]
async fn a_turn_is_read_as_messages_or_as_text() {
    let client = Client::connect(fake(&two())).await.unwrap();
    let mut messages = client.send("One").turn().messages();
    let mut results = 0;
    while let Some(message) = messages.next().await {
        results += usize::from(matches!(message.unwrap(), Message::Result(_)));
    }
    assert_eq!(results, 1);
    let mut texts = client.send("Two").turn().texts();
    let mut all = String::new();
    while let Some(text) = texts.next().await {
        all += &text.unwrap();
    }
    assert_eq!(all, "Two.");
}

#[tokio::test]
async fn a_failed_turn_is_an_error_in_the_text_stream_which_continues() {
    let client = Client::connect(fake(&refused())).await.unwrap();
    let mut texts = client.texts();
    client.send("Go");
    let Err(Error::FailedTurn(failed)) = texts.next().await.unwrap() else {
        panic!("the turn has failed")
    };
    assert!(!failed.result.is_retryable());
    client.send("And now?");
    assert_eq!(texts.next().await.unwrap().unwrap(), "Better.");
}

#[tokio::test]
async fn an_interrupt_is_no_error_in_the_text_stream() {
    let scenario = Scenario::default()
        .reply([Step::text("Hm "), Step::WaitMs(600_000)])
        .reply([Step::text("Yes?")]);
    let options = fake(&scenario).partial_messages(true);
    let client = Client::connect(options).await.unwrap();
    let mut texts = client.texts();
    client.send("Go");
    assert_eq!(texts.next().await.unwrap().unwrap(), "Hm ");
    client.interrupt().await.unwrap();
    client.send("Hello?");
    let mut all = String::new();
    while !all.ends_with("Yes?") {
        all += &texts.next().await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_prompt_returns_the_result_of_its_turn() {
    let result = prompt("Go", fake(&two())).await.unwrap();
    assert_eq!(result.subtype, ResultSubtype::Success);

    let client = Client::connect(fake(&two())).await.unwrap();
    // Prompts are sent in the order of the calls, whichever is awaited first.
    let (one, two) = (client.prompt("One"), client.prompt("Two"));
    let two = two.await.unwrap().error_for_result().unwrap();
    let one = one.await.unwrap().error_for_result().unwrap();
    assert!(two.result_index >= one.result_index);
}

#[tokio::test]
async fn an_error_result_is_data_unless_requested_as_an_error() {
    let result = prompt("Go", fake(&refused())).await.unwrap();
    assert!(result.is_error);
    let error = Error::from(result.error_for_result().unwrap_err()).to_string();
    assert_eq!(
        error,
        "the turn failed: api_error: API Error: 400 no such thing"
    );
}

#[tokio::test]
async fn a_turn_without_a_result_is_an_error_of_the_prompt() {
    let (mut client, mut agent) = support::peer::connect(Options::new()).await;
    let mut answer = client.prompt("Go");
    let mut context = Context::from_waker(Waker::noop());
    assert!(answer.as_mut().poll(&mut context).is_pending());
    // Output before the prompt does not belong to its turn.
    agent.hears().await;
    agent
        .says(r#"{"type":"system","subtype":"init","session_id":"s","uuid":"u"}"#)
        .await;
    agent
        .says(r#"{"type":"system","subtype":"session_state_changed","state":"idle","session_id":"s","uuid":"v"}"#)
        .await;
    match answer.await {
        Err(Error::NoResult { outcome, .. }) => assert_eq!(outcome, TurnOutcome::NoResult),
        other => panic!("{other:?}"),
    }
    drop(agent);
    client.abort().await;
}

#[tokio::test]
async fn messages_implement_stream() {
    let mut messages = query("Go", fake(&two())).await.unwrap().messages();
    let next = std::future::poll_fn(|context| Pin::new(&mut messages).poll_next(context));
    assert!(next.await.unwrap().is_ok());
}
