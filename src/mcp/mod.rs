//! MCP servers that run inside the host.
//!
//! [`Options::mcp_server`](crate::Options::mcp_server) gives a session any
//! server that is made with [`rmcp`]; [`Tools`] is one that needs no knowledge
//! of MCP. The agent reaches them over the pipes that the session has already,
//! and sees no difference to others: the tool `add` of the server `calc` is
//! `mcp__calc__add` to it.
//!
//! ```
//! use agentwire::Options;
//! use agentwire::mcp::Tools;
//! use agentwire::mcp::rmcp::schemars::{self, JsonSchema};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Add {
//!     a: f64,
//!     b: f64,
//! }
//!
//! let calc = Tools::new().read_only_tool("add", "Adds two numbers.", |input: Add| async move {
//!     Ok::<_, String>(input.a + input.b)
//! });
//! let options = Options::new().mcp_server("calc", calc);
//! # drop(options);
//! ```
//!
//! # At the start
//!
//! Before the agent is greeted the host makes MCP's handshake with each server
//! itself, and sends the agent what they said, so that they cost it no time. An
//! agent that does not want that makes a handshake of its own. A server that
//! does not answer within [`Options::request_timeout`](crate::Options) is
//! named to the agent without.
//!
//! Each handshake has a clone of the server: what clones share they share in
//! all sessions that are started with the same options.
//!
//! # While it runs
//!
//! Each request runs in a task of its own, for as long as it likes. Agents call
//! tools at the same time only if they are said to be read-only. What one
//! server says goes to the agent in the order in which it was said. A request
//! that the agent gives up is told by rmcp's cancellation token, and may go on
//! to its end.
//!
//! The extensions of every request have the session's
//! [`Handle`](crate::Handle), and all of its methods may be called from inside
//! a tool. In a tool that is made with rmcp's macros
//! [`Extension<Handle>`](rmcp::handler::server::common::Extension) gives it.
//!
//! # What may go wrong
//!
//! A call of a tool that panics fails, and
//! [`Notice::McpServerPanicked`](crate::Notice) says so. Requests to a server
//! that has ended are answered with an error, until the agent makes another
//! handshake; [`Notice::McpServerEnded`](crate::Notice) says so. The session
//! goes on in any case, and when it ends so do its servers.
//!
//! What rmcp itself says to `tracing` (target `rmcp`) has whole messages in it,
//! from the level `info` on.

pub use rmcp;

mod connection;
mod guard;
mod handshake;
mod server;
mod servers;
mod tools;
mod wire;

pub(crate) use handshake::introduce;
pub(crate) use server::SharedServer;
pub(crate) use servers::McpServers;
pub use tools::{Call, ToolFunction, Tools};
