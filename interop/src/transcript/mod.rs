#![doc = include_str!("../../docs/transcript.md")]

mod conversation;
mod read;

pub use agentwire_protocol::transcript::*;
pub use conversation::{Conversation, Subagent, conversation};
pub use read::{Current, Transcript, message, messages};
