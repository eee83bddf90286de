//! Tests of MCP servers inside the host, with the real CLI.

use crate::mcp_servers::tiny;
use crate::support::{LONG, Live, describe, until_idle, wait_for};
use agentwire::mcp::{Call, Tools};
use agentwire::protocol::control::{ManifestOutcome, McpStatus, McpToggle};
use agentwire::protocol::host::SessionUpdate;
use agentwire::protocol::message::TerminalReason;
use agentwire::schemars::{self, JsonSchema};
use agentwire::{Client, Event, Handle, Notice, Options, PermissionResult, SubmissionState};
use agentwire_testkit::{Scenario, Step};
use rmcp::handler::server::common::Extension;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InitializeRequestParams,
    InitializeResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::{Barrier, mpsc};

#[path = "../support/library.rs"]
mod library;

pub(crate) use library::Library;

fn call(tool: &str, input: Value) -> Step {
    Step::tool(format!("mcp__s__{tool}"), input, "")
}

fn options(live: &Live) -> Options {
    let options = live.options().partial_messages(false);
    options.on_permission(|_| async { PermissionResult::allow() })
}

/// Returns the comparable events of a turn.
async fn log_of_turn(client: &mut Client, prompt: &str) -> Vec<String> {
    let mut turn = client.send(prompt).turn();
    let mut log = vec![];
    while let Some(event) = turn.next().await {
        log.extend(describe(&event.unwrap()));
    }
    until_idle(client).await;
    log
}

/// An MCP server that is written with rmcp's macros.
#[derive(Clone)]
struct Bench {
    /// A barrier for concurrent calls.
    meeting: Arc<Barrier>,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[derive(Deserialize, JsonSchema)]
struct Numbered {
    number: usize,
}

#[tool_router]
impl Bench {
    #[tool(
        description = "Waits until ten of its kind run.",
        annotations(read_only_hint = true)
    )]
    async fn slow(&self, Parameters(Numbered { number }): Parameters<Numbered>) -> String {
        self.meeting.wait().await;
        format!("met {number}")
    }

    #[tool(description = "Fails, after the agent had all time to call others as well.")]
    async fn fails(
        &self,
        Parameters(Numbered { number }): Parameters<Numbered>,
        Extension(session): Extension<Handle>,
    ) -> Result<String, String> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        for _ in 0..5 {
            // Each request lets the agent read and write, so that it can make another
            // call.
            session.request(&McpStatus::default()).await.unwrap();
        }
        self.running.fetch_sub(1, Ordering::SeqCst);
        Err(format!("failed {number}"))
    }

    #[tool(description = "Reports progress.")]
    async fn reports(&self, context: RequestContext<RoleServer>) -> String {
        let token = context.meta.get_progress_token().unwrap();
        for done in 1..=20 {
            let progress = ProgressNotificationParam::new(token.clone(), f64::from(done));
            let progress = progress.with_total(20.0).with_message("on");
            context.peer.notify_progress(progress).await.unwrap();
        }
        "reported".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Bench {}

#[tokio::test]
async fn calls_of_read_only_tools_run_at_once_and_others_in_turn() {
    let ten = |tool| (0..10).map(move |number| call(tool, json!({ "number": number })));
    let scenario = Scenario::default()
        .reply(ten("slow"))
        .reply(ten("fails"))
        .reply([call("reports", json!({}))])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let bench = Bench {
        meeting: Arc::new(Barrier::new(10)),
        running: Arc::default(),
        most: Arc::default(),
    };
    let options = options(&live).mcp_server("s", bench.clone());
    let mut client = Client::connect(options).await.unwrap();
    let log = log_of_turn(&mut client, "Go").await;
    assert_eq!(bench.most.load(Ordering::SeqCst), 1);
    for number in 0..10 {
        let met = format!("tool answered: met {number}");
        assert!(log.contains(&met), "{met}: {log:#?}");
        // The CLI adds the description of a tool that the model has not seen.
        let failed = format!("tool failed: failed {number}\n");
        let has_failed = log.iter().any(|it| it.starts_with(&failed));
        assert!(has_failed, "{failed}: {log:#?}");
    }
    let end = &log[log.len() - 3..];
    let expected = [
        "tool answered: reported",
        "text: Done.",
        "result: success fine",
    ];
    assert_eq!(end, expected);
    // There were no notices: no stray responses and no unknown requests.
    assert!(!log.iter().any(|it| it.starts_with("notice")), "{log:#?}");
    client.close().await;
}

/// A server that adds a tool, and counts its requests.
#[derive(Clone, Default)]
struct Growing {
    has_grown: Arc<AtomicBool>,
    handshakes: Arc<AtomicUsize>,
    lists: Arc<AtomicUsize>,
    /// The version of MCP that the server supports, if it is an old one.
    version: Option<ProtocolVersion>,
}

impl Growing {
    fn seen(&self) -> (usize, usize) {
        let handshakes = self.handshakes.load(Ordering::SeqCst);
        (handshakes, self.lists.load(Ordering::SeqCst))
    }
}

impl ServerHandler for Growing {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let info = ServerConfig::new(capabilities);
        match &self.version {
            Some(version) => info.with_protocol_version(version.clone()),
            None => info,
        }
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        match &self.version {
            Some(version) => vec![version.clone()].into(),
            None => ProtocolVersion::KNOWN_VERSIONS.into(),
        }
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.handshakes.fetch_add(1, Ordering::SeqCst);
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.lists.fetch_add(1, Ordering::SeqCst);
        let schema = serde_json::Map::from_iter([("type".to_owned(), "object".into())]);
        let names: &[_] = if self.has_grown.load(Ordering::SeqCst) {
            &["grow", "grown"]
        } else {
            &["grow"]
        };
        let tools = names
            .iter()
            .map(|name| Tool::new(*name, "Grows.", schema.clone()));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "grow" {
            self.has_grown.store(true, Ordering::SeqCst);
            context.peer.notify_tool_list_changed().await.unwrap();
        }
        let text = ContentBlock::text(format!("called {}", request.name));
        Ok(CallToolResult::success(vec![text]).into())
    }
}

#[tokio::test]
async fn a_handshake_of_the_host_needs_no_round_trips_and_tools_may_change() {
    let scenario = Scenario::default()
        .reply([call("grow", json!({}))])
        .reply([Step::text("Done.")])
        .reply([call("grown", json!({}))])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let server = Growing::default();
    let options = options(&live).mcp_server("s", server.clone());
    let mut client = Client::connect(options).await.unwrap();
    let parked = client.initialized().sdk_mcp_manifests_parked.clone();
    assert_eq!(
        parked,
        Some([("s".to_owned(), ManifestOutcome::Parked)].into())
    );
    let status = client.request(&McpStatus::default()).await.unwrap();
    let tools = status.mcp_servers[0].tools.as_deref().unwrap();
    assert_eq!(tools.len(), 1);
    // The host made both requests.
    assert_eq!(server.seen(), (1, 1));

    let log = log_of_turn(&mut client, "Grow").await;
    assert_eq!(log[1], "tool answered: called grow");
    let log = log_of_turn(&mut client, "Use it").await;
    assert_eq!(log[1], "tool answered: called grown");
    assert_eq!(server.seen(), (1, 2));

    // A server is initialized again when it is disabled and enabled.
    for enabled in [false, true] {
        let mut toggle = McpToggle::default();
        toggle.server_name = "s".to_owned();
        toggle.enabled = enabled;
        client.request(&toggle).await.unwrap();
    }
    assert_eq!(server.seen(), (2, 3));
    client.close().await;
}

#[tokio::test]
async fn the_cli_repeats_a_handshake_that_it_does_not_accept() {
    let scenario = Scenario::default()
        .reply([call("grow", json!({}))])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let server = Growing {
        version: Some(ProtocolVersion::V_2025_06_18),
        ..Growing::default()
    };
    let options = options(&live).mcp_server("s", server.clone());
    let mut client = Client::connect(options).await.unwrap();
    let parked = client.initialized().sdk_mcp_manifests_parked.clone();
    let outcome = ManifestOutcome::ProtocolVersionMismatch;
    assert_eq!(parked, Some([("s".to_owned(), outcome)].into()));
    let log = log_of_turn(&mut client, "Grow").await;
    assert_eq!(log[1], "tool answered: called grow");
    assert_eq!(server.handshakes.load(Ordering::SeqCst), 2);
    client.close().await;
}

#[tokio::test]
async fn a_tool_may_set_the_model_and_interrupt_its_own_turn() {
    let scenario = Scenario::default()
        .reply([call("control", json!({}))])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let (does, mut done) = mpsc::unbounded_channel();
    let tools = Tools::new().tool("control", "Controls.", move |(): (), call: Call| {
        let does = does.clone();
        async move {
            let session = call.session().unwrap();
            let model = session.set_model("claude-haiku-4-5").await.unwrap();
            does.send(model.model.unwrap()).unwrap();
            does.send(call.tool_use_id().unwrap().to_owned()).unwrap();
            session.interrupt().await.unwrap();
            call.cancelled().await;
            does.send("cancelled".to_owned()).unwrap();
            Ok::<_, String>("too late")
        }
    });
    let options = options(&live).mcp_server("s", tools);
    let mut client = Client::connect(options).await.unwrap();
    let mut submission = client.send("Control");
    let result = wait_for(&mut client, |event| match event {
        Event::Turn(agentwire::TurnEvent::Ended(end)) => end.result(),
        _ => None,
    })
    .await;
    assert_eq!(result.terminal_reason, Some(TerminalReason::AbortedTools));
    assert_eq!(submission.final_state().await, SubmissionState::Interrupted);
    assert_eq!(done.recv().await.unwrap(), "claude-haiku-4-5");
    assert!(done.recv().await.unwrap().starts_with("toolu_"));
    assert_eq!(done.recv().await.unwrap(), "cancelled");
    until_idle(&mut client).await;

    // The session continues.
    let log = log_of_turn(&mut client, "And?").await;
    assert_eq!(log, ["text: Done.", "result: success fine"]);
    assert!(client.close().await.exit.unwrap().success());
}

/// Resources of servers in the host are listed and read. The CLI does not request their
/// prompts.
#[tokio::test]
async fn resources_are_served() {
    let scenario = Scenario::default()
        .reply([Step::tool(
            "ListMcpResourcesTool",
            json!({ "server": "s" }),
            "",
        )])
        .reply([Step::tool(
            "ReadMcpResourceTool",
            json!({ "server": "s", "uri": "book://page" }),
            "",
        )])
        .reply([Step::text("Read.")]);
    let live = Live::start(scenario).await;
    let options = options(&live).mcp_server("s", Library::default());
    let mut client = Client::connect(options).await.unwrap();
    let log = log_of_turn(&mut client, "Read it").await;
    assert!(log[1].contains("book://page"), "{log:#?}");
    assert!(log[3].contains("It was a dark night."), "{log:#?}");
    assert!(!log.iter().any(|it| it.starts_with("notice")), "{log:#?}");
    client.close().await;
}

#[tokio::test]
async fn a_server_of_the_host_stays_when_others_are_set() {
    let scenario = Scenario::default()
        .reply([call("add", json!({ "number": 1 }))])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let tools = Tools::new().read_only_tool("add", "Adds one.", |input: Numbered| async move {
        Ok::<_, String>(input.number + 1)
    });
    let options = options(&live).mcp_server("s", tools);
    let mut client = Client::connect(options).await.unwrap();
    let answer = client.mcp_set_servers([("tiny", tiny())]).await.unwrap();
    assert_eq!(answer.added.as_deref(), Some(&["tiny".to_owned()][..]));
    assert_eq!(answer.removed.unwrap_or_default(), [""; 0]);
    let ready = client.await_mcp_servers(&["s", "tiny"], LONG).await;
    assert!(ready.unwrap().is_ready());
    let log = log_of_turn(&mut client, "Add").await;
    assert_eq!(log[1], "tool answered: 2");
    client.close().await;
}

/// A server that lists these tools. With `None`, the list fails.
#[derive(Clone)]
struct Listing(Option<Value>);

impl ServerHandler for Listing {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let Some(tools) = &self.0 else {
            return Err(ErrorData::internal_error("no luck", None));
        };
        Ok(serde_json::from_value(json!({ "tools": tools })).unwrap())
    }
}

/// Returns the tools that the agent uses of a server, and the tools that a notice reports
/// as unusable. `*` stands for all tools.
async fn used_and_noticed(server: Listing) -> (Vec<String>, Vec<String>) {
    let live = Live::start(Scenario::default().reply([Step::text("Done.")])).await;
    let options = options(&live).mcp_server("s", server);
    let mut client = Client::connect(options).await.unwrap();
    // If the list of tools fails, the agent lists the server only after it has requested
    // the tools four times.
    let ready = client.await_mcp_ready(LONG).await.unwrap();
    assert!(ready.is_ready() && ready.servers.len() == 1, "{ready:?}");
    client.send("Go.");
    let mut noticed = vec![];
    let used = wait_for(&mut client, |event| match event {
        Event::Notice(Notice::McpToolsUnusable { tool, .. }) => {
            noticed.push(tool.as_deref().unwrap_or("*").to_owned());
            None
        }
        Event::Session(SessionUpdate::Began(init)) => {
            let tools = init.tools.iter().flatten();
            let tools = tools.filter_map(|it| it.strip_prefix("mcp__s__"));
            Some(tools.map(str::to_owned).collect())
        }
        _ => None,
    })
    .await;
    client.close().await;
    (used, noticed)
}

#[tokio::test]
async fn the_tools_that_are_noticed_are_those_that_the_agent_ignores() {
    let an_object = || json!({ "type": "object" });
    let named = |name: &str, schema: Value| json!({ "name": name, "inputSchema": schema });
    for bad in [
        json!({}),
        json!({ "type": "string" }),
        json!({ "$ref": "#/$defs/A", "$defs": { "A": an_object() } }),
        json!({ "type": "object", "required": "a" }),
        json!({ "type": "object", "properties": null }),
    ] {
        let tools = json!([named("fine", an_object()), named("bad", bad)]);
        let (used, noticed) = used_and_noticed(Listing(Some(tools.clone()))).await;
        assert_eq!(
            (used.len(), &*noticed),
            (0, &["*".to_owned()][..]),
            "{tools}"
        );
    }
    for listed in [None, Some(json!([]))] {
        let (used, noticed) = used_and_noticed(Listing(listed)).await;
        assert_eq!((used.len(), &*noticed), (0, &["*".to_owned()][..]));
    }
    let (longest, long) = ("x".repeat(120), "y".repeat(121));
    let tools = json!([
        named("a b", an_object()),
        named("a.b", an_object()),
        named("\u{e9}", an_object()),
        named(&longest, an_object()),
        named(&long, an_object()),
        named(
            "bad",
            json!({ "type": "object", "properties": { "a": "x" } })
        ),
    ]);
    let (mut used, noticed) = used_and_noticed(Listing(Some(tools))).await;
    used.sort();
    assert_eq!(used, ["_", "a_b", &longest]);
    assert_eq!(noticed, ["a.b", &long, "bad"]);
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Move {
    Walk { steps: u8 },
    Stop,
}

#[derive(Deserialize, JsonSchema)]
struct Newtype(Numbered);

#[tokio::test]
async fn the_model_sees_all_variants_of_an_input() {
    let scenario = Scenario::default()
        .reply([
            call("go", json!({ "kind": "Walk", "steps": 2 })),
            call("go", json!({ "kind": "Stop" })),
            call("new", json!({ "number": 3 })),
        ])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let tools = Tools::new()
        .tool("go", "", |input: Move| async move {
            Ok::<_, String>(match input {
                Move::Walk { steps } => format!("walked {steps}"),
                Move::Stop => "stopped".to_owned(),
            })
        })
        .tool("new", "", |Newtype(it): Newtype| async move {
            Ok::<_, String>(it.number.to_string())
        });
    let options = options(&live).mcp_server("s", tools);
    let options = options.env("ENABLE_TOOL_SEARCH", "0");
    let mut client = Client::connect(options).await.unwrap();
    let log = log_of_turn(&mut client, "Go.").await;
    let answers: Vec<_> = log.iter().filter(|it| it.starts_with("tool ")).collect();
    let expected = ["walked 2", "stopped", "3"].map(|it| format!("tool answered: {it}"));
    assert_eq!(answers, expected.iter().collect::<Vec<_>>());
    let asked = live.model.asked(0).await.body.unwrap();
    let tools = asked["tools"].as_array().unwrap();
    let schema = |name: &str| {
        let tool = tools.iter().find(|it| it["name"] == name).unwrap();
        assert_eq!(tool["input_schema"]["oneOf"], Value::Null, "{tool}");
        tool["input_schema"]["properties"].clone()
    };
    let go = schema("mcp__s__go");
    let kinds = go["kind"].to_string();
    assert!(kinds.contains("Walk") && kinds.contains("Stop") && go["steps"].is_object());
    assert!(schema("mcp__s__new")["number"].is_object());
    client.close().await;
}
