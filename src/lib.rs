//! Spawn an agent CLI and drive it over newline-delimited JSON.
pub use agentwire_protocol as protocol;

mod client;
mod error;
mod event;
mod locate;
mod mailbox;
mod options;
mod permission;
mod process;
mod query;
mod session;

pub use agentwire_protocol::host::Activity;
pub use agentwire_protocol::message::UserMessage;
pub use agentwire_protocol::permission::PermissionResult;
pub use agentwire_protocol::{Frame, Message};
pub use client::{Client, Handle, Pending, Sent};
pub use error::{CliNotFound, EndReason, Error, SessionEnd};
pub use event::{Event, Notice};
pub use options::Options;
pub use permission::{PermissionAsk, PermissionHandler};
pub use process::{ClosePolicy, CloseReport, CloseStep};
pub use query::{Query, query};
