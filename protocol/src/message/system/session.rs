//! State changes of the session.

use crate::json::Number;
use crate::open::{object, open_enum};
use crate::permission::PermissionMode;
use crate::slash_command::SlashCommand;

object! {
    /// The current activity of the agent.
    #[derive(Default)]
    pub struct Status: tolerant tags("type" = "system", "subtype" = "status") {
        /// The activity, if there is a specific one.
        pub status: Option<StatusKind>,
        /// The permission mode from now on.
        pub permission_mode: Option<PermissionMode> = "permissionMode",
        /// The outcome of a compaction.
        pub compact_result: Option<CompactResult>,
        /// The reason why the compaction failed.
        pub compact_error: Option<String>,
        /// The user messages that the turn answers.
        pub user_message_uuids: Option<Vec<String>>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// An activity of an agent.
    pub enum StatusKind {
        /// The agent is compacting the conversation.
        Compacting = "compacting",
        /// The agent is sending a model request.
        Requesting = "requesting",
    }
}

open_enum! {
    /// The outcome of a compaction.
    pub enum CompactResult {
        /// The compaction succeeded.
        Success = "success",
        /// The compaction failed.
        Failed = "failed",
    }
}

object! {
    /// The state of the session. Sent if the agent was started with
    /// `CLAUDE_CODE_SDK_READS_SESSION_STATE=1`.
    pub struct SessionStateChanged: tolerant tags("type" = "system", "subtype" = "session_state_changed") {
        /// The new state.
        pub state: SessionState,
        /// Whether the message is meant for the host only.
        pub sdk_host_only: Option<bool>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The state of a session.
    pub enum SessionState {
        /// Nothing is running. A change to this state reliably marks the end of
        /// a turn.
        Idle = "idle",
        /// A turn is running.
        Running = "running",
        /// A turn is waiting for the host, for example for the response to a
        /// permission request.
        RequiresAction = "requires_action",
    }
}

object! {
    /// The session has a new title.
    pub struct SessionTitleChanged: tolerant tags("type" = "system", "subtype" = "session_title_changed") {
        /// The title.
        pub title: String,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A control request is still in progress.
    pub struct ControlRequestProgress: tolerant tags("type" = "system", "subtype" = "control_request_progress") {
        /// The ID of the request.
        pub request_id: String,
        /// The status.
        pub status: ProgressStatus,
        /// The number of the attempt.
        pub attempt: Option<u64>,
        /// The maximum number of attempts.
        pub max_retries: Option<u64>,
        /// The delay before the next attempt, in milliseconds.
        pub retry_delay_ms: Option<Number>,
        /// The HTTP status with which the last attempt failed.
        pub error_status: Option<u16>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The status of a slow control request.
    pub enum ProgressStatus {
        /// The request was started.
        Started = "started",
        /// An API request failed and is retried.
        ApiRetry = "api_retry",
    }
}

object! {
    /// The available slash commands changed.
    pub struct CommandsChanged: tolerant tags("type" = "system", "subtype" = "commands_changed") {
        /// All commands now available.
        pub commands: Vec<SlashCommand>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The point at which the conversation was compacted. The model sees a
    /// summary of the messages before it.
    pub struct CompactBoundary: tolerant tags("type" = "system", "subtype" = "compact_boundary") {
        /// Details of the compaction.
        pub compact_metadata: CompactMetadata,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// Details of a compaction.
    #[derive(Default)]
    pub struct CompactMetadata {
        /// The trigger.
        pub trigger: Option<CompactTrigger>,
        /// The number of tokens before the compaction.
        pub pre_tokens: Option<u64>,
        /// The number of tokens after the compaction.
        pub post_tokens: Option<u64>,
        /// The duration in milliseconds.
        pub duration_ms: Option<Number>,
        /// The preserved messages, as the ends of their chain. Superseded by
        /// `preserved_messages`.
        pub preserved_segment: Option<PreservedSegment>,
        /// The preserved messages, as a list.
        pub preserved_messages: Option<PreservedMessages>,
    }
}

open_enum! {
    /// The trigger of a compaction.
    pub enum CompactTrigger {
        /// The user.
        Manual = "manual",
        /// The agent, because the context was filling up.
        Auto = "auto",
    }
}

object! {
    /// A chain of messages preserved by a compaction.
    pub struct PreservedSegment {
        /// The `uuid` of the first message of the chain.
        pub head_uuid: String,
        /// The `uuid` of the message that the chain now follows.
        pub anchor_uuid: String,
        /// The `uuid` of the last message of the chain.
        pub tail_uuid: String,
    }
}

object! {
    /// Messages preserved by a compaction.
    pub struct PreservedMessages {
        /// The `uuid` of the message that the messages now follow.
        pub anchor_uuid: String,
        /// The `uuid`s of the messages, in order.
        pub uuids: Vec<String>,
    }
}

object! {
    /// The agent's process is about to exit.
    pub struct WorkerShuttingDown: tolerant tags("type" = "system", "subtype" = "worker_shutting_down") {
        /// The reason.
        pub reason: String,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}
