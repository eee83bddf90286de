//! Control requests: the futures and outcomes of the methods of [`Handle`](crate::Handle) that
//! send one.

mod files;
mod interruption;
mod introspection;
mod login;
mod mcp;
mod mcp_readiness;
mod plugins;
mod queue;
mod response;
mod session;
mod settings;
mod tasks;

pub use crate::command::OutboundQueue;
pub use interruption::{InterruptFuture, Interrupted, StopPolicy, Stopped};
pub use mcp_readiness::McpReadiness;
pub use response::ResponseFuture;
pub(crate) use response::new_id;
