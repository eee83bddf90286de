//! The message with which every turn begins.

use crate::model::{EffortLevel, FastModeDisabledReason, FastModeState};
use crate::open::{object, open_enum};
use crate::permission::PermissionMode;
use crate::plugin::LoadedPlugin;

object! {
    /// A turn begins: what the agent is and has. It comes at the start of
    /// every turn, and not before the first prompt.
    #[derive(Default)]
    pub struct Init: tolerant tags("type" = "system", "subtype" = "init") {
        /// The working directory.
        pub cwd: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
        /// The tools that the model has.
        pub tools: Option<Vec<String>>,
        /// MCP servers and how they are.
        pub mcp_servers: Option<Vec<McpServerState>>,
        /// The name of the model.
        pub model: Option<String>,
        /// How permissions are decided.
        pub permission_mode: Option<PermissionMode> = "permissionMode",
        /// The commands that a prompt can begin with.
        pub slash_commands: Option<Vec<String>>,
        /// Those of them that make sense only in a terminal.
        pub terminal_slash_commands: Option<Vec<String>>,
        /// Where the API key comes from.
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
        /// What went wrong with plugins.
        pub plugin_errors: Option<Vec<PluginError>>,
        /// The API's beta features that are on.
        pub betas: Option<Vec<String>>,
        /// What this agent can do beyond the oldest one: the way to tell
        /// what may be asked of it.
        pub capabilities: Option<Vec<String>>,
        /// The state of fast mode.
        pub fast_mode_state: Option<FastModeState>,
        /// Why fast mode is unavailable.
        pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
        /// How hard the model is to try; `None` when it is not told.
        pub effort: Option<EffortLevel>,
        /// How much of a turn the user is shown.
        pub view_mode: Option<ViewMode>,
        /// Where the agent was started.
        pub original_cwd: Option<String>,
        /// Directories besides the working directory that tools may touch.
        pub additional_directories: Option<Vec<String>>,
        /// Where memories are kept.
        pub memory_paths: Option<MemoryPaths>,
        /// The socket on which other sessions reach this one.
        pub messaging_socket_path: Option<String>,
        /// Whether the agent sends no usage statistics.
        pub analytics_disabled: Option<bool>,
        /// Whether the agent does not ask how it did.
        pub product_feedback_disabled: Option<bool>,
        /// Whether Anthropic's own API answers.
        pub served_by_anthropic: Option<bool>,
        /// Whether the effort can change from turn to turn.
        pub per_turn_effort_active: Option<bool>,
        /// Whether `ultrathink` in a prompt means something.
        pub ultrathink_available: Option<bool>,
        /// Whether the word raises the effort when it is typed.
        pub ultrathink_typed_raises: Option<bool>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The user messages that the turn answers.
        pub user_message_uuids: Option<Vec<String>>,
    }
}

object! {
    /// An MCP server and how it is.
    pub struct McpServerState {
        /// The name of the server.
        pub name: String,
        /// How it is, such as `connected`.
        pub status: String,
        /// Where it was configured.
        pub source: Option<String>,
    }
}

object! {
    /// What went wrong with a plugin.
    pub struct PluginError {
        /// The plugin.
        pub plugin: String,
        /// The kind of error.
        pub kind: Option<String> = "type",
        /// The error message.
        pub message: Option<String>,
        /// Where the plugin is, when it was given by path and not loaded.
        pub path: Option<String>,
        /// The rule of an administrator that kept it out.
        pub managed_lock: Option<ManagedLock>,
    }
}

object! {
    /// The rule of an administrator that kept a plugin out.
    #[derive(Default)]
    pub struct ManagedLock {
        /// Whether the rule switches the plugin on, from its own place.
        pub plugin_enabled: Option<bool>,
        /// The plugin that the rule names.
        pub name: Option<String>,
        /// The marketplace that it names.
        pub marketplace: Option<String>,
    }
}

object! {
    /// Where memories are kept.
    #[derive(Default)]
    pub struct MemoryPaths {
        /// The directory of those that the agent keeps by itself.
        pub auto: Option<String>,
    }
}

open_enum! {
    /// Where an API key comes from.
    pub enum ApiKeySource {
        /// From the environment.
        Environment = "ANTHROPIC_API_KEY",
        /// From a command that was configured.
        ApiKeyHelper = "apiKeyHelper",
        /// From `/login`, which made and stored it.
        LoginManagedKey = "/login managed key",
        /// There is none.
        None = "none",
        /// From the user's settings.
        User = "user",
        /// From the project's settings.
        Project = "project",
        /// From the organisation.
        Org = "org",
        /// It holds for this session.
        Temporary = "temporary",
        /// There is a login in its place.
        Oauth = "oauth",
    }
}

open_enum! {
    /// How much of a turn the user is shown.
    pub enum ViewMode {
        /// The last message.
        Focus = "focus",
        /// Everything.
        Default = "default",
    }
}
