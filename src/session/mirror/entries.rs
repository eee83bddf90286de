//! The entries of a message.

use crate::event::Notice;
use crate::store::{TranscriptFailure, TranscriptKey};
use agentwire_protocol::message::TranscriptMirror;
use agentwire_protocol::{Frame, Json};
use std::path::PathBuf;

/// Entries from before the session that a store lacks.
pub(crate) type Lacking = Vec<(TranscriptKey, Vec<Json>)>;

/// Entries of one transcript.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) key: TranscriptKey,
    /// The agent's own file, by the agent's path.
    pub(super) file: PathBuf,
    pub(super) entries: Vec<Json>,
}

impl Entries {
    /// Reads the entries of a message, or returns a notice if it is invalid.
    pub(super) fn of(frame: &Frame) -> Result<Self, Notice> {
        let unreadable = |entries, why: String| Notice::NotMirrored {
            key: None,
            entries,
            failure: TranscriptFailure::InvalidMessage(why),
        };
        let message = frame.read::<TranscriptMirror>();
        let TranscriptMirror {
            file_path, entries, ..
        } = message.map_err(|error| unreadable(0, error.to_string()))?;
        match TranscriptKey::of_file(&file_path) {
            Some(key) => Ok(Self {
                key,
                file: file_path.into(),
                entries,
            }),
            None => {
                let why = format!("`{file_path}` is not the path of a transcript");
                Err(unreadable(entries.len(), why))
            }
        }
    }
}
