//! Messages that have their own type and are neither conversation nor system
//! messages.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// The delivery state of a user message that the host sent with a `uuid`.
    pub struct CommandLifecycle: tolerant tags("type" = "command_lifecycle") {
        /// The `uuid` of the user message.
        pub command_uuid: String,
        /// The new state.
        pub state: CommandState,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The state of a user message in the agent's queue.
    pub enum CommandState {
        /// The message is in the agent's queue.
        Queued = "queued",
        /// A turn picked up the message.
        Started = "started",
        /// The turn that picked up the message has ended.
        Completed = "completed",
        /// The message was withdrawn before its turn started, or interrupted
        /// afterwards.
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
    /// A report that a tool is still running.
    pub struct ToolProgress: tolerant tags("type" = "tool_progress") {
        /// The ID of the tool call.
        pub tool_use_id: String,
        /// The name of the tool.
        pub tool_name: Option<String>,
        /// The ID of the tool call that started the sub-agent of this message.
        pub parent_tool_use_id: Option<String>,
        /// The running time so far, in seconds.
        pub elapsed_time_seconds: Option<Number>,
        /// The ID of the background task that the tool call became.
        pub task_id: Option<String>,
        /// Whether this is only a heartbeat.
        pub heartbeat: Option<bool>,
        /// The kind of the sub-agent that the tool runs.
        pub subagent_type: Option<String>,
        /// The retry that the tool's sub-agent waits for, after an API failure.
        pub subagent_retry: Option<SubagentRetry>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A retry of a sub-agent after an API failure.
    #[derive(Default)]
    pub struct SubagentRetry {
        /// The ID of the sub-agent.
        pub agent_id: Option<String>,
        /// The number of the attempt.
        pub attempt: Option<u64>,
        /// The maximum number of attempts.
        pub max_retries: Option<u64>,
        /// The delay before the next attempt, in milliseconds.
        pub retry_delay_ms: Option<Number>,
        /// The HTTP status of the last failure. `None` if there was no
        /// response.
        pub error_status: Option<u16>,
        /// The kind of failure.
        pub error_category: Option<String>,
    }
}

object! {
    /// A summary of some tool calls.
    pub struct ToolUseSummary: tolerant tags("type" = "tool_use_summary") {
        /// The summary.
        pub summary: String,
        /// The IDs of the tool calls.
        pub preceding_tool_use_ids: Option<Vec<String>>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The progress of a login.
    #[derive(Default)]
    pub struct AuthStatus: tolerant tags("type" = "auth_status") {
        /// Whether the login is still in progress.
        pub is_authenticating: Option<bool> = "isAuthenticating",
        /// Lines to display to the user.
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
    /// A suggestion for the next prompt.
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
    /// The start of a new conversation. Later messages have another session ID.
    /// The next [`Init`](super::Init) is the first message with that ID.
    pub struct ConversationReset: tolerant tags("type" = "conversation_reset") {
        /// The ID of the new conversation, which is not the session ID.
        pub new_conversation_id: String,
        /// The cause of the reset.
        pub trigger: Option<ResetTrigger>,
        /// The `uuid` of the user message that requested the reset.
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
    /// The cause of a conversation's reset.
    pub enum ResetTrigger {
        /// The user, with `/clear`.
        Clear = "clear",
        /// Plan mode was left with the option to clear the context.
        PlanModeExit = "plan_mode_exit",
        /// An approved plan is carried out in a new session.
        FreshSession = "fresh_session",
        /// The introduction for new users.
        Onboarding = "onboarding",
    }
}

object! {
    /// The goal that the agent must reach before it stops.
    #[derive(Default)]
    pub struct ActiveGoal: tolerant tags("type" = "active_goal") {
        /// The goal. `None` if there is no goal any more.
        pub value: Option<Goal>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A goal that an agent must reach before it stops.
    pub struct Goal {
        /// The condition to meet.
        pub condition: String,
        /// The number of times that the agent was continued.
        pub iterations: Option<u64>,
        /// The time when the goal was set, as a number.
        pub set_at: Option<Number>,
        /// The number of tokens used before the goal was set.
        pub tokens_at_start: Option<u64>,
        /// The reason why the condition was not met at the last check.
        pub last_reason: Option<String>,
    }
}

object! {
    /// A heartbeat without content.
    #[derive(Default)]
    pub struct KeepAlive: tolerant tags("type" = "keep_alive") {}
}

object! {
    /// Lines appended to a transcript, for a host that stores a copy.
    pub struct TranscriptMirror: tolerant tags("type" = "transcript_mirror") {
        /// The path of the transcript's file.
        pub file_path: String = "filePath",
        /// The appended lines.
        pub entries: Vec<Json>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}
