//! Tests of elicitations of MCP servers through the real CLI.

use crate::support::Live;
use agentwire::hook::HookCall;
use agentwire::protocol::control::McpCall;
use agentwire::protocol::hook::{HookEvent, HookKind, HookOutput};
use agentwire::protocol::mcp::{
    ElicitationMode, McpElicitationResult, McpServerConfig, McpStdioServer,
};
use agentwire::{Client, Hook, Options};
use agentwire_testkit::Scenario;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An MCP server whose tools send elicitations, and return the responses.
const ASKING: &str = r#"
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
ask() {
    say '"id":77,"method":"elicitation/create","params":'"$1"
    until read -r answer && case $answer in *'"id":77'*) ;; *) false ;; esac; do :; done
    text=$(printf %s "$answer" | tr -d '"{}[]')
    result='{"content":[{"type":"text","text":"'$text'"}]}'
}
while read -r line; do
    id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"asking","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"form","inputSchema":{"type":"object"}},{"name":"page","inputSchema":{"type":"object"}}]}' ;;
    *'"name":"form"'*) ask '{"message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}' ;;
    *'"name":"page"'*) ask '{"mode":"url","message":"Log in.","elicitationId":"e1","url":"https://bank.example/login"}' ;;
    *) continue ;;
    esac
    say '"id":'"$id"',"result":'"$result"
done
"#;

/// Calls a tool of the [`ASKING`] server. Returns the text of its result.
async fn call_tool(options: Options, tool: &str) -> String {
    let server: McpServerConfig = McpStdioServer::new("sh", ["-c", ASKING]).into();
    let mut client = Client::connect(options).await.unwrap();
    let added = client.mcp_set_servers([("bank", server)]).await.unwrap();
    assert!(added.errors.is_none_or(|it| it.is_empty()));
    let call = McpCall::new(format!("mcp__bank__{tool}"), json!({}));
    let answer = client.mcp_call(&call).await.unwrap();
    client.close().await;
    answer.content.unwrap().to_value().unwrap()[0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn forms_and_pages_are_answered_or_declined() {
    for (tool, answers, expected) in [
        ("form", true, "action:accept,content:name:Ada"),
        ("form", false, "action:decline"),
        ("page", true, "action:accept"),
        ("page", false, "action:decline"),
    ] {
        let live = Live::start(Scenario::default()).await;
        let mut options = live.options();
        if answers {
            options = options.on_elicitation(|ask| async move {
                let request = &ask.request;
                assert_eq!(request.mcp_server_name, "bank");
                match &request.mode {
                    Some(ElicitationMode::Url) => {
                        assert_eq!(request.url.as_deref(), Some("https://bank.example/login"));
                        McpElicitationResult::accept_url()
                    }
                    _ => {
                        let schema = request.requested_schema.as_ref().unwrap();
                        assert!(schema.get().contains("name"), "{schema}");
                        McpElicitationResult::accept(json!({"name": "Ada"}))
                    }
                }
            });
        }
        let told = call_tool(options, tool).await;
        assert!(told.contains(expected), "{tool}: {told}");
    }
}

#[tokio::test]
async fn hooks_decline_before_and_after_the_user_is_asked() {
    for event in [HookKind::Elicitation, HookKind::ElicitationResult] {
        let live = Live::start(Scenario::default()).await;
        let asked = Arc::new(AtomicBool::new(false));
        let (is_asked, kind) = (Arc::clone(&asked), event.clone());
        let hook = Hook::named(event.clone(), move |_: HookCall<HookEvent>| {
            let denial = HookOutput::denial(&kind, "no").unwrap();
            async { denial }
        });
        let options = live.options().hook(hook).on_elicitation(move |_| {
            is_asked.store(true, Ordering::SeqCst);
            async { McpElicitationResult::accept(json!({"name": "Ada"})) }
        });
        let told = call_tool(options, "form").await;
        assert!(told.contains("action:decline"), "{event}: {told}");
        let after = event == HookKind::ElicitationResult;
        assert_eq!(asked.load(Ordering::SeqCst), after, "{event}");
    }
}
