//! Transcripts: the files in which an agent CLI stores its sessions.
//!
//! A transcript is not the wire protocol. Its records have other members, they
//! form a tree, and sub-agents have separate files. This module reads
//! transcripts:
//!
//! - [`Record`] is a line, and [`Entry`] its typed content. Unknown members and
//!   unknown records are preserved;
//! - [`Tree`] takes the records of a file and returns the [`Branch`] on which the
//!   conversation continued;
//! - [`Author`] distinguishes prompts of the user from messages that the agent wrote;
//! - [`session_messages`] and [`subagent_messages`] return the messages that the
//!   official SDK lists for a transcript;
//! - [`Ends`] returns the [`Summary`] of a session for a list, from the first and the
//!   last bytes of its transcript;
//! - [`Fork`] returns a copy of a transcript under another session ID.
//!   [`title_line`], [`tag_line`] and [`archived_mark`] change a session's summary;
//! - [`Place`], [`Files`] and [`Directory`] assign files to sessions and sub-agents.
//!   They take paths and texts; this crate opens no files.
//!
//! A [`Branch`] is the conversation that the agent resumes. Use it for
//! conversions. [`session_messages`] is compatible with the official SDK,
//! member for member. It also accepts files that an agent did not write, with
//! any value in any member. For an agent's transcripts, both follow the same
//! branch; `session_messages` omits messages that the agent wrote for the
//! model. Only the branch is what the agent resumes in these cases: a damaged
//! transcript, a transcript that ends within a turn, and one in which the user
//! rewound the conversation and sent no new message. Only a branch can include
//! [all](History::All) messages before a compaction.
//!
//! ```
//! use agentwire_protocol::transcript::{History, Record, Standing, Tree};
//!
//! let lines = [
//!     r#"{"type":"user","uuid":"1","parentUuid":null,"message":{"role":"user","content":"Hello"}}"#,
//!     r#"{"type":"user","uuid":"2","parentUuid":"1","message":{"role":"user","content":"Not this"}}"#,
//!     r#"{"type":"user","uuid":"3","parentUuid":"1","message":{"role":"user","content":"But this"}}"#,
//! ];
//! let records: Vec<Record> = lines.iter().map(|line| Record::read(line)).collect::<Result<_, _>>()?;
//! let mut tree = Tree::default();
//! for record in &records {
//!     tree.note(record);
//! }
//! let branch = tree.branch(History::All);
//! assert_eq!(branch.standing(&records[1]), Standing::Dead);
//! assert_eq!(branch.standing(&records[2]), Standing::Live);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod author;
mod changes;
mod entry;
mod files;
mod messages;
mod record;
mod summary;
mod tree;

pub use author::Author;
pub use changes::{archived_mark, tag_line, title_line};
pub use entry::*;
pub use files::{AgentFiles, AgentMeta, Directory, Files, Place, Unread};
pub use messages::{Fork, ForkError, MessageSelection, session_messages, subagent_messages};
pub use record::Record;
pub use summary::{Archived, Ends, Summary, fold_summary};
pub use tree::{Branch, History, Standing, Tree};
