//! Conversations of an agent CLI, to and from other message systems, both
//! ways.
//!
//! No I/O: values go in, values come out.

mod arguments;
pub mod bridgic;
mod calls;
pub mod chat;
mod compat;
pub mod conversion;
pub mod cua;
mod encrypted;
mod lenient;
mod media;
mod message;
pub mod openhands;
mod python;
pub mod responses;
pub mod session;
mod sorted;
mod text_or;

pub use calls::Calls;
pub use compat::Compat;
pub use encrypted::Encrypted;
pub use message::{Instructions, Message};
pub use text_or::TextOr;
