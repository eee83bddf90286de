//! MCP servers: their configurations and statuses, and messages of servers
//! inside the host.

mod config;
mod elicitation;
mod message;
mod status;

pub use config::{
    McpClaudeAiProxyServer, McpHttpServer, McpPermissionCeiling, McpPermissionPolicy, McpSdkServer,
    McpServerConfig, McpSseServer, McpStdioServer, McpToolPolicy,
};
pub use elicitation::{ElicitationAction, ElicitationMode, McpElicitation, McpElicitationResult};
pub use message::{McpMessage, McpReply};
pub use status::{
    McpConnection, McpServerInfo, McpServerProvenance, McpServerSource, McpServerStatus, McpTool,
    McpToolAnnotations,
};
