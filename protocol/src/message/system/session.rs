//! How the session is, and what becomes of it.

use crate::json::Number;
use crate::open::{object, open_enum};
use crate::permission::PermissionMode;
use crate::slash_command::SlashCommand;

object! {
    /// What the agent is doing.
    #[derive(Default)]
    pub struct Status: tolerant tags("type" = "system", "subtype" = "status") {
        /// What it is doing; `None` for nothing in particular.
        pub status: Option<StatusKind>,
        /// How permissions are decided from now on.
        pub permission_mode: Option<PermissionMode> = "permissionMode",
        /// How compacting went.
        pub compact_result: Option<CompactResult>,
        /// Why compacting failed.
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
    /// What an agent is doing.
    pub enum StatusKind {
        /// It compacts the conversation.
        Compacting = "compacting",
        /// It asks the model.
        Requesting = "requesting",
    }
}

open_enum! {
    /// How compacting went.
    pub enum CompactResult {
        /// Well.
        Success = "success",
        /// It failed.
        Failed = "failed",
    }
}

object! {
    /// Whether the session works, rests or waits for somebody. Sent when the
    /// agent was started with `CLAUDE_CODE_SDK_READS_SESSION_STATE=1`.
    pub struct SessionStateChanged: tolerant tags("type" = "system", "subtype" = "session_state_changed") {
        /// The new state.
        pub state: SessionState,
        /// Whether it is meant for the host alone.
        pub sdk_host_only: Option<bool>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// Whether a session works, rests or waits for somebody.
    pub enum SessionState {
        /// Nothing runs. It is the end of a turn that can be relied on.
        Idle = "idle",
        /// A turn runs.
        Running = "running",
        /// A turn waits for the host, for a permission say.
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
    /// A control request is still being worked on.
    pub struct ControlRequestProgress: tolerant tags("type" = "system", "subtype" = "control_request_progress") {
        /// The request.
        pub request_id: String,
        /// How it goes.
        pub status: ProgressStatus,
        /// The number of the attempt.
        pub attempt: Option<u64>,
        /// The maximum number of attempts.
        pub max_retries: Option<u64>,
        /// The delay before the next attempt, in milliseconds.
        pub retry_delay_ms: Option<Number>,
        /// The HTTP status with which the last one failed.
        pub error_status: Option<u16>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How a control request goes that takes long.
    pub enum ProgressStatus {
        /// It was begun.
        Started = "started",
        /// The API failed, and is asked again.
        ApiRetry = "api_retry",
    }
}

object! {
    /// The commands that a prompt can begin with are others now.
    pub struct CommandsChanged: tolerant tags("type" = "system", "subtype" = "commands_changed") {
        /// All commands that there are now.
        pub commands: Vec<SlashCommand>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The conversation was compacted here: what came before it is a summary
    /// for the model from now on.
    pub struct CompactBoundary: tolerant tags("type" = "system", "subtype" = "compact_boundary") {
        /// How it was compacted.
        pub compact_metadata: CompactMetadata,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// How a conversation was compacted.
    #[derive(Default)]
    pub struct CompactMetadata {
        /// Who wanted it.
        pub trigger: Option<CompactTrigger>,
        /// Tokens before.
        pub pre_tokens: Option<u64>,
        /// Tokens afterwards.
        pub post_tokens: Option<u64>,
        /// Milliseconds that it took.
        pub duration_ms: Option<Number>,
        /// The messages that were kept, by the ends of their chain. Older
        /// than `preserved_messages`.
        pub preserved_segment: Option<PreservedSegment>,
        /// The messages that were kept, one by one.
        pub preserved_messages: Option<PreservedMessages>,
    }
}

open_enum! {
    /// Who wanted a conversation to be compacted.
    pub enum CompactTrigger {
        /// The user.
        Manual = "manual",
        /// The agent, because the context was filling up.
        Auto = "auto",
    }
}

object! {
    /// A chain of messages that compacting kept.
    pub struct PreservedSegment {
        /// The first of them.
        pub head_uuid: String,
        /// The message that they now follow.
        pub anchor_uuid: String,
        /// The last of them.
        pub tail_uuid: String,
    }
}

object! {
    /// Messages that compacting kept.
    pub struct PreservedMessages {
        /// The message that they now follow.
        pub anchor_uuid: String,
        /// The messages, in order.
        pub uuids: Vec<String>,
    }
}

object! {
    /// The agent's process is about to end.
    pub struct WorkerShuttingDown: tolerant tags("type" = "system", "subtype" = "worker_shutting_down") {
        /// Why.
        pub reason: String,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}
