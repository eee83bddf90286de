//! Transcripts: the files in which an agent CLI keeps its sessions.
//!
//! A transcript is not the wire protocol. Its records have other members, they
//! form a tree, and sub-agents have files of their own. This module reads them:
//!
//! - [`Record`] is a line, and [`Entry`] its typed content. Unknown members and
//!   unknown records are preserved;
//! - [`Tree`] takes the records of a file and returns the [`Branch`] on which the
//!   conversation continued;
//! - [`Author`] tells prompts of the user from what the agent itself wrote;
//! - [`session_messages`] and [`subagent_messages`] return the messages that the
//!   official SDK lists of a transcript;
//! - [`Ends`] returns what a list shows of a session, from the first and the last
//!   bytes of its transcript;
//! - [`Fork`] returns the copy of a transcript under another session ID, and
//!   [`title_line`], [`tag_line`] and [`archived_mark`] what changes the list;
//! - [`Place`], [`Files`] and [`Directory`] tell which files belong together. They
//!   take paths and texts; this crate opens no files.
//!
//! A [`Branch`] is what the model has, and what conversions convert.
//! [`session_messages`] is what the official SDK shows, member for member, and it
//! reads files that an agent did not write, with any value anywhere. On the
//! transcripts of an agent both follow the same branch; messages that the agent
//! itself told the model are not listed. Of a damaged transcript, and of one that ends
//! in a turn, only a branch has what the agent resumes. Only a branch goes back where the user
//! rewound the conversation before saying anything new, and over a compaction to
//! [all](History::All) that was said before.
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
