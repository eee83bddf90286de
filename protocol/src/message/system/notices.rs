//! Notices for the user.

use crate::json::Number;
use crate::open::{object, open_enum};

object! {
    /// A line for the user.
    pub struct Informational: tolerant tags("type" = "system", "subtype" = "informational") {
        /// The line.
        pub content: String,
        /// The importance of the line.
        pub level: Option<InformationalLevel>,
        /// The ID of the tool call that the line is about. A later line about
        /// the same call replaces this one.
        pub tool_use_id: Option<String>,
        /// Whether the turn ends with this line.
        pub prevent_continuation: Option<bool>,
        /// A tag, for hosts that treat some lines differently.
        pub tag: Option<String>,
        /// The outcome of a prompt that did not reach the model.
        pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The importance of a line.
    pub enum InformationalLevel {
        /// The line is for verbose output only.
        Info = "info",
        /// The line is of minor importance.
        Notice = "notice",
        /// The line suggests an action to the user.
        Suggestion = "suggestion",
        /// The user should know the content of the line.
        Warning = "warning",
    }
}

object! {
    /// The outcome of a prompt that did not reach the model.
    #[derive(Default)]
    pub struct PromptSubmitOutcome {
        /// The outcome, such as `blocked_by_hook`.
        pub kind: Option<String>,
        /// Whether the prompt was nevertheless added to the conversation.
        pub prompt_kept: Option<bool>,
        /// The reason.
        pub reason: Option<String>,
    }
}

object! {
    /// A short notice for the user, displayed for a while.
    pub struct NotificationMessage: tolerant tags("type" = "system", "subtype" = "notification") {
        /// The key of the notice. A new notice with the same key replaces it.
        pub key: String,
        /// The notice.
        pub text: String,
        /// The importance of the notice.
        pub priority: Option<NotificationPriority>,
        /// The color of the notice.
        pub color: Option<String>,
        /// The display time, in milliseconds.
        pub timeout_ms: Option<Number>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The importance of a notice.
    pub enum NotificationPriority {
        /// Low importance.
        Low = "low",
        /// Medium importance.
        Medium = "medium",
        /// High importance.
        High = "high",
        /// The notice is displayed before all others.
        Immediate = "immediate",
    }
}

object! {
    /// The output of a command that ran without the model.
    pub struct LocalCommandOutput: tolerant tags("type" = "system", "subtype" = "local_command_output") {
        /// The output.
        pub content: String,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// Memories that were added to the context.
    pub struct MemoryRecall: tolerant tags("type" = "system", "subtype" = "memory_recall") {
        /// How the memories were found.
        pub mode: Option<MemoryRecallMode>,
        /// The memories.
        pub memories: Vec<RecalledMemory>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How memories were found.
    pub enum MemoryRecallMode {
        /// The agent chose whole files.
        Select = "select",
        /// A model summarized files.
        Synthesize = "synthesize",
    }
}

object! {
    /// A memory that was added to the context.
    pub struct RecalledMemory {
        /// The path of the file, `<synthesis:DIRECTORY>` for a summary, or a
        /// URL.
        pub path: String,
        /// The owner.
        pub scope: Option<MemoryScope>,
        /// The text. `None` if it must be read from the file.
        pub content: Option<String>,
    }
}

open_enum! {
    /// The owner of a memory.
    pub enum MemoryScope {
        /// The user's memory.
        Personal = "personal",
        /// The team's memory.
        Team = "team",
        /// The organization's memory.
        Organization = "organization",
    }
}

object! {
    /// A tool call was denied without a permission request.
    pub struct PermissionDeniedMessage: tolerant tags("type" = "system", "subtype" = "permission_denied") {
        /// The name of the tool.
        pub tool_name: String,
        /// The ID of the tool call.
        pub tool_use_id: String,
        /// The ID of the sub-agent that made the call.
        pub agent_id: Option<String>,
        /// The kind of reason, such as `rule` or `mode`.
        pub decision_reason_type: Option<String>,
        /// The reason.
        pub decision_reason: Option<String>,
        /// The message for the model.
        pub message: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A URL elicitation has ended.
    pub struct ElicitationComplete: tolerant tags("type" = "system", "subtype" = "elicitation_complete") {
        /// The MCP server that sent the request.
        pub mcp_server_name: String,
        /// The ID of the elicitation.
        pub elicitation_id: String,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The progress of a plugin installation.
    pub struct PluginInstall: tolerant tags("type" = "system", "subtype" = "plugin_install") {
        /// The status.
        pub status: PluginInstallStatus,
        /// The name of the plugin.
        pub name: Option<String>,
        /// The error.
        pub error: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The status of a plugin installation.
    pub enum PluginInstallStatus {
        /// The installation started.
        Started = "started",
        /// A plugin was installed.
        Installed = "installed",
        /// A plugin could not be installed.
        Failed = "failed",
        /// All installations are done.
        Completed = "completed",
    }
}
