//! Tests of logins with the fake agent.

#![allow(clippy::unwrap_used)]

use crate::support::peer::connect_with;
use crate::support::{LONG, fake};
use agentwire::protocol::control::{ClaudeAuthenticate, McpAuthenticate};
use agentwire::protocol::host::RequestFailure;
use agentwire::{Client, Error, Options};
use agentwire_testkit::Scenario;
use agentwire_testkit::scenario::Response;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_login_returns_the_account() {
    let account = json!({"account": {"email": "ferris@example.com", "tokenSource": "claude.ai"}});
    let done = Response::success(account);
    let scenario = Scenario::default()
        .responding("claude_oauth_callback", done.clone())
        .responding("claude_oauth_wait_for_completion", done);
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    let login = ClaudeAuthenticate::subscription();
    let login = client.claude_authenticate(&login).await.unwrap();
    assert!(login.manual_url.starts_with("https://"));
    let by_code = client.claude_oauth_callback("code", "state").await.unwrap();
    let email = by_code.account.unwrap().email.unwrap();
    assert_eq!(email, "ferris@example.com");
    let by_redirect = client.claude_oauth_wait_for_completion(LONG).await.unwrap();
    assert!(by_redirect.account.is_some());
    client.close().await;
}

#[tokio::test]
async fn logins_to_unknown_servers_are_refused() {
    let mut client = Client::connect(fake(&Scenario::default())).await.unwrap();
    let login = McpAuthenticate::new("none");
    let refused = [
        client.mcp_authenticate(&login).await.map(drop),
        client
            .mcp_oauth_callback_url("none", "http://localhost/?code=1")
            .await
            .map(drop),
        client.mcp_clear_auth("none").await.map(drop),
    ];
    for outcome in refused {
        let Err(Error::Request(failure)) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(matches!(*failure, RequestFailure::Refused { .. }));
    }
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_login_has_a_timeout_of_its_own() {
    let (client, _agent, _) = connect_with(Options::new(), &json!({})).await;
    let limit = Duration::from_secs(600);
    let client = client.unwrap();
    let waiting = client.claude_oauth_wait_for_completion(limit);
    let Err(Error::Request(failure)) = waiting.await else {
        panic!("the agent responded")
    };
    let RequestFailure::TimedOut { after, .. } = &*failure else {
        panic!("{failure}")
    };
    assert_eq!(*after, limit);
}
