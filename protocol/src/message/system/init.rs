//! The first message of every turn.

use crate::model::{EffortLevel, FastModeDisabledReason, FastModeState};
use crate::open::{object, open_enum};
use crate::permission::PermissionMode;
use crate::plugin::LoadedPlugin;

object! {
    /// The start of a turn, with a description of the agent and the session.
    /// Sent at the start of every turn, and never before the first prompt.
    #[derive(Default)]
    pub struct Init: tolerant tags("type" = "system", "subtype" = "init") {
        /// The working directory.
        pub cwd: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
        /// The tools that the model can use.
        pub tools: Option<Vec<String>>,
        /// The MCP servers and their states.
        pub mcp_servers: Option<Vec<McpServerState>>,
        /// The name of the model.
        pub model: Option<String>,
        /// The permission mode.
        pub permission_mode: Option<PermissionMode> = "permissionMode",
        /// The available slash commands.
        pub slash_commands: Option<Vec<String>>,
        /// The slash commands that are only useful in a terminal.
        pub terminal_slash_commands: Option<Vec<String>>,
        /// The source of the API key.
        pub api_key_source: Option<ApiKeySource> = "apiKeySource",
        /// The agent's version.
        pub claude_code_version: Option<String>,
        /// The output style.
        pub output_style: Option<String>,
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<String>>,
        /// The skills that the model has.
        pub skills: Option<Vec<String>>,
        /// The plugins that were loaded.
        pub plugins: Option<Vec<LoadedPlugin>>,
        /// Errors of plugins.
        pub plugin_errors: Option<Vec<PluginError>>,
        /// The enabled beta features of the API.
        pub betas: Option<Vec<String>>,
        /// The agent's capabilities that the oldest version did not have. Check
        /// them before you use a newer feature.
        pub capabilities: Option<Vec<String>>,
        /// The state of fast mode.
        pub fast_mode_state: Option<FastModeState>,
        /// The reason why fast mode is unavailable.
        pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
        /// The effort level. `None` if the model receives none.
        pub effort: Option<EffortLevel>,
        /// The part of a turn that is displayed to the user.
        pub view_mode: Option<ViewMode>,
        /// The directory in which the agent was started.
        pub original_cwd: Option<String>,
        /// Additional working directories.
        pub additional_directories: Option<Vec<String>>,
        /// The storage locations of memories.
        pub memory_paths: Option<MemoryPaths>,
        /// The socket through which other sessions reach this one.
        pub messaging_socket_path: Option<String>,
        /// Whether usage statistics are disabled.
        pub analytics_disabled: Option<bool>,
        /// Whether product feedback prompts are disabled.
        pub product_feedback_disabled: Option<bool>,
        /// Whether Anthropic's own API is used.
        pub served_by_anthropic: Option<bool>,
        /// Whether the effort can change from turn to turn.
        pub per_turn_effort_active: Option<bool>,
        /// Whether `ultrathink` in a prompt has an effect.
        pub ultrathink_available: Option<bool>,
        /// Whether the word `ultrathink` raises the effort when the user types
        /// it.
        pub ultrathink_typed_raises: Option<bool>,
        /// Whether shell commands run in the system's sandbox. Sent since
        /// Claude Code 2.1.332.
        pub sandbox_enabled: Option<bool>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The user messages that the turn answers.
        pub user_message_uuids: Option<Vec<String>>,
    }
}

object! {
    /// An MCP server and its state.
    pub struct McpServerState {
        /// The name of the server.
        pub name: String,
        /// The status, such as `connected`.
        pub status: String,
        /// The source of the server's configuration.
        pub source: Option<String>,
    }
}

object! {
    /// An error of a plugin.
    pub struct PluginError {
        /// The name of the plugin.
        pub plugin: String,
        /// The kind of error.
        pub kind: Option<String> = "type",
        /// The error message.
        pub message: Option<String>,
        /// The path of the plugin, if it was configured by path and not loaded.
        pub path: Option<String>,
        /// The managed rule that blocked the plugin.
        pub managed_lock: Option<ManagedLock>,
    }
}

object! {
    /// A managed rule that blocked a plugin.
    #[derive(Default)]
    pub struct ManagedLock {
        /// Whether the rule enables the plugin from its own source.
        pub plugin_enabled: Option<bool>,
        /// The plugin that the rule names.
        pub name: Option<String>,
        /// The marketplace that the rule names.
        pub marketplace: Option<String>,
    }
}

object! {
    /// The storage locations of memories.
    #[derive(Default)]
    pub struct MemoryPaths {
        /// The directory of automatic memories.
        pub auto: Option<String>,
    }
}

open_enum! {
    /// The source of an API key.
    pub enum ApiKeySource {
        /// The environment.
        Environment = "ANTHROPIC_API_KEY",
        /// A configured command.
        ApiKeyHelper = "apiKeyHelper",
        /// A key that `/login` created and stored.
        LoginManagedKey = "/login managed key",
        /// No key.
        None = "none",
        /// The user's settings.
        User = "user",
        /// The project's settings.
        Project = "project",
        /// The organization.
        Org = "org",
        /// The current session.
        Temporary = "temporary",
        /// None, because a login is used.
        Oauth = "oauth",
    }
}

open_enum! {
    /// The part of a turn that is displayed to the user.
    pub enum ViewMode {
        /// Only the last message.
        Focus = "focus",
        /// All messages.
        Default = "default",
    }
}
