//! Copies of a session under another ID.

mod boundary;
mod copied;
mod cut;
mod derived;
mod flow;
mod outside;
mod pruned;

use super::lines::objects;
use super::row::Row;
use super::value::is_truthy;
use crate::transcript::summary::{Ends, trimmed};
use crate::{Json, Members};
use copied::{Ids, Sessions};
use derived::Derived;
use flow::Flows;
use outside::{Outside, record};
use std::fmt;

/// A copy of a session's transcript under another session ID, compatible with
/// `forkSession` of the official TypeScript SDK.
///
/// The copy has the messages of the main conversation under new IDs, including
/// those of abandoned branches. It does not have messages of sub-agents,
/// progress, and records that belong only to the first session, such as its
/// file snapshots.
///
/// ```
/// use agentwire_protocol::transcript::Fork;
///
/// let line = r#"{"type":"user","uuid":"1","parentUuid":null,"message":{"content":"Hello"}}"#;
/// let mut ids = (0..).map(|id| format!("id-{id}"));
/// let fork = Fork::new("session-1", "session-2", "2026-01-01T00:00:00.000Z").title("Copy");
/// let copy = fork.write(line.as_bytes(), || ids.next().unwrap_or_default())?;
/// assert!(String::from_utf8(copy)?.contains(r#""customTitle":"Copy""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Fork {
    of: String,
    copy: String,
    now: String,
    up_to: Option<String>,
    title: Option<String>,
    title_of_file: Option<String>,
}

/// The error of copying a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForkError {
    /// The main conversation has no messages.
    NoMessages,
    /// The main conversation has no message with the ID passed to [`Fork::up_to`].
    UnknownMessage,
}

impl fmt::Display for ForkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoMessages => "the session has no messages",
            Self::UnknownMessage => "the session has no message with this ID",
        })
    }
}

impl std::error::Error for ForkError {}

impl Fork {
    /// Creates a copy of the session `of` with the session ID `copy`. `now` is
    /// the time of the copy's last message and of its title, as RFC 3339.
    pub fn new(of: impl Into<String>, copy: impl Into<String>, now: impl Into<String>) -> Self {
        Self {
            of: of.into(),
            copy: copy.into(),
            now: now.into(),
            up_to: None,
            title: None,
            title_of_file: None,
        }
    }

    /// Ends the copy with this message, inclusive. `message` is the ID of the
    /// message, or of the queued prompt that it delivers.
    ///
    /// If the message is the summary of a compaction, the copy does not have
    /// the messages that the compaction preserved. If the message is the
    /// boundary of a compaction, the copy ends before the boundary.
    pub fn up_to(mut self, message: impl Into<String>) -> Self {
        self.up_to = Some(message.into()).filter(|it| !it.is_empty());
        self
    }

    /// Sets the title. The default, also for a blank title, is the session's
    /// title with ` (fork)`.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the title in the file `custom-title.json` of the session, as
    /// [`Ends::title_of_file`] returns it.
    pub fn title_of_file(mut self, title: Option<String>) -> Self {
        self.title_of_file = title;
        self
    }

    /// Returns the copy of a transcript. Calls `new_id` for the ID of each record.
    ///
    /// # Errors
    ///
    /// If the main conversation is empty, or has no message with the ID passed
    /// to [`Fork::up_to`].
    pub fn write(
        &self,
        text: &[u8],
        mut new_id: impl FnMut() -> String,
    ) -> Result<Vec<u8>, ForkError> {
        let mut rows = Vec::new();
        let (mut outside, mut flows, mut derived) =
            (Outside::default(), Flows::default(), Derived::default());
        for members in objects(text) {
            outside.note(&members, &self.of);
            flows.note(&members);
            if !derived.note(&members, &self.of) {
                flows.lacks(&self.of);
            }
            if let Some(row) = Row::of(members) {
                flows.note_row(&row);
                derived.note_row(&row);
                rows.push(row);
            }
        }
        rows.retain(|row| !is_truthy(row.get("isSidechain")));
        if rows.is_empty() {
            return Err(ForkError::NoMessages);
        }
        self.cut(&mut rows, &new_id())?;
        let ids = Ids::of(&rows, &mut new_id);
        let sessions = Sessions {
            of: &self.of,
            copy: &self.copy,
        };
        let copied = copied::copy(&rows, &ids, &sessions, &self.now);
        if copied.is_empty() {
            return Err(ForkError::NoMessages);
        }
        let mut lines = Vec::new();
        let mut write = |records: Vec<Members>| {
            for record in records {
                let line = Json::from_value(&record).unwrap_or_default();
                lines.extend_from_slice(line.get().as_bytes());
                lines.push(b'\n');
            }
        };
        write(outside.records_before(&self.copy, &self.now));
        write(copied);
        write(outside.records_after(&self.copy, &self.now, &mut new_id));
        let flow = flows.records(&self.of, &self.copy);
        let derived = derived.record(&self.of, &self.copy, !flow.is_empty());
        write(flow);
        write(
            derived
                .into_iter()
                .chain(outside.relocated(&self.copy))
                .collect(),
        );
        let mut title = record("custom-title", &self.copy);
        title.push("customTitle", (&*self.title_of(text)).into());
        title.push("uuid", (&*new_id()).into());
        title.push("timestamp", (&*self.now).into());
        write(vec![title]);
        Ok(lines)
    }

    /// Removes the records that the copy does not have. `id` is an unused ID.
    fn cut(&self, rows: &mut Vec<Row>, id: &str) -> Result<(), ForkError> {
        if let Some(message) = &self.up_to {
            let at = cut::find(rows, message).ok_or(ForkError::UnknownMessage)?;
            let uuid = rows[at].uuid.clone();
            rows.truncate(at + 1);
            rows.truncate(cut::before_compaction(rows));
            cut::forget_preserved(rows, &uuid);
        }
        for row in &mut *rows {
            copied::strip(row);
        }
        if self.up_to.is_some() {
            pruned::prune(rows, id);
        }
        Ok(())
    }

    fn title_of(&self, text: &[u8]) -> String {
        let title = self.title.as_deref().map(trimmed);
        if let Some(title) = title.filter(|it| !it.is_empty()) {
            return title.to_owned();
        }
        let (head, tail) = (
            text.get(..Ends::SIZE).unwrap_or(text),
            text.len().checked_sub(Ends::SIZE).map(|at| &text[at..]),
        );
        let ends = Ends::new(head, tail.unwrap_or(head));
        let title = ends.title_to_copy(self.title_of_file.clone());
        format!("{} (fork)", title.as_deref().unwrap_or("Forked session"))
    }
}
