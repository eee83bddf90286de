//! Events of tools: their calls, their permissions, and what MCP servers ask.

use crate::json::{Json, Number};
use crate::mcp::{ElicitationAction, ElicitationMode, McpServerProvenance};
use crate::open::object;
use crate::permission::PermissionUpdate;

object! {
    /// A tool is about to run.
    #[derive(Default)]
    pub struct PreToolUse tags("hook_event_name" = "PreToolUse") {
        /// The tool. A sub-agent is started by `Agent`, however the model
        /// called it.
        pub tool_name: String,
        /// Its input.
        pub tool_input: Json,
        /// The tool call.
        pub tool_use_id: Option<String>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// A tool has run.
    #[derive(Default)]
    pub struct PostToolUse tags("hook_event_name" = "PostToolUse") {
        /// The tool.
        pub tool_name: String,
        /// Its input.
        pub tool_input: Json,
        /// What came of it, as data of that tool.
        pub tool_response: Option<Json>,
        /// The tool call.
        pub tool_use_id: Option<String>,
        /// Milliseconds that the tool ran, without asking and hooks.
        pub duration_ms: Option<Number>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// A tool has failed.
    #[derive(Default)]
    pub struct PostToolUseFailure tags("hook_event_name" = "PostToolUseFailure") {
        /// The tool.
        pub tool_name: String,
        /// Its input.
        pub tool_input: Json,
        /// The tool call.
        pub tool_use_id: Option<String>,
        /// How it failed.
        pub error: String,
        /// Whether it was interrupted.
        pub is_interrupt: Option<bool>,
        /// Milliseconds that the tool ran, without asking and hooks.
        pub duration_ms: Option<Number>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// All tools that the model called at once are done, and it is about to
    /// be told.
    #[derive(Default)]
    pub struct PostToolBatch tags("hook_event_name" = "PostToolBatch") {
        /// The calls.
        pub tool_calls: Vec<BatchToolCall>,
    }
}

object! {
    /// One of the tools that the model called at once.
    #[derive(Default)]
    pub struct BatchToolCall {
        /// The tool.
        pub tool_name: String,
        /// Its input.
        pub tool_input: Json,
        /// The tool call.
        pub tool_use_id: Option<String>,
        /// What the model is told came of it: a text, or content blocks.
        pub tool_response: Option<Json>,
    }
}

object! {
    /// Somebody is asked whether a tool may run. The host's own permission
    /// callback is asked at the same time.
    #[derive(Default)]
    pub struct PermissionRequest tags("hook_event_name" = "PermissionRequest") {
        /// The tool.
        pub tool_name: String,
        /// Its input.
        pub tool_input: Json,
        /// Changes of the rules with which the question would not come again.
        pub permission_suggestions: Option<Vec<PermissionUpdate>>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// A tool was not allowed to run.
    #[derive(Default)]
    pub struct PermissionDenied tags("hook_event_name" = "PermissionDenied") {
        /// The tool.
        pub tool_name: String,
        /// Its input.
        pub tool_input: Json,
        /// The tool call.
        pub tool_use_id: Option<String>,
        /// Why not.
        pub reason: Option<String>,
        /// The MCP server that has the tool.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

object! {
    /// An MCP server wants to know something from the user.
    #[derive(Default)]
    pub struct Elicitation tags("hook_event_name" = "Elicitation") {
        /// The server.
        pub mcp_server_name: String,
        /// What it says to the user.
        pub message: String,
        /// How it asks: `form` or `url`.
        pub mode: Option<ElicitationMode>,
        /// The page that it wants opened.
        pub url: Option<String>,
        /// The server's id of the question.
        pub elicitation_id: Option<String>,
        /// The JSON schema of the answer.
        pub requested_schema: Option<Json>,
    }
}

object! {
    /// The user has answered an MCP server, which does not know it yet.
    #[derive(Default)]
    pub struct ElicitationResult tags("hook_event_name" = "ElicitationResult") {
        /// The server.
        pub mcp_server_name: String,
        /// The server's id of the question.
        pub elicitation_id: Option<String>,
        /// How it asked: `form` or `url`.
        pub mode: Option<ElicitationMode>,
        /// What the user did: `accept`, `decline` or `cancel`.
        pub action: Option<ElicitationAction>,
        /// What the user filled in.
        pub content: Option<Json>,
    }
}
