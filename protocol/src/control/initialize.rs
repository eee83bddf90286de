//! The first request of a session, and what the agent says of itself in its
//! answer.

use super::request::HostRequest;
use crate::agent_definition::{AgentDefinition, AgentInfo};
use crate::hook::Hooks;
use crate::json::{Json, Number};
use crate::mcp::{McpServerConfig, McpToolPolicy};
use crate::message::SessionState;
use crate::model::{FastModeDisabledReason, FastModeState, ModelInfo};
use crate::open::{object, open_enum};
use crate::permission::PermissionMode;
use crate::plugin::PluginConfig;
use crate::slash_command::SlashCommand;
use std::collections::BTreeMap;

object! {
    /// The first request of a session: what the host is and has.
    #[derive(Default)]
    pub struct Initialize tags("subtype" = "initialize") {
        /// Hooks, as ids that `hook_callback` requests refer to.
        pub hooks: Option<Hooks>,
        /// MCP servers that run inside the host.
        pub sdk_mcp_servers: Option<Vec<String>> = "sdkMcpServers",
        /// What is said about those servers, by name.
        pub sdk_mcp_server_configs: Option<BTreeMap<String, SdkMcpServerConfig>> = "sdkMcpServerConfigs",
        /// What those servers answered to a handshake that the host made, by
        /// name, so that the agent need not make its own. The agent may make
        /// it all the same.
        pub sdk_mcp_server_manifests: Option<BTreeMap<String, SdkMcpServerManifest>> = "sdkMcpServerManifests",
        /// How old those answers may be. Not needed on stdio.
        pub sdk_mcp_server_manifests_origin: Option<ManifestsOrigin> = "sdkMcpServerManifestsOrigin",
        /// The shape that answers are to have, as a JSON Schema.
        pub json_schema: Option<Json> = "jsonSchema",
        /// The system prompt, in place of the agent's own.
        pub system_prompt: Option<Vec<String>> = "systemPrompt",
        /// What is added to the agent's own system prompt.
        pub append_system_prompt: Option<String> = "appendSystemPrompt",
        /// Whether the first system prompt is kept for the whole conversation;
        /// it is, when absent.
        pub system_prompt_snapshot: Option<bool> = "systemPromptSnapshot",
        /// What the model is told to do in plan mode, in place of the agent's
        /// own phases.
        pub plan_mode_instructions: Option<String> = "planModeInstructions",
        /// Tools that run in place of others, by the name that the model uses.
        pub tool_aliases: Option<BTreeMap<String, String>> = "toolAliases",
        /// Whether what differs between users moves from the system prompt to
        /// the first user message, where it does not spoil the cache.
        pub exclude_dynamic_sections: Option<bool> = "excludeDynamicSections",
        /// Sub-agents that the model can start, by name.
        pub agents: Option<BTreeMap<String, AgentDefinition>>,
        /// The session's title. The agent makes one, when absent.
        pub title: Option<String>,
        /// The skills that the main agent has. All of them, when absent.
        pub skills: Option<Vec<String>>,
        /// Whether the agent suggests the next prompt.
        pub prompt_suggestions: Option<bool> = "promptSuggestions",
        /// Whether the agent sums up what its sub-agents are doing.
        pub agent_progress_summaries: Option<bool> = "agentProgressSummaries",
        /// Whether the text of sub-agents is sent as well.
        pub forward_subagent_text: Option<bool> = "forwardSubagentText",
        /// The kinds of dialogs that the host can show. None, when absent.
        pub supported_dialog_kinds: Option<Vec<String>> = "supportedDialogKinds",
        /// Whether the host's user can stop single tasks. An interrupt then
        /// leaves those in the background alone.
        pub per_task_stop_affordance: Option<bool> = "perTaskStopAffordance",
        /// Plugins. Loaded only by an agent that was started with
        /// `--await-initialize`.
        pub plugins: Option<Vec<PluginConfig>>,
        /// MCP servers outside the host, by name. Loaded only by an agent
        /// that was started with `--await-initialize`.
        pub mcp_servers: Option<BTreeMap<String, McpServerConfig>> = "mcpServers",
    }
}

object! {
    /// What is said about an MCP server that runs inside the host.
    #[derive(Default)]
    pub struct SdkMcpServerConfig {
        /// Milliseconds that a tool call may take; below 1000 it is ignored.
        /// What the first registration says stays.
        pub timeout: Option<Number>,
        /// What is said about its tools. Only asking and denying count.
        pub tools: Option<Vec<McpToolPolicy>>,
    }
}

object! {
    /// What an MCP server that runs inside the host answered to the host's
    /// handshake.
    pub struct SdkMcpServerManifest {
        /// The result of MCP's `initialize`.
        pub initialize_result: Json = "initializeResult",
        /// The result of `tools/list`, when it has all the tools.
        pub tools_list_result: Option<Json> = "toolsListResult",
    }
}

open_enum! {
    /// How old the answers of a handshake may be.
    pub enum ManifestsOrigin {
        /// The host made them for this very request.
        HostPerSend = "host_per_send",
    }
}

object! {
    /// What the agent is and has.
    #[derive(Default)]
    pub struct InitializeAnswer {
        /// The commands that a prompt can begin with.
        pub commands: Option<Vec<SlashCommand>>,
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<AgentInfo>>,
        /// The output style.
        pub output_style: Option<String>,
        /// The output styles that there are.
        pub available_output_styles: Option<Vec<String>>,
        /// Where the user's own output styles are.
        pub user_output_styles_dir: Option<String>,
        /// The models that there are.
        pub models: Option<Vec<ModelInfo>>,
        /// The account.
        pub account: Option<AccountInfo>,
        /// Whether the hooks of the request were taken. Absent when there
        /// were none, and from older agents.
        pub hooks_applied: Option<bool>,
        /// Whether a hook that fails can block.
        pub hook_on_failure_supported: Option<bool>,
        /// Sent as 0; what it counts is not declared.
        pub hooks_when_unanswered_kept: Option<u64>,
        /// Whether a hook elsewhere that asks outranks the host's hooks.
        pub other_hook_ask_outranks_host: Option<bool>,
        /// Whether all plugins of the request are loaded. Absent when there
        /// were none, and from older agents.
        pub plugins_applied: Option<bool>,
        /// Whether the MCP servers of the request were taken; they need not
        /// be connected. Absent when there were none, and from older agents,
        /// which did not take them.
        pub mcp_servers_applied: Option<bool>,
        /// What became of the handshakes of the request, by server.
        pub sdk_mcp_manifests_parked: Option<BTreeMap<String, ManifestOutcome>>,
        /// What this agent can do beyond the oldest one.
        pub capabilities: Option<Vec<String>>,
        /// The agent's version.
        pub claude_code_version: Option<String>,
        /// The agent's process.
        pub pid: Option<u32>,
        /// How permissions are decided.
        pub current_permission_mode: Option<PermissionMode>,
        /// Whether the session works, rests or waits for somebody.
        pub session_state: Option<SessionState>,
        /// Whether the fast mode is on.
        pub fast_mode_state: Option<FastModeState>,
        /// Why the fast mode cannot be had.
        pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
        /// Whether users may be asked for feedback.
        pub feedback_mode: Option<FeedbackMode>,
        /// Whether the agent sends no analytics.
        pub analytics_disabled: Option<bool>,
        /// Whether the session can be steered from elsewhere.
        pub remote_control_available: Option<bool>,
        /// Whether that is switched on by itself.
        pub remote_control_auto_enable: Option<bool>,
        /// Whether that connects by itself, unless somebody says otherwise.
        pub remote_control_auto_connect_default: Option<bool>,
        /// Whether that is on by itself, unless somebody says otherwise.
        pub remote_control_auto_on_by_default: Option<bool>,
        /// Whether an editor may switch that on by itself.
        pub ide_rc_auto_enable_gate: Option<bool>,
    }
}

open_enum! {
    /// What became of a handshake that the host made in advance.
    pub enum ManifestOutcome {
        /// It stands in for the agent's own.
        Parked = "parked",
        /// The server was connected before.
        AlreadyConnected = "already_connected",
        /// It was made with another version of MCP.
        ProtocolVersionMismatch = "protocol_version_mismatch",
        /// It does not have the shape that it should have, or is too large.
        Malformed = "malformed",
        /// The agent did not use it.
        NotHonoured = "not_honoured",
    }
}

object! {
    /// The account that pays for the session.
    #[derive(Default)]
    pub struct AccountInfo {
        /// The user's address.
        pub email: Option<String>,
        /// The organisation.
        pub organization: Option<String>,
        /// The kind of subscription.
        pub subscription_type: Option<String> = "subscriptionType",
        /// Where the login's token comes from; `none` without one.
        pub token_source: Option<String> = "tokenSource",
        /// Where the API key comes from.
        pub api_key_source: Option<String> = "apiKeySource",
        /// Whose API it is.
        pub api_provider: Option<ApiProvider> = "apiProvider",
    }
}

open_enum! {
    /// Whose API a session uses.
    pub enum ApiProvider {
        /// Anthropic's own.
        FirstParty = "firstParty",
        /// Amazon Bedrock.
        Bedrock = "bedrock",
        /// Google Vertex AI.
        Vertex = "vertex",
        /// Microsoft Foundry.
        Foundry = "foundry",
        /// Anthropic's on AWS.
        AnthropicAws = "anthropicAws",
        /// Anthropic's on Google Cloud.
        AnthropicGoogleCloud = "anthropicGoogleCloud",
        /// Mantle.
        Mantle = "mantle",
        /// The gateway of an enterprise.
        Gateway = "gateway",
    }
}

object! {
    /// Whether users may be asked for feedback.
    pub struct FeedbackMode {
        /// Which mode it is, such as `disabled`.
        pub kind: String,
    }
}

impl SdkMcpServerManifest {
    /// What the server answered to MCP's `initialize`.
    pub fn new(initialize_result: impl Into<Json>) -> Self {
        Self {
            initialize_result: initialize_result.into(),
            tools_list_result: None,
            extra: Default::default(),
        }
    }
}

impl HostRequest for Initialize {
    const SUBTYPE: &'static str = "initialize";
    type Answer = InitializeAnswer;
}
