//! Forks a session.

use super::super::error::HistoryError;
use super::super::info::title_of_file;
use super::target::Target;
use super::time::now;
use super::write::write;
use agentwire_protocol::transcript::{Fork, ForkError};
use std::fs;
use std::path::Path;
use uuid::Uuid;

/// The options of a fork.
///
/// ```
/// use agentwire_history::ForkSession;
///
/// let fork = ForkSession::new()
///     .up_to("5f3d2a10-0000-4000-8000-000000000000")
///     .title("Second attempt");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForkSession {
    up_to: Option<String>,
    title: Option<String>,
}

impl ForkSession {
    /// Selects the whole session.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the last message to copy. `message_uuid` is a `uuid` of
    /// [`session_messages`](crate::History::session_messages) or of a message that your program
    /// sent. Default (also if empty): all messages.
    ///
    /// If the message is the summary of a compaction, the copy lacks the messages that the
    /// compaction preserved. If the message is the boundary of a compaction, the copy ends before
    /// the boundary.
    #[doc(alias = "upToMessageId")]
    #[must_use]
    pub fn up_to(mut self, message_uuid: impl Into<String>) -> Self {
        self.up_to = Some(message_uuid.into());
        self
    }

    /// Sets the title of the copy. Default (also if blank): the title of the session, or else its
    /// first prompt, followed by ` (fork)`.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

/// Writes a copy of the session to the folder of its transcript. Returns the ID of the copy.
pub(in super::super) fn fork(
    target: &Target<'_>,
    fork: &ForkSession,
) -> Result<String, HistoryError> {
    let (mut failure, mut found) = (None, None);
    for path in target.transcripts()? {
        match fs::read(&path) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => {
                found = Some((path, text));
                break;
            }
            Err(error) => {
                failure.get_or_insert(HistoryError::unreadable(path)(error));
            }
        }
    }
    let (path, text) = found.ok_or_else(|| failure.unwrap_or_else(|| target.not_found()))?;
    let id = Uuid::new_v4().to_string();
    let mut copy = Fork::new(target.id, &*id, now()).title_of_file(title_of_file(&path));
    if let Some(message) = &fork.up_to {
        copy = copy.up_to(message);
    }
    if let Some(title) = &fork.title {
        copy = copy.title(title);
    }
    let text = copy
        .write(&text, || Uuid::new_v4().to_string())
        .map_err(|error| match error {
            ForkError::UnknownMessage => HistoryError::UnknownMessage {
                id: target.id.to_owned(),
                message: fork.up_to.clone().unwrap_or_default(),
            },
            _ => HistoryError::NoMessages {
                id: target.id.to_owned(),
            },
        })?;
    target.check_folder(&path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    write(folder, &format!("{id}.jsonl"), &text)?;
    Ok(id)
}
