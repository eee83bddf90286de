//! Conversations of an agent CLI, to and from other message systems, both
//! ways.
//!
//! No I/O: values go in, values come out.

mod calls;
pub mod conversion;
mod message;

pub use calls::Calls;
pub use message::{Instructions, Message};
