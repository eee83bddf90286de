//! Tests of the real CLI's reports of a failed login.

use crate::support::{Live, wait_for};
use agentwire::protocol::host::AuthUpdate;
use agentwire::protocol::message::{AssistantError, TerminalReason};
use agentwire::{Client, Event, SessionUpdate};
use agentwire_testkit::{ApiError, Scenario, Step};

/// Returns a scenario whose model refuses every request.
fn refusing(status: u16, kind: &str, message: &str) -> Scenario {
    Scenario::default()
        .reply([Step::Error(ApiError {
            status,
            kind: kind.to_owned(),
            message: message.to_owned(),
        })])
        .repeated()
}

/// Returns the next login update.
async fn login_news(client: &mut Client) -> AuthUpdate {
    wait_for(client, |event| match event {
        Event::Session(SessionUpdate::Auth(news)) => Some(news.clone()),
        _ => None,
    })
    .await
}

/// Returns the reason why the next turn fails.
async fn login_failure(client: &mut Client) -> AssistantError {
    let mut submission = client.send("Hello?");
    let AuthUpdate::Failed { error, message } = login_news(client).await else {
        panic!("something else came first");
    };
    assert!(!message.is_empty());
    let turn = submission.turn_ended().await.unwrap();
    let result = turn.result().unwrap();
    assert!(result.is_error);
    assert_eq!(result.terminal_reason, Some(TerminalReason::ApiError));
    error
}

#[tokio::test]
async fn a_rejected_key_is_reported_at_each_attempt_and_at_the_end() {
    let live = Live::start(refusing(401, "authentication_error", "invalid x-api-key")).await;
    let options = live.options().env("CLAUDE_CODE_MAX_RETRIES", "1");
    let mut client = Client::connect(options).await.unwrap();
    client.send("Hello?").await.unwrap();
    let AuthUpdate::Retrying {
        error,
        attempt,
        max_retries,
        ..
    } = login_news(&mut client).await
    else {
        panic!("it did not try again")
    };
    assert_eq!(error, AssistantError::AuthenticationFailed);
    assert_eq!((attempt, max_retries), (Some(1), Some(1)));
    let AuthUpdate::Failed { error, message } = login_news(&mut client).await else {
        panic!("it did not fail")
    };
    assert_eq!(error, AssistantError::AuthenticationFailed);
    assert!(message.contains("API key"), "{message}");
    client.close().await;
}

#[tokio::test]
async fn an_account_without_credit_is_reported() {
    let message = "Your credit balance is too low to access the Anthropic API.";
    let live = Live::start(refusing(400, "invalid_request_error", message)).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let error = login_failure(&mut client).await;
    assert_eq!(error, AssistantError::BillingError);
    client.close().await;
}

#[tokio::test]
async fn a_missing_login_is_reported_without_a_request_to_the_api() {
    let live = Live::start(Scenario::default()).await;
    let options = live.options().env("ANTHROPIC_API_KEY", "");
    let mut client = Client::connect(options).await.unwrap();
    assert_eq!(client.account().unwrap().api_key_source, None);
    let error = login_failure(&mut client).await;
    assert_eq!(error, AssistantError::AuthenticationFailed);
    assert!(live.model.requests().is_empty());
    client.close().await;
}
