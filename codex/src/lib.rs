//! Drives Codex through `codex app-server`: threads, turns, steering, approvals, and entries for
//! user interfaces.
//!
//! - [`Codex`] is a process, and [`Thread`] one of its threads.
//! - [`CodexAgent`] is a process with one thread and its [view](agentwire::view). It implements the
//!   interface for agents of all kinds.
//! - [`machine`] is the state machine below them, without I/O.
//! - [`wire`] has the types of the messages.

mod agent;
mod asking;
mod codex;
mod driver;
pub mod machine;
mod options;
mod shell;
mod thread;
mod tools;
mod view;
pub mod wire;

pub use agent::CodexAgent;
/// The crate `agentwire`, whose types are part of this API: the view, policies, the environment.
pub use agentwire;
pub use asking::{Action, Approval};
pub use codex::{Codex, CodexError};
pub use machine::{Event, Priority, RequestError, SubmissionError, TurnEnd, TurnOutcome};
pub use options::{CodexOptions, Prompt, ThreadOptions};
pub use thread::{Thread, Turn};

/// The examples of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../docs/codex.md")]
struct Documentation;
