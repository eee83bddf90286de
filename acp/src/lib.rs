//! The Agent Client Protocol (ACP) for agentwire.
//!
//! - [`Server`] makes an agent CLI an ACP agent, so that every editor that speaks ACP can drive it.
//!   The command `agentwire acp` runs it.
//! - [`Agent`] drives other agents that speak ACP, such as Gemini and Qwen, with the same
//!   [view](agentwire::view).

mod agent;
mod serve;

pub use agent::{Agent, AgentOptions, ConnectError, Permission};
/// The official Rust crate of the protocol, whose types are in [`Server::serve`].
pub use agent_client_protocol as protocol;
pub use serve::Server;

/// The examples of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../docs/acp.md")]
struct Documentation;
