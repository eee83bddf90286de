//! What is on the wire between a host (an SDK) and an agent CLI, and the state
//! machines that speak it. No I/O, no clock, no runtime, no randomness: bytes
//! and instants go in, bytes and events come out.
//!
//! | module | its one job |
//! |---|---|
//! | [`codec`] | bytes to lines and back |
//! | [`frame`] | one line: its bytes, and what is needed to route it |
//! | [`message`], [`content`] | the data plane: what is said |
//! | [`control`], [`permission`], [`hook`], [`dialog`], [`mcp`] | the control plane: what is asked and answered |
//! | [`agent_definition`], [`model`], [`plugin`] | what a session is made of |
//! | [`outbox`] | what waits to be written, and the order in which it goes |
//! | [`host`] | the SDK's side of a session |
//! | `agent` | the CLI's side, which the fake agent speaks (feature `agent`) |
//! | `tool` | what the agent's own tools take and give (feature `tools`) |
//! | `schema` | JSON Schema of all of it (feature `schema`) |
//! | `audit` | whether the types know what is on the wire (feature `audit`) |
//! | [`conversation`] | whole messages of partial ones, and what a user interface shows |
//! | [`secret`] | what can be secret, told by its name |
//! | [`json`] | JSON that nobody has given a type to |
//!
//! The types are open: members, kinds and values that they do not know
//! survive reading and writing, numbers keep their digits, and `null` and
//! absent stay apart.
//!
//! The protocol itself, with its sequences and what goes wrong, is explained in
//! the README of this crate.

#[cfg(feature = "agent")]
pub mod agent;
pub mod agent_definition;
#[cfg(feature = "audit")]
pub mod audit;
pub mod codec;
pub mod content;
pub mod control;
pub mod conversation;
pub mod dialog;
pub mod frame;
pub mod hook;
pub mod host;
pub mod json;
pub mod mcp;
pub mod message;
pub mod model;
#[doc(hidden)]
pub mod open;
pub mod outbox;
pub mod permission;
pub mod plugin;
#[doc(hidden)]
pub mod sabotage;
#[cfg(feature = "schema")]
pub mod schema;
pub mod secret;
mod slash_command;
mod text;
#[cfg(feature = "tools")]
pub mod tool;
#[cfg(feature = "audit")]
mod untyped;

pub use frame::{Frame, FrameError, Head, ViewError};
pub use json::{Json, Members, Number};
pub use message::Message;
pub use open::{Fault, Loose};
pub use text::is_same_value;
#[cfg(feature = "audit")]
pub use untyped::{Pointer, Untyped};

/// The examples of the README, which are tests like any other.
#[cfg(all(doctest, feature = "agent"))]
#[doc = include_str!("../README.md")]
struct Readme;
