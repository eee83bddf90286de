//! In-process MCP servers.
//!
//! [`Options::mcp_server`](crate::Options::mcp_server) accepts any server made with [`rmcp`].
//! [`Tools`] creates one from functions, without knowledge of MCP. The agent reaches them over
//! the session's pipes, and uses them like any other server: the tool `add` of the server
//! `calc` is named `mcp__calc__add`.
//!
//! ```
//! use agentwire::Options;
//! use agentwire::mcp::Tools;
//! use agentwire::schemars::{self, JsonSchema};
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
//! # Startup
//!
//! Before the first request, the host performs MCP's handshake with each server and sends the
//! results to the agent, which saves the agent time. An agent that does not use them performs
//! its own handshake. A server that does not respond within
//! [`Options::request_timeout`](crate::Options) is announced without results.
//!
//! Each handshake gets a clone of the server. Anything that clones share is
//! shared by all sessions with the same options.
//!
//! # Requests
//!
//! Each request runs in its own task, without a timeout. Agents call only read-only tools in
//! parallel. Messages of one server reach the agent in order. If the agent cancels a request,
//! rmcp's cancellation token is triggered; the request may still run to completion.
//!
//! The extensions of every request contain the session's
//! [`Handle`](crate::Handle). All of its methods may be called inside a tool.
//! With rmcp's macros, use
//! [`Extension<Handle>`](rmcp::handler::server::common::Extension).
//!
//! # Failures
//!
//! If a tool panics, its call fails, with a [`Notice::McpServerPanicked`](crate::Notice). If a
//! server stops, requests to it fail until the agent makes another handshake, with a
//! [`Notice::McpServerEnded`](crate::Notice). The session continues in both cases. Servers are
//! stopped at the end of the session.
//!
//! The agent ignores invalid tools silently: one `inputSchema` without `"type": "object"`
//! disables all tools of its server, and of two tools whose names differ only in special
//! characters, it uses the first. A [`Notice::McpToolsUnusable`](crate::Notice) reports ignored
//! tools.
//!
//! rmcp logs whole messages to `tracing` (target `rmcp`) at level `info` and
//! below.

pub use rmcp;

mod connection;
mod guard;
mod handshake;
mod server;
mod servers;
mod tools;
#[cfg(feature = "telemetry")]
mod traced;
mod unusable;
mod wire;

pub(crate) use handshake::introduce;
pub(crate) use server::SharedServer;
pub(crate) use servers::McpServers;
pub use tools::{Call, ToolFunction, Tools};
