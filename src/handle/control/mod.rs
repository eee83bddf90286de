//! A method of [`Handle`](crate::Handle) for each control request of the
//! protocol, by topic.

mod files;
mod introspection;
mod mcp;
mod mcp_ready;
mod plugins;
mod queue;
mod session;
mod settings;
mod tasks;

pub use mcp_ready::McpReadiness;
