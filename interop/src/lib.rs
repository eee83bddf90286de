//! Conversations of an agent CLI, to and from other message systems, both
//! ways.
//!
//! No I/O: values go in, values come out.

pub mod bridgic;
mod calls;
mod compat;
pub mod conversion;
mod message;
pub mod session;

pub use calls::Calls;
pub use compat::Compat;
pub use message::{Instructions, Message};
