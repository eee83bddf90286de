//! What the user should see, or may want to.

use crate::json::Number;
use crate::open::{object, open_enum};

object! {
    /// A line for the user to read.
    pub struct Informational: tolerant tags("type" = "system", "subtype" = "informational") {
        /// The line.
        pub content: String,
        /// How much it matters.
        pub level: Option<InformationalLevel>,
        /// The tool call that it is about: a later line about it takes the
        /// place of this one.
        pub tool_use_id: Option<String>,
        /// Whether the turn ends here.
        pub prevent_continuation: Option<bool>,
        /// What the line is, for hosts that treat some lines apart.
        pub tag: Option<String>,
        /// What became of a prompt that did not reach the model.
        pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How much a line matters.
    pub enum InformationalLevel {
        /// Only for who wants everything.
        Info = "info",
        /// In passing.
        Notice = "notice",
        /// The user could act on it.
        Suggestion = "suggestion",
        /// The user should know it.
        Warning = "warning",
    }
}

object! {
    /// What became of a prompt that did not reach the model.
    #[derive(Default)]
    pub struct PromptSubmitOutcome {
        /// What happened, such as `blocked_by_hook`.
        pub kind: Option<String>,
        /// Whether the prompt is in the conversation all the same.
        pub prompt_kept: Option<bool>,
        /// Why.
        pub reason: Option<String>,
    }
}

object! {
    /// A short notice for the user, shown for a while.
    pub struct NotificationMessage: tolerant tags("type" = "system", "subtype" = "notification") {
        /// Which notice it is: a new one with the same key takes its place.
        pub key: String,
        /// The notice.
        pub text: String,
        /// How much it matters.
        pub priority: Option<NotificationPriority>,
        /// The colour to show it in.
        pub color: Option<String>,
        /// Milliseconds to show it.
        pub timeout_ms: Option<Number>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How much a notice matters.
    pub enum NotificationPriority {
        /// Little.
        Low = "low",
        /// Some.
        Medium = "medium",
        /// Much.
        High = "high",
        /// It is shown before all others.
        Immediate = "immediate",
    }
}

object! {
    /// What a command printed that ran without the model.
    pub struct LocalCommandOutput: tolerant tags("type" = "system", "subtype" = "local_command_output") {
        /// What it printed.
        pub content: String,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// Memories that were given to the model.
    pub struct MemoryRecall: tolerant tags("type" = "system", "subtype" = "memory_recall") {
        /// How they were found.
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
        /// Whole files were chosen.
        Select = "select",
        /// A model summed many of them up.
        Synthesize = "synthesize",
    }
}

object! {
    /// A memory that was given to the model.
    pub struct RecalledMemory {
        /// The file, `<synthesis:DIRECTORY>` for a summary, or a URL.
        pub path: String,
        /// Whose it is.
        pub scope: Option<MemoryScope>,
        /// The text; absent when it is to be read from the file.
        pub content: Option<String>,
    }
}

open_enum! {
    /// Whose a memory is.
    pub enum MemoryScope {
        /// The user's.
        Personal = "personal",
        /// The team's.
        Team = "team",
        /// The organisation's.
        Organization = "organization",
    }
}

object! {
    /// A tool call was refused without anybody being asked.
    pub struct PermissionDeniedMessage: tolerant tags("type" = "system", "subtype" = "permission_denied") {
        /// The tool.
        pub tool_name: String,
        /// The call.
        pub tool_use_id: String,
        /// The sub-agent that called it.
        pub agent_id: Option<String>,
        /// What refused it, such as `rule` or `mode`.
        pub decision_reason_type: Option<String>,
        /// Why, in words.
        pub decision_reason: Option<String>,
        /// What the model is told.
        pub message: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// An elicitation that a URL was opened for is over.
    pub struct ElicitationComplete: tolerant tags("type" = "system", "subtype" = "elicitation_complete") {
        /// The MCP server that asked.
        pub mcp_server_name: String,
        /// The elicitation.
        pub elicitation_id: String,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// How installing plugins goes.
    pub struct PluginInstall: tolerant tags("type" = "system", "subtype" = "plugin_install") {
        /// How it goes.
        pub status: PluginInstallStatus,
        /// The plugin that this is about.
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
    /// How installing plugins goes.
    pub enum PluginInstallStatus {
        /// It begins.
        Started = "started",
        /// A plugin is there.
        Installed = "installed",
        /// A plugin could not be installed.
        Failed = "failed",
        /// All are done.
        Completed = "completed",
    }
}
