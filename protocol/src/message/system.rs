//! System messages: what the agent says of itself and of the session.

use crate::json::{Json, Number};
use crate::open::{object, open_enum, union};
use crate::permission::PermissionMode;

union! {
    /// What the agent says of itself and of the session.
    pub enum SystemMessage by "subtype" {
        /// A turn begins: what the agent is and has.
        "init" => Init(Init),
        /// What the agent is doing.
        "status" => Status(Status),
        /// Whether the session works, rests or waits for somebody.
        "session_state_changed" => SessionStateChanged(SessionStateChanged),
        /// A control request is still being worked on.
        "control_request_progress" => ControlRequestProgress(ControlRequestProgress),
    }
}

object! {
    /// A turn begins: what the agent is and has. It comes at the start of
    /// every turn, and not before the first prompt.
    #[derive(Default)]
    pub struct Init tags("type" = "system", "subtype" = "init") {
        /// The working directory.
        pub cwd: Option<String>,
        /// The session.
        pub session_id: Option<String>,
        /// The tools that the model has.
        pub tools: Option<Vec<String>>,
        /// MCP servers and how they are.
        pub mcp_servers: Option<Vec<McpServerState>>,
        /// The model.
        pub model: Option<String>,
        /// How permissions are decided.
        pub permission_mode: Option<PermissionMode> = "permissionMode",
        /// The commands that a prompt can begin with.
        pub slash_commands: Option<Vec<String>>,
        /// Where the API key comes from.
        pub api_key_source: Option<String> = "apiKeySource",
        /// The agent's version.
        pub claude_code_version: Option<String>,
        /// The output style.
        pub output_style: Option<String>,
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<String>>,
        /// The skills that the model has.
        pub skills: Option<Vec<String>>,
        /// The plugins that were loaded.
        pub plugins: Option<Vec<Json>>,
        /// What this agent can do beyond the oldest one: the way to tell
        /// what may be asked of it.
        pub capabilities: Option<Vec<String>>,
        /// The message's id.
        pub uuid: Option<String>,
        /// The user messages that the turn answers.
        pub user_message_uuids: Option<Vec<String>>,
    }
}

object! {
    /// An MCP server and how it is.
    pub struct McpServerState {
        /// The server's name.
        pub name: String,
        /// How it is, such as `connected`.
        pub status: String,
        /// Where it was configured.
        pub source: Option<String>,
    }
}

object! {
    /// What the agent is doing.
    #[derive(Default)]
    pub struct Status tags("type" = "system", "subtype" = "status") {
        /// What it is doing: `requesting`, `compacting`, or nothing.
        pub status: Option<String>,
        /// How permissions are decided from now on.
        pub permission_mode: Option<PermissionMode> = "permissionMode",
        /// How compacting went.
        pub compact_result: Option<String>,
        /// Why compacting failed.
        pub compact_error: Option<String>,
        /// The user messages that the turn answers.
        pub user_message_uuids: Option<Vec<String>>,
        /// The message's id.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

object! {
    /// Whether the session works, rests or waits for somebody. Sent when the
    /// agent was started with `CLAUDE_CODE_SDK_READS_SESSION_STATE=1`.
    pub struct SessionStateChanged tags("type" = "system", "subtype" = "session_state_changed") {
        /// The new state.
        pub state: SessionState,
        /// The message's id.
        pub uuid: Option<String>,
        /// The session.
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
    /// A control request is still being worked on.
    pub struct ControlRequestProgress tags("type" = "system", "subtype" = "control_request_progress") {
        /// The request.
        pub request_id: String,
        /// How it goes: `started`, `api_retry`.
        pub status: String,
        /// Which attempt it is.
        pub attempt: Option<u64>,
        /// How many there will be at most.
        pub max_retries: Option<u64>,
        /// Milliseconds until the next one.
        pub retry_delay_ms: Option<Number>,
        /// The HTTP status with which the last one failed.
        pub error_status: Option<u16>,
        /// The message's id.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
