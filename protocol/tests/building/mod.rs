//! Tests of the JSON of constructors and setters, one line for each. Required
//! members are present. Unset members are absent, not `null`.

#![allow(clippy::unwrap_used)]

mod hooks;

use agentwire_protocol::Json;
use agentwire_protocol::agent_definition::{AgentDefinition, AgentMemory};
use agentwire_protocol::content::{
    Base64Source, ContentBlock, DocumentBlock, ImageBlock, NotBase64, Source,
};
use agentwire_protocol::control::{
    ClaudeAuthenticate, ClaudeOauthCallback, ClaudeOauthWaitForCompletion, GenerateSessionTitle,
    HostRequest, McpAuthenticate, McpCall, McpClearAuth, McpOauthCallbackUrl, McpReadResource,
    McpSetServers, ReloadPlugins, SetCwd, SetMaxThinkingTokens, SetMcpPermissionModeOverride,
};
use agentwire_protocol::dialog::{RequestUserDialog, UserDialogResult};
use agentwire_protocol::hook::{
    ElicitationOutput, PermissionRequestOutput, PostToolUseOutput, PreToolUseOutput,
};
use agentwire_protocol::mcp::{
    McpElicitation, McpElicitationResult, McpHttpServer, McpPermissionPolicy, McpSdkServer,
    McpServerConfig, McpSseServer, McpStdioServer, McpToolPolicy,
};
use agentwire_protocol::message::{Priority, UserBody, UserMessage};
use agentwire_protocol::model::{EffortLevel, ThinkingDisplay};
use agentwire_protocol::permission::{
    Allow, CanUseTool, DecisionClassification, Deny, PermissionBehavior, PermissionDestination,
    PermissionMode, PermissionResult, PermissionRule, PermissionUpdate,
};
use agentwire_protocol::plugin::{LocalPlugin, PluginConfig};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::fmt::Debug;

/// Asserts that the value is written as this JSON, and that reading the JSON
/// returns the value.
#[track_caller]
fn writes<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, json: &str) {
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    assert_eq!(serde_json::from_str::<T>(json).unwrap(), value);
}

/// Calls [`writes`] for each of several values.
macro_rules! write_all {
    ($($value:expr => $json:expr,)*) => {$( writes($value, $json); )*};
}
pub(super) use write_all;

#[test]
fn prompts() {
    let message = |members: &str| {
        format!(
            r#"{{"type":"user","message":{{"role":"user","content":"Go"}},{members}"parent_tool_use_id":null}}"#
        )
    };
    let go = || UserMessage::text("Go");
    write_all! {
        go() => &message(""),
        go().uuid("u") => &message(r#""uuid":"u","#),
    }
    for (priority, name) in [
        (Priority::Now, "now"),
        (Priority::Next, "next"),
        (Priority::Later, "later"),
    ] {
        let member = format!(r#""priority":"{name}","#);
        writes(go().priority(priority), &message(&member));
    }
    write_all! {
        go().verbatim() => &message(r#""client_composed":true,"#),
        go().should_query(false) => &message(r#""shouldQuery":false,"#),
        go().synthetic() => &message(r#""isSynthetic":true,"#),
    }
    // The agent exits on a message without a role.
    write_all! {
        UserBody::default() => r#"{"role":"user"}"#,
        UserMessage::text("Go").with(ImageBlock::new(Source::url("u"))).message =>
            r#"{"role":"user","content":[{"type":"text","text":"Go"},{"type":"image","source":{"type":"url","url":"u"}}]}"#,
    }
}

#[test]
fn attachments() {
    write_all! {
        Source::bytes("image/png", b"\x89PNG") =>
            r#"{"type":"base64","media_type":"image/png","data":"iVBORw=="}"#,
        Source::url("u") => r#"{"type":"url","url":"u"}"#,
        Source::text("é") => r#"{"type":"text","media_type":"text/plain","data":"é"}"#,
        Source::uploaded("file_1") => r#"{"type":"file","file_id":"file_1"}"#,
        ContentBlock::from(ImageBlock::new(Base64Source::new("image/gif", "GIF"))) =>
            r#"{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lG"}}"#,
    }
    let document = || DocumentBlock::new(Source::uploaded("f"));
    for (block, members) in [
        (document(), ""),
        (document().title("T"), r#","title":"T""#),
        (document().context("C"), r#","context":"C""#),
        (document().cited(), r#","citations":{"enabled":true}"#),
    ] {
        writes(
            ContentBlock::from(block),
            &format!(r#"{{"type":"document","source":{{"type":"file","file_id":"f"}}{members}}}"#),
        );
    }
}

#[test]
fn base64_is_decoded_or_an_error_gives_the_reason() {
    let all: Vec<u8> = (0..=255).collect();
    for length in [0, 1, 2, 3, 256] {
        let source = Base64Source::new("application/pdf", &all[..length]);
        assert_eq!(source.decode().unwrap(), all[..length]);
    }
    for data in ["iVBORw", "iVBO\nRw==", "-_-_", "é", "="] {
        let mut source = Base64Source::new("image/png", "");
        source.data = data.to_owned();
        let error: NotBase64 = source.decode().unwrap_err();
        assert!(error.to_string().starts_with("the data is not base64: "));
    }
}

#[test]
fn agent_definitions() {
    let agent = || AgentDefinition::new("D", "P");
    for (agent, before, after) in [
        (agent(), "", ""),
        (agent().tools(["Read"]), r#""tools":["Read"],"#, ""),
        (agent().tools([]), r#""tools":[],"#, ""),
        (
            agent().disallowed_tools(["mcp__a"]),
            r#""disallowedTools":["mcp__a"],"#,
            "",
        ),
        (agent().model("inherit"), "", r#","model":"inherit""#),
        (
            agent()
                .mcp_server("a")
                .own_mcp_server("b", McpSdkServer::new("b")),
            "",
            r#","mcpServers":["a",{"b":{"type":"sdk","name":"b"}}]"#,
        ),
        (agent().skills(["pdf"]), "", r#","skills":["pdf"]"#),
        (agent().max_turns(3), "", r#","maxTurns":3"#),
        (agent().background(), "", r#","background":true"#),
        (
            agent().memory(AgentMemory::Project),
            "",
            r#","memory":"project""#,
        ),
        (agent().effort(EffortLevel::High), "", r#","effort":"high""#),
        (
            agent().permission_mode(PermissionMode::Plan),
            "",
            r#","permissionMode":"plan""#,
        ),
    ] {
        writes(
            agent,
            &format!(r#"{{"description":"D",{before}"prompt":"P"{after}}}"#),
        );
    }
}

#[test]
fn mcp_servers() {
    let deny = || McpToolPolicy::new("t", McpPermissionPolicy::AlwaysDeny);
    writes(deny(), r#"{"name":"t","permission_policy":"always_deny"}"#);
    let stdio = || McpStdioServer::new("c", ["a"]);
    for (server, members) in [
        (stdio(), ""),
        (
            stdio().env("K", "1").env("L", "2"),
            r#","env":{"K":"1","L":"2"}"#,
        ),
        (stdio().timeout(2000), r#","timeout":2000"#),
        (stdio().always_load(), r#","alwaysLoad":true"#),
    ] {
        writes(
            McpServerConfig::from(server),
            &format!(r#"{{"type":"stdio","command":"c","args":["a"]{members}}}"#),
        );
    }
    let http = || McpHttpServer::new("u");
    let sse = || McpSseServer::new("u");
    for (http, sse, members) in [
        (http(), sse(), ""),
        (
            http().header("A", "1").header("B", "2"),
            sse().header("A", "1").header("B", "2"),
            r#","headers":{"A":"1","B":"2"}"#,
        ),
        (
            http().tools([deny()]),
            sse().tools([deny()]),
            r#","tools":[{"name":"t","permission_policy":"always_deny"}]"#,
        ),
        (
            http().timeout(2000),
            sse().timeout(2000),
            r#","timeout":2000"#,
        ),
        (
            http().always_load(),
            sse().always_load(),
            r#","alwaysLoad":true"#,
        ),
    ] {
        let json = |kind: &str| format!(r#"{{"type":"{kind}","url":"u"{members}}}"#);
        writes(McpServerConfig::from(http), &json("http"));
        writes(McpServerConfig::from(sse), &json("sse"));
    }
    let sdk = || McpSdkServer::new("n");
    for (server, members) in [
        (sdk(), ""),
        (sdk().timeout(1500.5), r#","timeout":1500.5"#),
        (
            sdk().tools([deny()]),
            r#","tools":[{"name":"t","permission_policy":"always_deny"}]"#,
        ),
    ] {
        writes(
            McpServerConfig::from(server),
            &format!(r#"{{"type":"sdk","name":"n"{members}}}"#),
        );
    }
    writes(
        McpSetServers::to([("n", sdk())]),
        r#"{"subtype":"mcp_set_servers","servers":{"n":{"type":"sdk","name":"n"}}}"#,
    );
}

#[test]
fn permission_results() {
    let rule = || PermissionRule::new("Bash").content("git *");
    let remembering = Allow::default().updated_permissions([PermissionUpdate::add_rules(
        [rule()],
        PermissionBehavior::Allow,
        PermissionDestination::Session,
    )]);
    write_all! {
        PermissionResult::allow() => r#"{"behavior":"allow"}"#,
        PermissionResult::allow_with(json!({ "a": 1 })) => r#"{"behavior":"allow","updatedInput":{"a":1}}"#,
        PermissionResult::from(remembering) =>
            r#"{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"git *"}],"behavior":"allow","destination":"session"}]}"#,
        PermissionResult::from(Allow::default().decision_classification(DecisionClassification::UserPermanent)) =>
            r#"{"behavior":"allow","decisionClassification":"user_permanent"}"#,
        PermissionResult::deny("no") => r#"{"behavior":"deny","message":"no"}"#,
        PermissionResult::deny_and_interrupt("no") =>
            r#"{"behavior":"deny","message":"no","interrupt":true}"#,
        PermissionResult::from(Deny::new("no").interrupt()) => r#"{"behavior":"deny","message":"no","interrupt":true}"#,
        PermissionResult::from(Deny::new("no").decision_classification(DecisionClassification::UserReject)) =>
            r#"{"behavior":"deny","message":"no","decisionClassification":"user_reject"}"#,
    }
}

#[test]
fn permission_updates() {
    use PermissionBehavior::{Ask, Deny};
    use PermissionDestination::{ProjectSettings, UserSettings};
    let rules = || [PermissionRule::new("Bash")];
    write_all! {
        PermissionUpdate::add_rules(rules(), Deny, UserSettings) =>
            r#"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"userSettings"}"#,
        PermissionUpdate::replace_rules(rules(), Ask, ProjectSettings) =>
            r#"{"type":"replaceRules","rules":[{"toolName":"Bash"}],"behavior":"ask","destination":"projectSettings"}"#,
        PermissionUpdate::remove_rules(rules(), Deny, UserSettings) =>
            r#"{"type":"removeRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"userSettings"}"#,
        PermissionUpdate::set_mode(PermissionMode::AcceptEdits, UserSettings) =>
            r#"{"type":"setMode","mode":"acceptEdits","destination":"userSettings"}"#,
        PermissionUpdate::add_directories(["/a"], UserSettings) =>
            r#"{"type":"addDirectories","directories":["/a"],"destination":"userSettings"}"#,
        PermissionUpdate::remove_directories(["/a"], UserSettings) =>
            r#"{"type":"removeDirectories","directories":["/a"],"destination":"userSettings"}"#,
    }
}

#[test]
fn elicitations_and_dialogs() {
    write_all! {
        McpElicitationResult::accept(json!({ "a": 1 })) => r#"{"action":"accept","content":{"a":1}}"#,
        McpElicitationResult::accept_url() => r#"{"action":"accept"}"#,
        McpElicitationResult::decline() => r#"{"action":"decline"}"#,
        McpElicitationResult::cancel() => r#"{"action":"cancel"}"#,
    }
    write_all! {
        UserDialogResult::completed("yes") => r#"{"behavior":"completed","result":"yes"}"#,
        UserDialogResult::cancelled() => r#"{"behavior":"cancelled"}"#,
    }
}

#[test]
fn requests_of_the_agent() {
    write_all! {
        CanUseTool::new("Bash", json!({ "command": "ls" })) =>
            r#"{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}"#,
        RequestUserDialog::new("k", json!({})) =>
            r#"{"subtype":"request_user_dialog","dialog_kind":"k","payload":{}}"#,
        McpElicitation::form("s", "Who?", json!({ "type": "object" })) =>
            r#"{"subtype":"elicitation","mcp_server_name":"s","message":"Who?","mode":"form","requested_schema":{"type":"object"}}"#,
        McpElicitation::url("s", "Log in", "https://example.com") =>
            r#"{"subtype":"elicitation","mcp_server_name":"s","message":"Log in","mode":"url","url":"https://example.com"}"#,
    }
}

#[test]
fn an_updated_input_other_than_an_object_denies() {
    let no = "The host wanted to run the tool with an input that is no object.";
    for input in [json!(null), json!("ls"), json!(["ls"])] {
        writes(
            PermissionResult::allow_with(input.clone()),
            &format!(r#"{{"behavior":"deny","message":"{no}"}}"#),
        );
        writes(
            PreToolUseOutput::allow_with(input.clone()),
            &format!(
                r#"{{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"{no}"}}"#
            ),
        );
        writes(
            PermissionRequestOutput::allow_with(input),
            &format!(
                r#"{{"hookEventName":"PermissionRequest","decision":{{"behavior":"deny","message":"{no}"}}}}"#
            ),
        );
    }
}

#[test]
fn unset_members_are_omitted() {
    let null = Json::null;
    write_all! {
        PostToolUseOutput::default().updated_tool_output(null()) => r#"{"hookEventName":"PostToolUse"}"#,
        McpElicitationResult::accept(null()) => r#"{"action":"accept"}"#,
        ElicitationOutput::accept(null()) => r#"{"hookEventName":"Elicitation","action":"accept"}"#,
    }
}

#[test]
fn requests() {
    write_all! {
        GenerateSessionTitle::new("x").persisted() =>
            r#"{"subtype":"generate_session_title","description":"x","persist":true}"#,
        SetCwd::to("a").trusting("/b/a") =>
            r#"{"subtype":"set_cwd","path":"a","trust_accepted":true,"trusted_directory":"/b/a"}"#,
        SetMaxThinkingTokens::shown(ThinkingDisplay::Summarized) =>
            r#"{"subtype":"set_max_thinking_tokens","thinking_display":"summarized"}"#,
        SetMcpPermissionModeOverride::to("a", PermissionMode::Default) =>
            r#"{"subtype":"set_mcp_permission_mode_override","serverName":"a","mode":"default"}"#,
        SetMcpPermissionModeOverride::clear("a") =>
            r#"{"subtype":"set_mcp_permission_mode_override","serverName":"a","mode":null}"#,
        ClaudeAuthenticate::subscription() =>
            r#"{"subtype":"claude_authenticate","loginWithClaudeAi":true}"#,
        ClaudeAuthenticate::console() =>
            r#"{"subtype":"claude_authenticate","loginWithClaudeAi":false}"#,
        ClaudeOauthCallback::new("a", "b") =>
            r#"{"subtype":"claude_oauth_callback","authorizationCode":"a","state":"b"}"#,
        ClaudeOauthWaitForCompletion::default() =>
            r#"{"subtype":"claude_oauth_wait_for_completion"}"#,
        McpAuthenticate::new("a").redirect_uri("b") =>
            r#"{"subtype":"mcp_authenticate","serverName":"a","redirectUri":"b"}"#,
        McpOauthCallbackUrl::new("a", "b") =>
            r#"{"subtype":"mcp_oauth_callback_url","serverName":"a","callbackUrl":"b"}"#,
        McpClearAuth::new("a") => r#"{"subtype":"mcp_clear_auth","serverName":"a"}"#,
    }
    let plugin = PluginConfig::from(LocalPlugin::new("/p"));
    write_all! {
        ReloadPlugins::default().adding(plugin).hold_on_cache_impact().refuse_if_busy() =>
            r#"{"subtype":"reload_plugins","hold_on_cache_impact":true,"add_plugins":[{"type":"local","path":"/p"}],"refuse_if_busy":true}"#,
        McpCall::new("t", json!({})).check_permissions().result_not_for_model() =>
            r#"{"subtype":"mcp_call","tool":"t","arguments":{},"result_not_for_model":true,"check_permissions":true}"#,
    }
}

#[test]
fn a_request_relies_on_members_that_an_agent_could_ignore() {
    let call = McpCall::new("t", json!({}));
    assert_eq!(call.relies_on(), [""; 0]);
    assert_eq!(
        call.check_permissions().result_not_for_model().relies_on(),
        [
            "mcp_call_check_permissions_v1",
            "mcp_call_result_not_for_model_v1"
        ]
    );
    let reload = ReloadPlugins::default().hold_on_cache_impact();
    assert_eq!(reload.relies_on(), [""; 0]);
    let needs = reload.refuse_if_busy().relies_on();
    assert_eq!(needs, ["reload_plugins_refuse_if_busy_v1"]);
    // The agent itself refuses unknown requests.
    assert_eq!(McpReadResource::new("a", "ui://b").relies_on(), [""; 0]);
}
