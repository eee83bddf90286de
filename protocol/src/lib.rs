//! The wire protocol between a host (an SDK) and an agent CLI: types, codec,
//! outbound queue and the host's state machine. The crate does no I/O and has
//! no clock, no runtime and no randomness. The caller passes in bytes and
//! instants, and takes out bytes and events.
//!
//! This crate is for programs that read recordings or transcripts of sessions,
//! for SDKs with another runtime, and for agents that speak the protocol. To
//! drive a CLI, use the crate `agentwire`, which re-exports this crate as
//! `agentwire::protocol`.
//!
//! ```
//! use agentwire_protocol::{Frame, Message};
//!
//! let line = r#"{"type":"result","subtype":"success","is_error":false,"result":"It is 4.","new":1}"#;
//! let frame = Frame::new(line.into())?;
//! assert_eq!(frame.kind(), "result");
//! if let Message::Result(result) = frame.message() {
//!     assert_eq!(result.text(), "It is 4.");
//!     assert!(result.extra.get("new").is_some());
//! }
//! # Ok::<(), agentwire_protocol::FrameError>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`codec`] | splits bytes into lines, encodes values as lines |
//! | [`frame`] | one line: its raw bytes, and the fields needed to route it |
//! | [`message`], [`content`] | data plane: conversation messages and their content blocks |
//! | [`control`], [`permission`], [`hook`], [`dialog`], [`mcp`] | control plane: requests and responses |
//! | [`agent_definition`], [`model`], [`plugin`] | session configuration: sub-agents, models, plugins |
//! | [`outbox`] | the outbound queue and its ordering |
//! | [`host`] | state machine of the SDK's side of a session |
//! | `tool` | inputs and outputs of the agent's built-in tools (feature `tools`) |
//! | `transcript` | the files in which an agent stores its sessions (feature
//! `transcript`) |
//! | `schema` | JSON Schemas of all types (feature `schema`) |
//! | `audit` | checks recorded traffic for members and values without a type (feature `audit`) |
//! | [`json`] | untyped JSON |
//! | [`visible`] | text of an agent, escaped for display |
//!
//! All types are open: unknown members, variants and values are preserved when
//! a value is read and written again. Numbers keep their digits, and `null` is
//! distinct from an absent member.
//!
//! The README of this crate explains the protocol itself: its sequences and its
//! failure modes.

// docs.rs builds with a nightly compiler, which marks the items that need a
// feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod agent_definition;
#[cfg(feature = "audit")]
pub mod audit;
pub mod codec;
pub mod content;
pub mod control;
pub mod dialog;
pub mod frame;
pub mod hook;
pub mod host;
#[doc(hidden)]
pub mod ids;
pub mod json;
mod list;
pub mod mcp;
pub mod message;
pub mod model;
#[doc(hidden)]
pub mod open;
pub mod outbox;
pub mod permission;
pub mod plugin;
#[cfg(feature = "schema")]
pub mod schema;
mod slash_command;
#[doc(hidden)]
pub mod sorted;
#[doc(hidden)]
pub mod text;
#[cfg(feature = "tools")]
pub mod tool;
#[cfg(feature = "transcript")]
pub mod transcript;
#[cfg(feature = "audit")]
mod untyped;
pub mod visible;

pub use frame::{Frame, FrameError, Head, ViewError};
pub use json::{Json, Members, Number};
pub use list::StringList;
pub use message::Message;
pub use open::{Fault, Loose};
pub use text::is_same_value;
#[cfg(feature = "audit")]
pub use untyped::{Pointer, Untyped};

/// The examples of the README, compiled as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
