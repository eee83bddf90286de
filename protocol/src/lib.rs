//! What is on the wire between a host (an SDK) and an agent CLI, and the state
//! machines that speak it. No I/O, no clock, no runtime, no randomness: bytes
//! and instants go in, bytes and events come out.
//!
//! | module | its one job |
//! |---|---|
//! | [`codec`] | bytes to lines and back |
//! | [`frame`] | one line: its bytes, and what is needed to route it |
//! | [`message`], [`content`] | the data plane: what is said |
//! | [`control`], [`permission`] | the control plane: what is asked and answered |
//! | [`outbox`] | what waits to be written, and the order in which it goes |
//! | [`host`] | the SDK's side of a session |
//! | [`agent`] | the CLI's side, which the fake agent speaks |
//! | [`json`] | JSON that nobody has given a type to |
//!
//! The types are open: members, kinds and values that they do not know
//! survive reading and writing, numbers keep their digits, and `null` and
//! absent stay apart.

pub mod agent;
pub mod audit;
pub mod codec;
pub mod content;
pub mod control;
mod exact;
pub mod frame;
pub mod host;
pub mod json;
pub mod message;
mod open;
pub mod outbox;
pub mod permission;
mod untyped;

pub use exact::is_same_value;
pub use frame::{Frame, FrameError, Head, ViewError};
pub use json::{Json, Members, Number};
pub use message::Message;
pub use untyped::{Pointer, Untyped};
