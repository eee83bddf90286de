//! Messages with a type of their own that are neither said by anybody nor
//! about the session as a whole.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// What became of a user message that the host sent with a `uuid`.
    pub struct CommandLifecycle: tolerant tags("type" = "command_lifecycle") {
        /// The `uuid` of that message.
        pub command_uuid: String,
        /// How far it has come.
        pub state: CommandState,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How far a user message has come in the agent's queue.
    pub enum CommandState {
        /// It waits in the agent's queue.
        Queued = "queued",
        /// A turn has taken it up.
        Started = "started",
        /// That turn is over.
        Completed = "completed",
        /// It was withdrawn before it started, or interrupted afterwards.
        Cancelled = "cancelled",
    }
}

impl CommandState {
    /// Returns whether this is a final state.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled)
    }
}

object! {
    /// A tool is still running.
    pub struct ToolProgress: tolerant tags("type" = "tool_progress") {
        /// The call.
        pub tool_use_id: String,
        /// The tool.
        pub tool_name: Option<String>,
        /// The tool call that started the sub-agent of this message.
        pub parent_tool_use_id: Option<String>,
        /// Seconds that it has run.
        pub elapsed_time_seconds: Option<Number>,
        /// The task that it became.
        pub task_id: Option<String>,
        /// Whether it only says that the tool is alive.
        pub heartbeat: Option<bool>,
        /// The kind of the sub-agent that it runs.
        pub subagent_type: Option<String>,
        /// What that sub-agent waits for, when the API failed.
        pub subagent_retry: Option<SubagentRetry>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The API failed for a sub-agent, and is asked again.
    #[derive(Default)]
    pub struct SubagentRetry {
        /// The sub-agent.
        pub agent_id: Option<String>,
        /// The number of the attempt.
        pub attempt: Option<u64>,
        /// The maximum number of attempts.
        pub max_retries: Option<u64>,
        /// The delay before the next attempt, in milliseconds.
        pub retry_delay_ms: Option<Number>,
        /// The HTTP status with which the last one failed; `None` when there
        /// was no answer.
        pub error_status: Option<u16>,
        /// What kind of failure it was.
        pub error_category: Option<String>,
    }
}

object! {
    /// What some tool calls did, summed up.
    pub struct ToolUseSummary: tolerant tags("type" = "tool_use_summary") {
        /// The summary.
        pub summary: String,
        /// The calls.
        pub preceding_tool_use_ids: Option<Vec<String>>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// How logging in goes.
    #[derive(Default)]
    pub struct AuthStatus: tolerant tags("type" = "auth_status") {
        /// Whether it is still going on.
        pub is_authenticating: Option<bool> = "isAuthenticating",
        /// Lines for the user.
        pub output: Option<Vec<String>>,
        /// The error.
        pub error: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// What the user could say next.
    pub struct PromptSuggestion: tolerant tags("type" = "prompt_suggestion") {
        /// The prompt.
        pub suggestion: String,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The conversation begins anew. What comes after it is under another
    /// session id, which the next [`Init`](super::Init) has first.
    pub struct ConversationReset: tolerant tags("type" = "conversation_reset") {
        /// The id of the new conversation, which is not that of the session.
        pub new_conversation_id: String,
        /// What ended the old one.
        pub trigger: Option<ResetTrigger>,
        /// The user message that asked for it.
        pub user_message_uuid: Option<String>,
        /// The time, as RFC 3339.
        pub timestamp: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// What ended a conversation.
    pub enum ResetTrigger {
        /// The user, with `/clear`.
        Clear = "clear",
        /// A plan was accepted, to be carried out from an empty context.
        PlanModeExit = "plan_mode_exit",
        /// Something that needs a session of its own.
        FreshSession = "fresh_session",
        /// The introduction for new users.
        Onboarding = "onboarding",
    }
}

object! {
    /// What the agent is to reach before it stops.
    #[derive(Default)]
    pub struct ActiveGoal: tolerant tags("type" = "active_goal") {
        /// The goal; `None` when there is none any more.
        pub value: Option<Goal>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// What an agent is to reach before it stops.
    pub struct Goal {
        /// When it is reached.
        pub condition: String,
        /// How often the agent was sent back to work.
        pub iterations: Option<u64>,
        /// When it was set, as a number.
        pub set_at: Option<Number>,
        /// Tokens that had been used by then.
        pub tokens_at_start: Option<u64>,
        /// Why it was not reached the last time.
        pub last_reason: Option<String>,
    }
}

object! {
    /// A sign of life without content.
    #[derive(Default)]
    pub struct KeepAlive: tolerant tags("type" = "keep_alive") {}
}

object! {
    /// Lines that were added to a transcript, for a host that keeps a copy.
    pub struct TranscriptMirror: tolerant tags("type" = "transcript_mirror") {
        /// The transcript's file.
        pub file_path: String = "filePath",
        /// The lines.
        pub entries: Vec<Json>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}
