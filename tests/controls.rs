//! Tests of the requests of control methods, and of their errors with agents that do not
//! support them.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::protocol::control::{Initialize, McpCall, McpSetServers, ReloadPlugins};
use agentwire::protocol::host::RequestFailure;
use agentwire::protocol::mcp::{McpHttpServer, McpSdkServer, McpServerConfig, McpStdioServer};
use agentwire::transport::Pipes;
use agentwire::{Client, Error, Event, Options};
use serde_json::{Value, json};
use std::time::Duration;
use support::peer::{Peer, connect_with};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::Instant;

/// Connects a session with an agent that has these capabilities.
async fn connect(options: Options, capabilities: &[&str]) -> (Client, Peer) {
    let answer = json!({"capabilities": capabilities});
    let (client, agent, _) = connect_with(options, &answer).await;
    (client.unwrap(), agent)
}

/// Connects a session whose host has MCP servers.
async fn connect_with_servers() -> (Client, Peer) {
    let mut initialize = Initialize::default();
    initialize.sdk_mcp_servers = Some(vec!["mine".to_owned(), "yours".to_owned()]);
    connect(Options::new().initialize(initialize), &[]).await
}

#[tokio::test]
async fn setting_mcp_servers_keeps_the_servers_of_the_host() {
    let (client, mut agent) = connect_with_servers().await;
    let away: McpServerConfig = McpStdioServer::new("away", ["x"]).into();
    let yours = McpSdkServer::new("yours").timeout(5000_u64).into();
    let answer = json!({"added": ["away"], "removed": []});
    let set = client.mcp_set_servers([("away", away), ("yours", yours)]);
    let request = agent.answers(&answer).await;
    let answer = set.await.unwrap();
    assert_eq!(answer.added.unwrap(), ["away"]);
    assert_eq!(
        request,
        json!({"subtype": "mcp_set_servers", "servers": {
            "away": {"type": "stdio", "command": "away", "args": ["x"]},
            "mine": {"type": "sdk", "name": "mine"},
            // The caller's value takes precedence.
            "yours": {"type": "sdk", "name": "yours", "timeout": 5000},
        }})
    );
}

#[tokio::test]
async fn a_complete_request_is_sent_unchanged() {
    let (client, mut agent) = connect_with_servers().await;
    let none: [(&str, McpServerConfig); 0] = [];
    let set = McpSetServers::to(none);
    let pending = client.request(&set);
    let request = agent.answers(&json!({"removed": ["mine", "yours"]})).await;
    let answer = pending.await.unwrap();
    assert_eq!(answer.removed.unwrap(), ["mine", "yours"]);
    assert_eq!(request["servers"], json!({}));
}

#[tokio::test]
async fn servers_in_a_second_initialize_are_kept() {
    let (client, mut agent) = connect_with_servers().await;
    let mut again = Initialize::default();
    again.sdk_mcp_servers = Some(vec!["third".to_owned()]);
    let again = client.initialize(&again);
    agent.answers(&json!({})).await;
    again.await.unwrap();
    let none: [(&str, McpServerConfig); 0] = [];
    let set = client.mcp_set_servers(none);
    let request = agent.answers(&json!({})).await;
    set.await.unwrap();
    let servers = request["servers"].as_object().unwrap();
    assert_eq!(
        servers.keys().collect::<Vec<_>>(),
        ["mine", "third", "yours"]
    );
}

/// Returns the subtype of the request that was not sent, and the capability that the
/// agent lacks. Panics for other outcomes.
#[track_caller]
fn not_sent<T: std::fmt::Debug>(outcome: Result<T, Error>) -> (Box<str>, &'static str) {
    match outcome {
        Err(Error::NotSupported {
            subtype,
            needs: Some(needs),
            refusal: None,
        }) => (subtype, needs),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn requests_that_the_agent_would_ignore_are_not_sent() {
    let (client, mut agent) = connect(Options::new(), &[]).await;
    let call = McpCall::new("mcp__a__b", json!({}));
    let checked = client.mcp_call(&call.clone().check_permissions()).await;
    let error = checked.as_ref().unwrap_err().to_string();
    assert_eq!(
        error,
        "`mcp_call` was not sent: the agent would ignore a part of it; it does not declare the \
         capability `mcp_call_check_permissions_v1`"
    );
    let expected = ("mcp_call".into(), "mcp_call_check_permissions_v1");
    assert_eq!(not_sent(checked), expected);
    let raw = client.mcp_call(&call.clone().result_not_for_model()).await;
    let expected = ("mcp_call".into(), "mcp_call_result_not_for_model_v1");
    assert_eq!(not_sent(raw), expected);
    let plugins = ReloadPlugins::default().refuse_if_busy();
    let reloaded = client.reload_plugins(&plugins).await;
    let expected = ("reload_plugins".into(), "reload_plugins_refuse_if_busy_v1");
    assert_eq!(not_sent(reloaded), expected);

    // Without such a member, the request is sent.
    let pending = client.mcp_call(&call);
    let request = agent.answers(&json!({})).await;
    pending.await.unwrap();
    assert_eq!(request["tool"], "mcp__a__b");
    assert_eq!(request.get("check_permissions"), None);
}

#[tokio::test]
async fn capabilities_may_be_declared_in_initialize_or_init() {
    let (mut client, mut agent) = connect(Options::new(), &["mcp_call_check_permissions_v1"]).await;
    assert_eq!(client.capabilities(), ["mcp_call_check_permissions_v1"]);
    let call = McpCall::new("mcp__a__b", json!({})).check_permissions();
    let pending = client.mcp_call(&call);
    let request = agent.answers(&json!({})).await;
    pending.await.unwrap();
    assert_eq!(request["check_permissions"], true);

    let call = call.result_not_for_model();
    not_sent(client.mcp_call(&call).await);
    let capabilities = json!(["mcp_call_result_not_for_model_v1"]);
    let init = json!({"type": "system", "subtype": "init", "capabilities": capabilities});
    agent.says(&init.to_string()).await;
    while !matches!(client.next().await.unwrap().unwrap(), Event::Session(_)) {}
    let pending = client.mcp_call(&call);
    agent.answers(&json!({})).await;
    pending.await.unwrap();
}

#[tokio::test]
async fn an_unknown_request_fails_with_its_name_and_requirement() {
    let (client, mut agent) = connect(Options::new(), &[]).await;
    let read = client.mcp_read_resource("a", "ui://b");
    agent.does_not_know().await;
    let error = read.await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent does not support `mcp_read_resource`: What? (unsupported_request); it does \
         not declare the capability `mcp_read_resource_v1`"
    );
    let Error::NotSupported {
        subtype,
        needs,
        refusal,
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!(&*subtype, "mcp_read_resource");
    assert_eq!(needs, Some("mcp_read_resource_v1"));
    assert_eq!(refusal.unwrap().message, "What?");

    let raw = client.request_raw("make_tea", json!({}));
    agent.does_not_know().await;
    assert_eq!(
        raw.await.unwrap_err().to_string(),
        "the agent does not support `make_tea`: What? (unsupported_request)"
    );
}

#[tokio::test]
async fn an_agent_without_initialize_does_not_start() {
    let (to_agent, input) = tokio::io::duplex(4096);
    let (output, from_agent) = tokio::io::duplex(4096);
    let mut agent = Peer {
        input: BufReader::new(input).lines(),
        output,
    };
    let refuses = async move {
        agent.does_not_know().await;
        // The agent exits when the host does.
        while let Ok(Some(_)) = agent.input.next_line().await {}
    };
    let client = Client::connect_over(Pipes::new(from_agent, to_agent), Options::new());
    let (client, ()) = tokio::join!(client, refuses);
    let Err(Error::StartUp { failure, .. }) = client else {
        panic!("{client:?}")
    };
    assert!(matches!(&*failure, RequestFailure::Refused { .. }));
}

#[tokio::test(start_paused = true)]
async fn the_error_of_an_unanswered_request_mentions_old_agents() {
    let (client, _agent) = connect(Options::new(), &[]).await;
    let error = client.plan().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent did not answer `get_plan` within 60s; agents up to 2.0.77 ignore \
         unknown requests"
    );
}

fn server(name: &str, status: &str) -> Value {
    json!({"name": name, "status": status})
}

fn names<'a>(
    servers: impl Iterator<Item = &'a agentwire::protocol::mcp::McpServerStatus>,
) -> Vec<&'a str> {
    servers.map(|server| &*server.name).collect()
}

/// Responds to status requests with these states, one after the other, and repeats the
/// last one for ever. Returns the number of requests, and the shortest and the longest
/// time between two requests.
async fn serve_status(agent: &mut Peer, states: &[Value]) -> (usize, Duration, Duration) {
    let (mut asked, mut least, mut most) = (0, Duration::MAX, Duration::ZERO);
    let mut before: Option<Instant> = None;
    loop {
        let state = &states[asked.min(states.len() - 1)];
        let status = json!({"mcpServers": state});
        let answered = agent.answers(&status);
        // A caller that has stopped polling sends no further requests.
        let Ok(request) = tokio::time::timeout(Duration::from_secs(10), answered).await else {
            return (asked, least, most);
        };
        assert_eq!(request["subtype"], "mcp_status");
        asked += 1;
        if let Some(before) = before {
            least = least.min(before.elapsed());
            most = most.max(before.elapsed());
        }
        before = Some(Instant::now());
    }
}

#[tokio::test(start_paused = true)]
async fn server_states_are_polled_until_none_is_pending() {
    let (client, mut agent) = connect(Options::new(), &[]).await;
    let states = [
        json!([server("a", "pending"), server("b", "pending")]),
        json!([server("a", "connected"), server("b", "pending")]),
        json!([
            server("a", "connected"),
            server("b", "failed"),
            server("c", "needs-auth")
        ]),
    ];
    let ready = client.await_mcp_ready(Duration::from_secs(3600));
    let (ready, (asked, least, _)) = tokio::join!(ready, serve_status(&mut agent, &states));
    let ready = ready.unwrap();
    assert_eq!(asked, 3);
    assert!(least >= Duration::from_millis(50), "{least:?}");
    assert!(!ready.is_ready());
    assert_eq!(names(ready.failed()), ["b"]);
    assert_eq!(names(ready.need_login()), ["c"]);
    assert_eq!(ready.servers.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn only_named_servers_are_awaited() {
    let (client, mut agent) = connect(Options::new(), &[]).await;
    let states = [
        json!([server("b", "pending")]),
        json!([server("a", "connected"), server("b", "pending")]),
    ];
    let ready = client.await_mcp_servers(&["a"], Duration::from_secs(3600));
    let (ready, (asked, ..)) = tokio::join!(ready, serve_status(&mut agent, &states));
    let ready = ready.unwrap();
    assert_eq!(asked, 2);
    assert!(ready.is_ready(), "{ready:?}");
    assert_eq!(ready.servers.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn configured_servers_are_awaited() {
    let mut initialize = Initialize::default();
    initialize.sdk_mcp_servers = Some(vec!["calc".to_owned()]);
    let wiki = [("wiki", McpHttpServer::new("http://127.0.0.1:9"))];
    let options = Options::new().initialize(initialize).mcp_servers(wiki);
    let answer = json!({"mcp_servers_applied": true});
    let (client, mut agent, _) = connect_with(options, &answer).await;
    let client = client.unwrap();
    let more = [("more", McpHttpServer::new("http://127.0.0.1:9"))];
    drop(client.mcp_set_servers(more));
    agent.answers(&json!({})).await;
    // The agent lists the servers one after the other.
    let mut states = vec![];
    let mut listed = vec![];
    for (name, status) in [
        ("other", "connected"),
        ("wiki", "connected"),
        ("more", "failed"),
    ] {
        states.push(json!(listed));
        listed.push(server(name, status));
    }
    states.push(json!(listed));
    listed.push(server("calc", "connected"));
    states.push(json!(listed));
    let ready = client.await_mcp_ready(Duration::from_secs(3600));
    let (ready, (asked, ..)) = tokio::join!(ready, serve_status(&mut agent, &states));
    let ready = ready.unwrap();
    assert_eq!((asked, ready.servers.len()), (5, 4));
    assert_eq!(names(ready.failed()), ["more"]);
    assert_eq!(ready.unknown, [""; 0]);

    // A server that stays pending is awaited until the deadline.
    states.truncate(4);
    states.drain(..3);
    let ready = client.await_mcp_ready(Duration::from_secs(9));
    let (ready, _) = tokio::join!(ready, serve_status(&mut agent, &states));
    assert_eq!(ready.unwrap().unknown, ["calc"]);
    states[0] = json!([]);
    // A request with servers that this client does not know is not awaited.
    drop(client.request(&McpSetServers::default()));
    agent.answers(&json!({})).await;
    let ready = client.await_mcp_ready(Duration::from_secs(9));
    let (ready, (asked, ..)) = tokio::join!(ready, serve_status(&mut agent, &states));
    assert_eq!((asked, ready.unwrap().unknown.len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn missing_servers_are_awaited_until_the_deadline() {
    let (client, mut agent) = connect(Options::new(), &[]).await;
    let states = [json!([server("a", "pending")])];
    let began = Instant::now();
    let limit = Duration::from_secs(60);
    let ready = async {
        let ready = client.await_mcp_servers(&["a", "none"], limit).await;
        (ready.unwrap(), began.elapsed())
    };
    let ((ready, took), (asked, _, most)) = tokio::join!(ready, serve_status(&mut agent, &states));
    assert!(!ready.is_ready());
    assert_eq!(names(ready.pending()), ["a"]);
    assert_eq!(ready.unknown, ["none"]);
    assert!(
        took <= limit && took > limit - Duration::from_secs(1),
        "{took:?}"
    );
    assert!((60..80).contains(&asked), "{asked}");
    assert!(most <= Duration::from_secs(1), "{most:?}");
}

#[tokio::test(start_paused = true)]
async fn a_missing_server_status_is_an_error_at_the_deadline() {
    let (client, mut agent) = connect(Options::new(), &[]).await;
    let began = Instant::now();
    let limit = Duration::from_secs(2);
    let ready = client.await_mcp_ready(limit).await;
    let Err(Error::Request(failure)) = ready else {
        panic!("{ready:?}")
    };
    assert!(matches!(&*failure, RequestFailure::TimedOut { after, .. } if *after == limit));
    assert_eq!(began.elapsed(), limit);
    assert_eq!(agent.hears().await["request"]["subtype"], "mcp_status");
}
