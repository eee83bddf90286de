//! Tests of logins over the pipe, with the real CLI: to Anthropic as far as it goes without a
//! network, and to an MCP server on loopback.

use crate::oauth::{CODE, OauthServer};
use crate::support::{LONG, Live};
use agentwire::process::CloseStep;
use agentwire::protocol::control::{ClaudeAuthenticate, McpAuthenticate, McpCall};
use agentwire::protocol::host::RequestFailure;
use agentwire::protocol::mcp::{McpConnection, McpHttpServer};
use agentwire::{Client, Error, Options};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::time::Duration;

/// Returns options for an agent whose requests to other machines are refused.
fn offline(live: &Live) -> Options {
    live.options()
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .env("NO_PROXY", "127.0.0.1")
}

/// Returns the text of a refusal.
fn refusal<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    match outcome {
        Err(Error::Request(failure)) if matches!(*failure, RequestFailure::Refused { .. }) => {
            failure.to_string()
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_login_returns_addresses_and_a_wrong_code_is_refused() {
    let live = Live::start(Scenario::default()).await;
    let mut client = Client::connect(offline(&live)).await.unwrap();
    refusal(client.claude_oauth_callback("code", "state").await);
    refusal(client.claude_oauth_wait_for_completion(LONG).await);

    let subscription = ClaudeAuthenticate::subscription();
    let login = client.claude_authenticate(&subscription).await.unwrap();
    assert!(login.manual_url.starts_with("https://claude.com/"));
    assert!(login.automatic_url.contains("localhost"));
    let again = client.claude_authenticate(&subscription).await.unwrap();
    assert_eq!(again, login, "a running login of the same kind is joined");
    let console = ClaudeAuthenticate::console();
    let other = client.claude_authenticate(&console).await.unwrap();
    assert!(other.manual_url.starts_with("https://platform.claude.com/"));

    // The code cannot be exchanged without a network. That ends the login.
    refusal(client.claude_oauth_callback("wrong", "state").await);
    refusal(client.claude_oauth_callback("wrong", "state").await);
    let account = client.initialized().account.clone().unwrap();
    assert_eq!(account.api_key_source.as_deref(), Some("ANTHROPIC_API_KEY"));
    client.close().await;
}

#[tokio::test]
async fn an_abandoned_login_does_not_hold_up_the_session() {
    let live = Live::start(Scenario::default().reply([Step::text("Hello.")])).await;
    let mut client = Client::connect(offline(&live)).await.unwrap();
    let login = client.claude_authenticate(&ClaudeAuthenticate::console());
    login.await.unwrap();
    let in_time = client.claude_oauth_wait_for_completion(Duration::from_millis(50));
    let Err(Error::Request(failure)) = in_time.await else {
        panic!("the login was completed")
    };
    assert!(matches!(*failure, RequestFailure::TimedOut { .. }));
    let withdrawn = client.claude_oauth_wait_for_completion(LONG);
    withdrawn.cancel();
    let Err(Error::Request(failure)) = withdrawn.await else {
        panic!("the login was completed")
    };
    assert!(matches!(*failure, RequestFailure::Cancelled { .. }));
    let turn = client.send("Hello?").turn_ended().await.unwrap();
    assert_eq!(turn.result().unwrap().text(), "Hello.");
    let report = client.close().await;
    assert_eq!(report.step, CloseStep::Exited);
}

#[tokio::test]
async fn a_login_to_an_mcp_server_is_completed_over_the_pipe() {
    let live = Live::start(Scenario::default()).await;
    let server = OauthServer::start().await;
    let mut client = Client::connect(offline(&live)).await.unwrap();
    let secured = McpHttpServer::new(server.mcp());
    let servers = [("secured", secured)];
    client.mcp_set_servers(servers).await.unwrap();
    assert_eq!(connection(&client).await, McpConnection::NeedsAuth);
    let unknown = McpAuthenticate::new("none");
    refusal(client.mcp_authenticate(&unknown).await);
    let early = client.mcp_oauth_callback_url("secured", "http://localhost/?code=1");
    refusal(early.await);

    let login = McpAuthenticate::new("secured");
    let login = client.mcp_authenticate(&login).await.unwrap();
    assert_eq!(login.requires_user_action, Some(true));
    assert_eq!(login.callback_expected, Some(true));
    let (state, port) = (login.state.unwrap(), login.callback_port.unwrap());
    assert!(login.auth_url.unwrap().contains(&state));
    let back = |query: &str| format!("http://localhost:{port}/callback?{query}");
    let without_code = back(&format!("state={state}"));
    refusal(
        client
            .mcp_oauth_callback_url("secured", &without_code)
            .await,
    );
    let of_another = back(&format!("code={CODE}&state=other"));
    refusal(client.mcp_oauth_callback_url("secured", &of_another).await);
    let right = back(&format!("code={CODE}&state={state}"));
    let done = client.mcp_oauth_callback_url("secured", &right).await;
    done.unwrap();
    client.mcp_reconnect("secured").await.unwrap();
    assert_eq!(connection(&client).await, McpConnection::Connected);
    let call = McpCall::new("mcp__secured__hello", json!({}));
    let answer = client.mcp_call(&call).await.unwrap();
    let said = json!([{ "type": "text", "text": "Hello, user." }]);
    assert_eq!(answer.content.unwrap().to_value().unwrap(), said);
    assert!(server.authorized_calls().contains(&"tools/call".to_owned()));

    client.mcp_clear_auth("secured").await.unwrap();
    assert_eq!(connection(&client).await, McpConnection::NeedsAuth);
    client.close().await;
}

#[tokio::test]
async fn a_login_to_an_mcp_server_can_redirect_to_the_program() {
    let live = Live::start(Scenario::default()).await;
    let server = OauthServer::start().await;
    let mut client = Client::connect(offline(&live)).await.unwrap();
    let secured = McpHttpServer::new(server.mcp());
    let servers = [("secured", secured)];
    client.mcp_set_servers(servers).await.unwrap();
    let login = McpAuthenticate::new("secured").redirect_uri("https://example.com/back");
    let login = client.mcp_authenticate(&login).await.unwrap();
    assert_eq!(login.redirect_scheme.as_deref(), Some("custom"));
    assert_eq!(login.callback_port, None);
    let state = login.state.unwrap();
    let wrong = format!("https://example.com/back?code=wrong&state={state}");
    let refused = client.mcp_oauth_callback_url("secured", &wrong).await;
    let refused = refusal(refused);
    assert!(refused.contains("invalid_grant"), "{refused}");
    assert_eq!(connection(&client).await, McpConnection::NeedsAuth);
    client.close().await;
}

/// Returns the connection to the only MCP server.
async fn connection(client: &Client) -> McpConnection {
    let status = client.mcp_status().await.unwrap();
    status.mcp_servers[0].status.clone()
}
