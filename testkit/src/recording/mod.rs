//! Recorded sessions: the lines between a host and its agent, with times, as
//! JSON lines. `recordings/README.md` describes the format.
//!
//! ```
//! use agentwire_testkit::recording::{Reader, EntryKind};
//!
//! let text = r#"{"t":0.1,"dir":"recv","msg":{"type":"keep_alive"}}"#;
//! for entry in Reader::new(text.as_bytes()) {
//!     let entry = entry?;
//!     assert!(matches!(entry.kind, EntryKind::Received(_)));
//! }
//! # Ok::<(), agentwire_testkit::recording::RecordingError>(())
//! ```

mod entry;
mod error;
mod reader;
mod recorder;
mod script;
mod scrub;
#[cfg(test)]
mod tests;

pub use entry::{Entry, EntryKind, Exit, INPUT_CLOSED, RecordedLine, Spawn};
pub use error::RecordingError;
pub use reader::{Reader, open, sessions};
pub use recorder::{Direction, Recorder};
pub use script::scenario;
pub use scrub::Scrub;
