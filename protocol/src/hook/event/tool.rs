//! Events of tool calls, permissions and elicitations.

use crate::json::{Json, Number};
use crate::mcp::{ElicitationAction, ElicitationMode, McpServerProvenance};
use crate::open::{object, open_enum};
use crate::permission::PermissionUpdate;

object! {
    /// A tool is about to run.
    #[derive(Default)]
    pub struct PreToolUse tags("hook_event_name" = "PreToolUse") {
        /// The name of the tool. The name for a sub-agent is `Agent`, even if
        /// the model used another name.
        pub tool_name: String,
        /// The input of the tool.
        pub tool_input: Json,
        /// The ID of the tool call.
        pub tool_use_id: Option<String>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// A shell command in the text of a skill or slash command is about to run.
    /// Sent since Claude Code 2.1.332. Neither [`PreToolUse`] nor a permission
    /// request is sent for such a command.
    #[derive(Default)]
    pub struct PreSkillShellCommand tags("hook_event_name" = "PreSkillShellCommand") {
        /// The name of the shell tool that runs the command: `Bash` or
        /// `PowerShell`. Matchers are compared with this name.
        pub tool_name: String,
        /// The input of the shell tool, with the arguments of the skill filled
        /// in: `{"command": …}`.
        pub tool_input: Json,
        /// The ID of this command. It is not the ID of a tool call in the
        /// transcript.
        pub tool_use_id: Option<String>,
        /// The name of the skill or slash command.
        pub command_name: String,
        /// The source of the skill or slash command.
        pub command_source: Option<String>,
        /// The side that called the skill or slash command.
        pub invoked_by: Option<SkillInvoker>,
    }
}

open_enum! {
    /// The side that called a skill or slash command.
    pub enum SkillInvoker {
        /// The user or the host, with a prompt.
        User = "user",
        /// The model, with the `Skill` tool or in a turn that it scheduled.
        Claude = "claude",
        /// Another part of the agent, such as a sub-agent's preload.
        Other = "other",
    }
}

object! {
    /// A tool has run.
    #[derive(Default)]
    pub struct PostToolUse tags("hook_event_name" = "PostToolUse") {
        /// The name of the tool.
        pub tool_name: String,
        /// The input of the tool.
        pub tool_input: Json,
        /// The result of the tool, in the tool's own format.
        pub tool_response: Option<Json>,
        /// The ID of the tool call.
        pub tool_use_id: Option<String>,
        /// The running time in milliseconds, without permission requests and
        /// hooks.
        pub duration_ms: Option<Number>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// A tool has failed.
    #[derive(Default)]
    pub struct PostToolUseFailure tags("hook_event_name" = "PostToolUseFailure") {
        /// The name of the tool.
        pub tool_name: String,
        /// The input of the tool.
        pub tool_input: Json,
        /// The ID of the tool call.
        pub tool_use_id: Option<String>,
        /// The error.
        pub error: String,
        /// Whether the tool was interrupted.
        pub is_interrupt: Option<bool>,
        /// The running time in milliseconds, without permission requests and
        /// hooks.
        pub duration_ms: Option<Number>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// All tool calls that the model made in parallel are done. Their results
    /// are about to be sent to the model.
    #[derive(Default)]
    pub struct PostToolBatch tags("hook_event_name" = "PostToolBatch") {
        /// The calls.
        pub tool_calls: Vec<BatchToolCall>,
    }
}

object! {
    /// One of several tool calls that the model made in parallel.
    #[derive(Default)]
    pub struct BatchToolCall {
        /// The name of the tool.
        pub tool_name: String,
        /// The input of the tool.
        pub tool_input: Json,
        /// The ID of the tool call.
        pub tool_use_id: Option<String>,
        /// The result as sent to the model: a text, or content blocks.
        pub tool_response: Option<Json>,
    }
}

object! {
    /// The user is asked for a permission. The host's own permission callback
    /// is called at the same time.
    #[derive(Default)]
    pub struct PermissionRequest tags("hook_event_name" = "PermissionRequest") {
        /// The name of the tool.
        pub tool_name: String,
        /// The input of the tool.
        pub tool_input: Json,
        /// Rule updates that would make this request unnecessary next time.
        pub permission_suggestions: Option<Vec<PermissionUpdate>>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// A tool call was denied.
    #[derive(Default)]
    pub struct PermissionDenied tags("hook_event_name" = "PermissionDenied") {
        /// The name of the tool.
        pub tool_name: String,
        /// The input of the tool.
        pub tool_input: Json,
        /// The ID of the tool call.
        pub tool_use_id: Option<String>,
        /// The reason.
        pub reason: Option<String>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// An MCP server requests input from the user.
    #[derive(Default)]
    pub struct Elicitation tags("hook_event_name" = "Elicitation") {
        /// The name of the server.
        pub mcp_server_name: String,
        /// The message for the user.
        pub message: String,
        /// The mode: `form` or `url`.
        pub mode: Option<ElicitationMode>,
        /// The page to open.
        pub url: Option<String>,
        /// The server's ID of the elicitation.
        pub elicitation_id: Option<String>,
        /// The JSON schema of the response.
        pub requested_schema: Option<Json>,
    }
}

object! {
    /// The user has responded to an MCP server. The response has not been sent
    /// yet.
    #[derive(Default)]
    pub struct ElicitationResult tags("hook_event_name" = "ElicitationResult") {
        /// The name of the server.
        pub mcp_server_name: String,
        /// The server's ID of the elicitation.
        pub elicitation_id: Option<String>,
        /// The mode: `form` or `url`.
        pub mode: Option<ElicitationMode>,
        /// The user's action: `accept`, `decline` or `cancel`.
        pub action: Option<ElicitationAction>,
        /// The user's input.
        pub content: Option<Json>,
    }
}
