#![doc = include_str!("../../docs/transcript.md")]

mod entry;
mod files;
mod read;
mod record;
mod tree;

pub use entry::*;
pub use files::{AgentFiles, AgentMeta, Conversation, Directory, Files, Place, Subagent, Unread};
pub use read::{Current, Transcript, messages};
pub use record::{Author, Record};
pub use tree::{Branch, History, Standing, Tree};
