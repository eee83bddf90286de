//! The first request of a session, and the agent's description of itself in the
//! response.

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
    /// The first request of a session, which contains the host's configuration.
    #[derive(Default)]
    pub struct Initialize tags("subtype" = "initialize") {
        /// The hooks, with the IDs that `hook_callback` requests refer to.
        pub hooks: Option<Hooks>,
        /// The names of MCP servers that run inside the host.
        pub sdk_mcp_servers: Option<Vec<String>> = "sdkMcpServers",
        /// The configurations of the MCP servers inside the host, by name.
        pub sdk_mcp_server_configs: Option<BTreeMap<String, SdkMcpServerConfig>> = "sdkMcpServerConfigs",
        /// The results of MCP handshakes that the host made with the servers
        /// inside it, by name. With them the agent may skip its own handshake.
        pub sdk_mcp_server_manifests: Option<BTreeMap<String, SdkMcpServerManifest>> = "sdkMcpServerManifests",
        /// When the host obtained the handshake results. Needed only if the CLI is reached over a
        /// remote session, not over its standard input.
        pub sdk_mcp_server_manifests_origin: Option<ManifestsOrigin> = "sdkMcpServerManifestsOrigin",
        /// The JSON Schema of the structured output.
        pub json_schema: Option<Json> = "jsonSchema",
        /// The system prompt, which replaces the agent's own.
        pub system_prompt: Option<Vec<String>> = "systemPrompt",
        /// Text to append to the agent's own system prompt.
        pub append_system_prompt: Option<String> = "appendSystemPrompt",
        /// Whether the first system prompt applies to the whole conversation.
        /// The default is `true`.
        pub system_prompt_snapshot: Option<bool> = "systemPromptSnapshot",
        /// Instructions for plan mode, which replace the agent's own phases.
        pub plan_mode_instructions: Option<String> = "planModeInstructions",
        /// Tools that replace other tools, by the name that the model uses.
        pub tool_aliases: Option<BTreeMap<String, String>> = "toolAliases",
        /// Whether user-specific sections move from the system prompt to the
        /// first user message, where they do not prevent caching.
        pub exclude_dynamic_sections: Option<bool> = "excludeDynamicSections",
        /// Sub-agents that the model can start, by name.
        pub agents: Option<BTreeMap<String, AgentDefinition>>,
        /// The session's title. If absent, the agent generates one.
        pub title: Option<String>,
        /// The skills of the main agent. The default is all skills.
        pub skills: Option<Vec<String>>,
        /// Whether the agent suggests the next prompt.
        pub prompt_suggestions: Option<bool> = "promptSuggestions",
        /// Whether the agent sends progress summaries of its sub-agents.
        pub agent_progress_summaries: Option<bool> = "agentProgressSummaries",
        /// Whether the agent sends text of sub-agents.
        pub forward_subagent_text: Option<bool> = "forwardSubagentText",
        /// The kinds of dialogs that the host supports. The default is none.
        pub supported_dialog_kinds: Option<Vec<String>> = "supportedDialogKinds",
        /// Whether the host's user can stop individual tasks. An interrupt then
        /// does not stop background tasks.
        pub per_task_stop_affordance: Option<bool> = "perTaskStopAffordance",
        /// The plugins of the session. They are only loaded if the agent was
        /// started with `--await-initialize`.
        pub plugins: Option<Vec<PluginConfig>>,
        /// MCP servers outside the host, by name. They are only loaded if the
        /// agent was started with `--await-initialize`.
        pub mcp_servers: Option<BTreeMap<String, McpServerConfig>> = "mcpServers",
    }
}

object! {
    /// The configuration of an MCP server inside the host.
    #[derive(Default)]
    pub struct SdkMcpServerConfig {
        /// The timeout of a tool call in milliseconds. A value below 1000 is
        /// ignored. The first registration of a server wins.
        pub timeout: Option<Number>,
        /// Policies for the server's tools. Only `ask` and `deny` have an
        /// effect.
        pub tools: Option<Vec<McpToolPolicy>>,
    }
}

object! {
    /// The result of the host's handshake with an MCP server inside the host.
    pub struct SdkMcpServerManifest {
        /// The result of MCP's `initialize`.
        pub initialize_result: Json = "initializeResult",
        /// The result of `tools/list`, if it contains all tools.
        pub tools_list_result: Option<Json> = "toolsListResult",
    }
}

open_enum! {
    /// When the host obtained handshake results.
    pub enum ManifestsOrigin {
        /// The host made the handshakes for this request.
        HostPerSend = "host_per_send",
    }
}

object! {
    /// The agent's description of itself.
    #[derive(Default)]
    pub struct InitializeAnswer {
        /// The available slash commands.
        pub commands: Option<Vec<SlashCommand>>,
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<AgentInfo>>,
        /// The output style.
        pub output_style: Option<String>,
        /// The available output styles.
        pub available_output_styles: Option<Vec<String>>,
        /// The directory of the user's own output styles.
        pub user_output_styles_dir: Option<String>,
        /// The available models.
        pub models: Option<Vec<ModelInfo>>,
        /// The account.
        pub account: Option<AccountInfo>,
        /// Whether the hooks of the request were registered. `None` if the
        /// request had no hooks, or the agent is older.
        pub hooks_applied: Option<bool>,
        /// Whether the agent supports `onFailure: "block"`.
        pub hook_on_failure_supported: Option<bool>,
        /// Sent as 0. Its meaning is not documented.
        pub hooks_when_unanswered_kept: Option<u64>,
        /// Whether an `ask` of another hook overrides the host's hooks.
        pub other_hook_ask_outranks_host: Option<bool>,
        /// Whether all plugins of the request were loaded. `None` if the
        /// request had no plugins, or the agent is older.
        pub plugins_applied: Option<bool>,
        /// Whether the MCP servers of the request were registered. They need
        /// not be connected. `None` if the request had no servers, or the agent
        /// is older and does not register them.
        pub mcp_servers_applied: Option<bool>,
        /// The outcome of each handshake result of the request, by server.
        pub sdk_mcp_manifests_parked: Option<BTreeMap<String, ManifestOutcome>>,
        /// The agent's capabilities that the oldest version did not have.
        pub capabilities: Option<Vec<String>>,
        /// The version of the agent.
        pub claude_code_version: Option<String>,
        /// The process ID of the agent.
        pub pid: Option<u32>,
        /// The permission mode.
        pub current_permission_mode: Option<PermissionMode>,
        /// The state of the session: running, idle or waiting for the user.
        pub session_state: Option<SessionState>,
        /// The state of the fast mode.
        pub fast_mode_state: Option<FastModeState>,
        /// The reason why fast mode is unavailable.
        pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
        /// Whether the user may be asked for feedback.
        pub feedback_mode: Option<FeedbackMode>,
        /// Whether analytics are disabled.
        pub analytics_disabled: Option<bool>,
        /// Whether remote control is available.
        pub remote_control_available: Option<bool>,
        /// Whether remote control is enabled automatically.
        pub remote_control_auto_enable: Option<bool>,
        /// Whether remote control connects automatically by default.
        pub remote_control_auto_connect_default: Option<bool>,
        /// Whether remote control is on by default.
        pub remote_control_auto_on_by_default: Option<bool>,
        /// Whether an editor may enable remote control automatically.
        pub ide_rc_auto_enable_gate: Option<bool>,
        /// Whether shell commands run in the system's sandbox. Sent since
        /// Claude Code 2.1.332.
        pub sandbox_enabled: Option<bool>,
    }
}

open_enum! {
    /// The outcome of a handshake that the host made in advance.
    pub enum ManifestOutcome {
        /// The result replaces the agent's own handshake.
        Parked = "parked",
        /// The server was already connected.
        AlreadyConnected = "already_connected",
        /// The handshake used another version of MCP.
        ProtocolVersionMismatch = "protocol_version_mismatch",
        /// The result is malformed or too large.
        Malformed = "malformed",
        /// The agent did not use the result.
        NotHonoured = "not_honoured",
    }
}

object! {
    /// The account of the session.
    #[derive(Default)]
    pub struct AccountInfo {
        /// The user's email address.
        pub email: Option<String>,
        /// The name of the organization.
        pub organization: Option<String>,
        /// The kind of subscription.
        pub subscription_type: Option<String> = "subscriptionType",
        /// The source of the login token. `none` if there is no token.
        pub token_source: Option<String> = "tokenSource",
        /// The source of the API key.
        pub api_key_source: Option<String> = "apiKeySource",
        /// The provider of the API.
        pub api_provider: Option<ApiProvider> = "apiProvider",
    }
}

open_enum! {
    /// The provider of an API.
    pub enum ApiProvider {
        /// Anthropic's API.
        FirstParty = "firstParty",
        /// Amazon Bedrock.
        Bedrock = "bedrock",
        /// Google Vertex AI.
        Vertex = "vertex",
        /// Microsoft Foundry.
        Foundry = "foundry",
        /// Anthropic's API on AWS.
        AnthropicAws = "anthropicAws",
        /// Anthropic's API on Google Cloud.
        AnthropicGoogleCloud = "anthropicGoogleCloud",
        /// The Mantle service.
        Mantle = "mantle",
        /// The gateway of an enterprise.
        Gateway = "gateway",
    }
}

object! {
    /// Whether the user may be asked for feedback.
    pub struct FeedbackMode {
        /// The mode, such as `disabled`.
        pub kind: String,
    }
}

impl SdkMcpServerManifest {
    /// Creates a manifest from the result of MCP's `initialize`.
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
    type Response = InitializeAnswer;
}
