//! A session of an agent CLI as entries for user interfaces.
//!
//! A [`View`] converts the messages and events of a session to [entries](Entry): prompts, texts,
//! thoughts, tool calls with diffs and outputs, plans, questions, approvals, sub-agents, notices
//! and the ends of turns. [`View::push`] returns the [changes](Change), whose size is that of the
//! new data. [`View::restore`] creates the same entries from a transcript.
//!
//! ```
//! use agentwire_protocol::{Json, Message};
//! use agentwire_view::{Body, View};
//!
//! let mut view = View::new();
//! for line in [
//!     r#"{"type":"assistant","uuid":"1","message":{"id":"msg_1","role":"assistant","content":[
//!         {"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"cargo test"}}]}}"#,
//!     r#"{"type":"user","message":{"role":"user","content":[
//!         {"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]},
//!         "tool_use_result":{"stdout":"ok","stderr":"","interrupted":false}}"#,
//! ] {
//!     let message: Message = line.parse::<Json>()?.read()?;
//!     for change in view.push(&message) {
//!         // Send it to the page.
//!         println!("{}", serde_json::to_string(change)?);
//!     }
//! }
//! let entry = view.get("toolu_1").expect("the call");
//! let Body::ToolCall(call) = &entry.body else { unreachable!() };
//! assert_eq!(call.title, "Run cargo test");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `view` of the crate `agentwire`, [`View::push`] takes its events, too:
//! `view.push(&event)`. Tell the view which prompts you send with [`Input::Sent`], and that the
//! session has ended with [`Input::Ended`].
//!
//! With the feature `acp`, a view takes the updates of agents that speak the Agent Client Protocol
//! (`AcpInput`). [`agent::Agent`] is an interface for hosts with agents of several kinds.
//!
//! # Pages
//!
//! Send a page the [snapshot](View::snapshot) first, and then the changes. Each change has a
//! number. A page that reconnects sends the number of its last change: [`View::since`] returns the
//! changes that it missed, or `None` if it needs the snapshot again. All pages then show the same
//! entries. A page applies a change like this, with a map from IDs to entries:
//!
//! | change | what to do |
//! |---|---|
//! | `insert` | add `entry` to its `parent`, in front of `before` or at the end |
//! | `append` | append `text` to the text of the member |
//! | `set` | `Object.assign(entry, change.set)`; `null` removes the member |
//! | `move` | move the entry in front of `before` or to the end |
//! | `remove` | remove the entry, with the entries below it |
//! | `clear` | remove all entries |
//! | `session` | replace the session |
//!
//! [`TYPESCRIPT`] has the declarations of all types, and `schema` (feature `schema`) the JSON
//! Schema. The names of kinds, statuses and locations of tool calls are those of the Agent Client
//! Protocol.
//!
//! # Untrusted text
//!
//! Models and tools write almost all texts of a view. The view escapes control characters, marks
//! that change the direction of text, and characters without width: `\u{202e}` is displayed as
//! these eight characters. IDs are not escaped; do not display them. A page must do the following:
//!
//! - Set texts with `textContent`, never as HTML. If you render Markdown, disable raw HTML.
//! - Open links only if their scheme is `http` or `https`, with `rel="noopener noreferrer"`.
//! - Show images only from `data`, and only if the media type is a raster image such as
//!   `image/png`. A URL would reveal to its server that somebody reads the page.
//! - Send a strict `Content-Security-Policy`.
//!
//! # Memory
//!
//! A view has at most [`Limits::entries`] entries. It removes the oldest finished ones. Outputs,
//! inputs and diffs longer than [`Limits::output`] are cut in the middle: [`LongText`] says how
//! much is missing.
//!
//! [`LongText`]: entry::LongText

// docs.rs builds with a nightly compiler, which marks the items that need a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod agent;
pub mod entry;

#[cfg(feature = "acp")]
mod acp;
mod change;
mod declarations;
mod fold;
mod input;
mod partial_json;
mod restore;
mod size;
mod text;
mod tool;
mod view;

#[cfg(feature = "acp")]
pub use acp::AcpInput;
pub use change::{Change, Entries, Member, Numbered, TextMember};
#[cfg(feature = "schema")]
pub use declarations::schema;
pub use entry::{Body, Entry, EntryId};
pub use input::Input;
pub use view::{Limits, Snapshot, View};

/// TypeScript declarations of snapshots and changes: the content of `view.d.ts`.
pub const TYPESCRIPT: &str = include_str!("../view.d.ts");
