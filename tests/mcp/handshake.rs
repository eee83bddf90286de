//! Tests of handshakes: those that the host makes in advance, and those that the agent
//! makes anyway.

use super::support::peer::Peer;
use super::{adding, connect, notice, to_server, with};
use agentwire::protocol::control::{Initialize, SdkMcpServerManifest};
use agentwire::transport::Pipes;
use agentwire::{Client, Error, Event, Notice, Options};
use rmcp::model::{
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server that panics when a connection begins.
#[derive(Clone)]
struct Broken;

impl ServerHandler for Broken {
    fn get_info(&self) -> ServerConfig {
        panic!("no information")
    }
}

#[tokio::test]
async fn requests_to_an_ended_server_fail_and_the_session_continues() {
    let options = Options::new()
        .mcp_server("broken", Broken)
        .mcp_server("s", adding(1));
    let (mut client, mut agent, greeting) = connect(options).await;
    assert_eq!(greeting["sdkMcpServers"], json!(["broken", "s"]));
    let manifests = greeting["sdkMcpServerManifests"].as_object().unwrap();
    assert!(manifests.keys().eq(["s"]));
    assert!(matches!(
        client.next().await.unwrap().unwrap(),
        Event::Notice(Notice::McpServerPanicked { server, .. }) if &*server == "broken"
    ));
    assert!(matches!(
        client.next().await.unwrap().unwrap(),
        Event::Notice(Notice::McpServerEnded { server, .. }) if &*server == "broken"
    ));
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    agent.asks("a", &to_server("broken", list.clone())).await;
    let reply = agent.hears_reply("a").await;
    let reason = reply["error"]["message"].as_str().unwrap();
    assert!(
        reason.starts_with("the MCP server `broken` stopped"),
        "{reason}"
    );
    // Another handshake starts the server again.
    agent.asks("b", &to_server("broken", initialize())).await;
    assert_eq!(agent.hears_reply("b").await["error"]["code"], -32603);
    agent.sends("c", list).await;
    assert_eq!(
        agent.hears_reply("c").await["result"]["tools"][0]["name"],
        "add"
    );
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "agent", "version": "1"}}})
}

#[tokio::test]
async fn an_agent_may_make_a_handshake_of_its_own() {
    let (_client, mut agent) = with(adding(1)).await;
    agent.calls("c", "stuck", json!({})).await;
    agent.sends("i", initialize()).await;
    // Earlier requests are dropped.
    assert!(agent.hears_reply("c").await["error"].is_object());
    let reply = agent.hears_reply("i").await;
    assert_eq!(reply["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(reply["result"]["serverInfo"]["name"], "agentwire");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    agent.sends("n", initialized).await;
    agent.hears_reply("n").await;
    // IDs of requests start again.
    agent.calls("c", "add", json!({"a": 1, "b": 2})).await;
    assert_eq!(agent.hears_result("c").await["content"][0]["text"], "3");
}

/// A server that lists its tools in pages, and sends a notification early.
#[derive(Clone)]
struct Paged;

impl ServerHandler for Paged {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let _ = context.peer.notify_tool_list_changed().await;
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let page: u32 = request
            .and_then(|it| it.cursor)
            .map_or(0, |it| it.parse().unwrap());
        let schema = serde_json::Map::from_iter([("type".to_owned(), "object".into())]);
        let tool = Tool::new(format!("t{page}"), "", schema);
        let mut result = ListToolsResult::with_all_items(vec![tool]);
        result.next_cursor = (page < 2).then(|| (page + 1).to_string());
        Ok(result)
    }
}

#[tokio::test]
async fn a_manifest_has_all_pages_and_notifications_are_sent_later() {
    let (_client, mut agent, greeting) = connect(Options::new().mcp_server("s", Paged)).await;
    let listed = &greeting["sdkMcpServerManifests"]["s"]["toolsListResult"];
    let names: Vec<_> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["t0", "t1", "t2"]);
    assert_eq!(listed["nextCursor"], json!(null));
    let changed = agent.hears_server().await;
    assert_eq!(changed["method"], "notifications/tools/list_changed");
}

/// A server that does not list its tools in time.
#[derive(Clone)]
struct Slow;

impl ServerHandler for Slow {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_has_no_manifest_and_other_manifests_are_kept() {
    let mut raw = Initialize::default();
    raw.sdk_mcp_servers = Some(vec!["mine".to_owned(), "s".to_owned()]);
    let manifest = SdkMcpServerManifest::new(json!({"mine": true}));
    raw.sdk_mcp_server_manifests = Some([("mine".to_owned(), manifest)].into());
    let options = Options::new()
        .initialize(raw)
        .request_timeout(Duration::from_secs(9))
        .mcp_server("slow", Slow)
        .mcp_server("s", adding(1));
    let begun = tokio::time::Instant::now();
    let (mut client, _agent, greeting) = connect(options).await;
    assert_eq!(begun.elapsed().as_secs(), 9);
    let told = notice(&mut client).await;
    let slow = "`slow`: it did not complete the MCP handshake within 9s";
    assert!(told.ends_with(slow), "{told}");
    assert_eq!(greeting["sdkMcpServers"], json!(["mine", "s", "slow"]));
    let manifests = greeting["sdkMcpServerManifests"].as_object().unwrap();
    assert!(manifests.keys().eq(["mine", "s"]), "{manifests:?}");
    assert_eq!(
        manifests["mine"],
        json!({"initializeResult": {"mine": true}})
    );
    assert_eq!(greeting["sdkMcpServerManifestsOrigin"], "host_per_send");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_agent_ends_the_handshakes() {
    let (to_agent, input) = tokio::io::duplex(4096);
    let (output, from_agent) = tokio::io::duplex(4096);
    drop((input, output));
    let begun = tokio::time::Instant::now();
    let options = Options::new().mcp_server("slow", Slow);
    let error = Client::connect_over(Pipes::new(from_agent, to_agent), options).await;
    assert!(matches!(error, Err(Error::Ended(_))), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(9));
}

#[tokio::test]
async fn sessions_with_the_same_options_share_the_state_of_their_servers() {
    let options = Options::new().mcp_server("s", adding(2));
    let (_one, mut first, _) = connect(options.clone()).await;
    let (_two, mut second, _) = connect(options).await;
    // Each call waits for the other one.
    first.calls("c", "add", json!({"a": 1, "b": 2})).await;
    second.calls("c", "add", json!({"a": 3, "b": 4})).await;
    assert_eq!(first.hears_result("c").await["content"][0]["text"], "3");
    assert_eq!(second.hears_result("c").await["content"][0]["text"], "7");
}

/// A server that lists these tools, or fails to list them.
#[derive(Clone)]
struct Listing(Arc<Mutex<Result<Value, &'static str>>>);

impl Listing {
    fn new(listed: Result<Value, &'static str>) -> Self {
        Self(Arc::new(Mutex::new(listed)))
    }
}

impl ServerHandler for Listing {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        match &*self.0.lock().unwrap() {
            Ok(tools) => Ok(serde_json::from_value(json!({ "tools": tools })).unwrap()),
            Err(why) => Err(ErrorData::internal_error(*why, None)),
        }
    }
}

/// Connects a session with a server. Returns its first `count` notices.
async fn notices(server: Listing, count: usize) -> (Client, Peer, Vec<String>) {
    let (mut client, agent, _) = connect(Options::new().mcp_server("s", server)).await;
    let mut all = vec![];
    for _ in 0..count {
        match client.next().await.unwrap().unwrap() {
            Event::Notice(it @ Notice::McpToolsUnusable { .. }) => all.push(it.to_string()),
            event => panic!("{event:?}"),
        }
    }
    (client, agent, all)
}

#[tokio::test]
async fn tools_that_the_agent_cannot_use_are_noticed_at_the_start() {
    let named = |name: &str, schema: Value| json!({ "name": name, "inputSchema": schema });
    let an_object = || json!({ "type": "object" });
    for (listed, expected) in [
        (
            Err("no luck"),
            vec!["tools of the MCP server `s`: `tools/list` failed: no luck"],
        ),
        (
            Ok(json!([])),
            vec!["tools of the MCP server `s`: it has no tools"],
        ),
        (
            Ok(json!([named("fine", an_object()), named("bad", json!({}))])),
            vec![
                "tools of the MCP server `s`: the `inputSchema` of the tool `bad` does not have \
                 `\"type\": \"object\"`",
            ],
        ),
        (
            Ok(json!([
                named("a b", an_object()),
                named("a.b", an_object()),
                named("c", json!({ "type": "object", "properties": { "x": 1 } }))
            ])),
            vec![
                "tool `a.b` of the MCP server `s`: the tool `a b` has the same name for the \
                 model, `mcp__s__a_b`",
                "tool `c` of the MCP server `s`: the schema of the property `x` is not an object",
            ],
        ),
    ] {
        let (_client, _agent, told) = notices(Listing::new(listed), expected.len()).await;
        let expected = expected
            .iter()
            .map(|it| format!("the agent cannot use the {it}"));
        assert_eq!(told, expected.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_later_list_is_noticed_if_it_differs() {
    let bad = json!([{ "name": "bad", "inputSchema": {} }]);
    let server = Listing::new(Ok(bad));
    let (mut client, mut agent, told) = notices(server.clone(), 1).await;
    assert!(told[0].contains("`bad`"), "{told:?}");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    agent.sends("a", list.clone()).await;
    agent.hears_reply("a").await;
    *server.0.lock().unwrap() = Err("no luck");
    for ask in ["b", "c"] {
        agent.sends(ask, list.clone()).await;
        agent.hears_reply(ask).await;
    }
    let told = notice(&mut client).await;
    assert!(told.ends_with("`tools/list` failed: no luck"), "{told}");
    agent.says(r#"{"type":"hello"}"#).await;
    let Event::Frame(frame) = client.next().await.unwrap().unwrap() else {
        panic!()
    };
    assert_eq!(frame.kind(), "hello");
}
