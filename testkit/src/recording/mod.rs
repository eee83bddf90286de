//! Recorded sessions: what a host and its agent said to each other, with
//! times, one JSON object a line. `recordings/README.md` has the format.
//!
//! ```
//! use agentwire_testkit::recording::{Reader, What};
//!
//! let text = r#"{"t":0.1,"dir":"recv","msg":{"type":"keep_alive"}}"#;
//! for entry in Reader::new(text.as_bytes()) {
//!     let entry = entry?;
//!     assert!(matches!(entry.what, What::Received(_)));
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

pub use entry::{Entry, Exit, INPUT_CLOSED, Said, Spawn, What};
pub use error::RecordingError;
pub use reader::{Reader, open, sessions};
pub use recorder::{Direction, Recorder};
pub use script::scenario;
pub use scrub::Scrub;
