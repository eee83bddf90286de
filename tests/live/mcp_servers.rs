//! Tests of MCP servers that the real CLI connects to.

use crate::support::{LONG, Live, until_idle};
use agentwire::protocol::control::{McpCall, McpSetServers};
use agentwire::protocol::mcp::{McpConnection, McpServerConfig, McpStdioServer};
use agentwire::{Client, Error, Handle, Options, PermissionResult};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// An MCP server that has one tool and one resource.
const TINY: &str = r#"
while read -r line; do
    id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"tiny","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"hello","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"Hello from afar."}]}' ;;
    *'"method":"resources/list"'*) result='{"resources":[{"uri":"ui://page","name":"page"}]}' ;;
    *'"method":"resources/read"'*) result='{"contents":[{"uri":"ui://page","mimeType":"text/html","text":"<p>Hello</p>"}]}' ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Returns the configuration of the [`TINY`] server, which is a program.
pub(crate) fn tiny() -> McpServerConfig {
    McpStdioServer::new("sh", ["-c", TINY]).into()
}

/// Returns a [`tiny`] server that starts once a file exists.
fn tiny_after(file: &Path) -> McpServerConfig {
    let wait = format!("until [ -e '{}' ]; do sleep 0.05; done", file.display());
    McpStdioServer::new("sh", ["-c".to_owned(), format!("{wait}\n{TINY}")]).into()
}

/// Returns the configuration of a program that is not an MCP server.
pub(crate) fn broken() -> McpServerConfig {
    McpStdioServer::new("false", [""; 0]).into()
}

/// Returns options for a session that starts with these servers.
fn with_servers<const N: usize>(live: &Live, servers: [(&str, McpServerConfig); N]) -> Options {
    let servers = McpSetServers::to(servers).servers;
    let config = json!({ "mcpServers": servers }).to_string();
    live.options().flag_value("--mcp-config", config)
}

/// Returns the servers and their connections, as the agent reports them.
async fn status(session: &Handle) -> Vec<(String, McpConnection)> {
    let answer = session.mcp_status().await.unwrap();
    let servers = answer.mcp_servers.into_iter();
    servers.map(|server| (server.name, server.status)).collect()
}

#[tokio::test]
async fn a_server_is_added_called_and_removed() {
    let live = Live::start(Scenario::default()).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let servers = [("tiny", tiny()), ("broken", broken())];
    let answer = client.mcp_set_servers(servers).await.unwrap();
    let mut added = answer.added.unwrap();
    added.sort();
    assert_eq!(added, ["broken", "tiny"]);
    let errors = answer.errors.unwrap();
    assert_eq!(errors.keys().collect::<Vec<_>>(), ["broken"]);

    let servers = client.mcp_status().await.unwrap().mcp_servers;
    let tiny = servers.iter().find(|server| server.name == "tiny").unwrap();
    assert_eq!(tiny.status, McpConnection::Connected);
    assert_eq!(tiny.server_info.as_ref().unwrap().name, "tiny");
    assert_eq!(tiny.tools.as_ref().unwrap()[0].name, "hello");

    let call = McpCall::new("mcp__tiny__hello", json!({}));
    let answer = client.mcp_call(&call).await.unwrap();
    let said = json!([{ "type": "text", "text": "Hello from afar." }]);
    assert_eq!(answer.content.unwrap().to_value().unwrap(), said);

    let none: [(&str, McpServerConfig); 0] = [];
    let answer = client.mcp_set_servers(none).await.unwrap();
    let mut removed = answer.removed.unwrap();
    removed.sort();
    assert_eq!(removed, ["broken", "tiny"]);
    assert_eq!(status(&client).await, []);
    client.close().await;
}

#[tokio::test]
async fn a_call_is_asked_about_where_permissions_are_to_be_checked() {
    let live = Live::start(Scenario::default()).await;
    let options = live.options().on_permission(|ask| async move {
        PermissionResult::deny(format!("Not {}.", ask.request.tool_name))
    });
    let mut client = Client::connect(options).await.unwrap();
    client.mcp_set_servers([("tiny", tiny())]).await.unwrap();
    let call = McpCall::new("mcp__tiny__hello", json!({})).check_permissions();
    let Err(Error::Request(failure)) = client.mcp_call(&call).await else {
        panic!("the tool ran")
    };
    let failure = failure.to_string();
    assert!(failure.contains("Not mcp__tiny__hello."), "{failure}");
    client.close().await;
}

#[tokio::test]
async fn servers_are_awaited_until_they_are_ready_or_failed() {
    let live = Live::start(Scenario::default()).await;
    let now = live.home.path().join("now");
    let servers = [
        ("quick", tiny()),
        ("slow", tiny_after(&now)),
        ("broken", broken()),
    ];
    let options = with_servers(&live, servers);
    let mut client = Client::connect(options).await.unwrap();
    let quick = client.await_mcp_servers(&["quick"], LONG).await.unwrap();
    assert!(quick.is_ready(), "{quick:?}");

    // The deadline passes before the slow server is ready, so it is pending. On a busy
    // machine, the CLI may not have responded by then.
    let mut limit = Duration::from_secs(2);
    let all = loop {
        match client.await_mcp_ready(limit).await {
            Ok(all) => break all,
            Err(Error::Request(_)) if limit < LONG => limit *= 2,
            Err(error) => panic!("{error}"),
        }
    };
    let slow: Vec<_> = all.pending().map(|server| &*server.name).collect();
    assert_eq!(slow, ["slow"]);

    std::fs::write(now, "").unwrap();
    let all = client.await_mcp_ready(LONG).await.unwrap();
    assert_eq!(all.pending().count(), 0, "{all:?}");
    let failed: Vec<_> = all.failed().map(|server| &*server.name).collect();
    assert_eq!(failed, ["broken"]);
    assert!(!all.is_ready());
    assert_eq!(all.servers.len(), 3);
    client.close().await;
}

#[tokio::test]
async fn a_capability_is_known_from_the_first_turn_on() {
    let live = Live::start(Scenario::default().reply([Step::text("Hello.")])).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let has = |client: &Client, name: &str| client.capabilities().iter().any(|it| it == name);
    assert!(has(&client, "mcp_call_check_permissions_v1"));
    assert!(!has(&client, "mcp_read_resource_v1"));
    // The server can be used anyway.
    client.mcp_set_servers([("tiny", tiny())]).await.unwrap();
    let page = client.mcp_read_resource("tiny", "ui://page").await.unwrap();
    assert_eq!(page.contents[0].text.as_deref(), Some("<p>Hello</p>"));

    client.send("Hello?").await.unwrap();
    until_idle(&mut client).await;
    assert!(has(&client, "mcp_read_resource_v1"));
    client.close().await;
}
