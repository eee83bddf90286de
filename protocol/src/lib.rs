//! What is on the wire between a host and an agent CLI, and the state machines
//! that speak it.
pub mod agent;
pub mod codec;
pub mod content;
pub mod control;
pub mod frame;
pub mod host;
pub mod json;
pub mod message;
mod open;
pub mod outbox;
pub mod permission;

pub use frame::{Frame, FrameError, Head, ViewError};
pub use json::{Json, Members, Number};
pub use message::Message;
