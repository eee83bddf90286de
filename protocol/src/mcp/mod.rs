//! MCP: servers that the agent has, those among them that run inside the
//! host, and what goes between them.

mod config;
mod elicitation;
mod message;
mod status;

pub use config::{
    McpClaudeAiProxyServer, McpHttpServer, McpPermissionCeiling, McpPermissionPolicy, McpSdkServer,
    McpServerConfig, McpSseServer, McpStdioServer, McpToolPolicy,
};
pub use elicitation::{Elicitation, ElicitationAction, ElicitationMode, ElicitationResult};
pub use message::{McpMessage, McpReceipt, McpReply};
pub use status::{
    McpConnection, McpServerInfo, McpServerProvenance, McpServerSource, McpServerStatus, McpTool,
    McpToolAnnotations,
};
