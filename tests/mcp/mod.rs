//! Tests of MCP servers inside the host. The test plays the agent.

#![allow(clippy::unwrap_used)]

mod calls;
mod handshake;
mod library;
use crate::support;
#[path = "../support/library.rs"]
mod support_library;
mod tools;

use agentwire::mcp::Tools;
use agentwire::protocol::host::Queueing;
use agentwire::schemars::{self, JsonSchema};
use agentwire::{Client, Event, Options};
use rmcp::{RoleServer, Service};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use support::peer::{Peer, connect_with};
use tokio::sync::Barrier;

impl Peer {
    /// Sends a message to the server `s`, in a request with this ID.
    async fn sends(&mut self, ask: &str, message: Value) {
        self.asks(ask, &to_server("s", message)).await;
    }

    /// Calls a tool of the server `s`, in a request with the same ID.
    async fn calls(&mut self, id: &str, tool: &str, arguments: Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments,
            "_meta": {"progressToken": id, "claudecode/toolUseId": "toolu_1"}}});
        self.sends(id, message).await;
    }

    /// Reads the next line, which responds to the request `ask`. Returns the message of
    /// the server in it.
    async fn hears_reply(&mut self, ask: &str) -> Value {
        let (id, mut answer) = self.is_answered().await;
        assert_eq!(id, ask, "{answer}");
        answer["mcp_response"].take()
    }

    /// Reads the next line, which has the result of the tool call with this ID. Returns
    /// the result.
    async fn hears_result(&mut self, id: &str) -> Value {
        let mut reply = self.hears_reply(id).await;
        assert_eq!(reply["id"], id, "{reply}");
        reply["result"].take()
    }

    /// Reads the next line, which has a message that the server `s` starts. Returns the
    /// message.
    async fn hears_server(&mut self) -> Value {
        let mut request = self.answers(&json!({})).await;
        assert_eq!(request["subtype"], "mcp_message", "{request}");
        assert_eq!(request["server_name"], "s", "{request}");
        request["message"].take()
    }
}

fn to_server(server: &str, message: Value) -> Value {
    json!({"subtype": "mcp_message", "server_name": server, "message": message})
}

/// Returns a connected session, and its first request.
async fn connect(options: Options) -> (Client, Peer, Value) {
    let (client, agent, greeting) = connect_with(options, &json!({})).await;
    (client.unwrap(), agent, greeting)
}

/// Connects a session with this server, whose name is `s`.
async fn with(server: impl Service<RoleServer> + Clone) -> (Client, Peer) {
    let options = Options::new().queueing(Queueing::ByAgent);
    let (client, agent, _) = connect(options.mcp_server("s", server)).await;
    (client, agent)
}

async fn notice(client: &mut Client) -> String {
    loop {
        if let Event::Notice(notice) = client.next().await.unwrap().unwrap() {
            return notice.to_string();
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first summand.
    a: i64,
    /// The second summand.
    b: i64,
}

/// Returns a tool that adds, and that first waits for this number of concurrent calls.
fn adding(at_once: usize) -> Tools {
    let barrier = Arc::new(Barrier::new(at_once));
    Tools::new()
        .tool("add", "Adds.", move |add: Add| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                Ok::<_, String>(add.a + add.b)
            }
        })
        .tool("stuck", "Hangs.", |(): ()| {
            std::future::pending::<Result<(), String>>()
        })
}
