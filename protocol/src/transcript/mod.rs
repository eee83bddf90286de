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
//! - [`Place`], [`Files`] and [`Directory`] tell which files belong together. They
//!   take paths and texts; this crate opens no files.
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
mod entry;
mod files;
mod record;
mod tree;

pub use author::Author;
pub use entry::*;
pub use files::{AgentFiles, AgentMeta, Directory, Files, Place, Unread};
pub use record::Record;
pub use tree::{Branch, History, Standing, Tree};
