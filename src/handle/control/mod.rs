//! Every control request of the wire as a method of [`Handle`](crate::Handle),
//! a file for each kind.

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
