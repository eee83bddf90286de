//! Information about a session, for lists.

use super::ends::{EndsBuffer, FileEnds};
use super::find::FoundTranscript;
use agentwire_protocol::transcript::{Archived, Ends};
use serde::Serialize;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Information about a session, for lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionInfo {
    /// The session ID.
    pub session_id: String,
    /// The title for display: the title, or else the last prompt, a recorded summary, the first
    /// prompt, or `Image` or `Document`.
    pub summary: String,
    /// The time of the last modification, in milliseconds since 1970. See
    /// [`SessionInfo::modified`].
    pub last_modified: i64,
    /// The size of the transcript in bytes.
    pub file_size: u64,
    /// The title that the user or, otherwise, a model has set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_title: Option<String>,
    /// The first prompt, in one line of up to 200 UTF-16 units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// The git branch at the end of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// The working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The tag that the user has set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The time of the first record with a time, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// Whether the session is archived. `Some(false)` if it was archived, and was unarchived or
    /// continued since. `None` if it was never archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
}

impl SessionInfo {
    /// Returns the time of the last modification.
    #[must_use]
    pub fn modified(&self) -> SystemTime {
        time(self.last_modified)
    }

    /// Returns the time of the first record with a time.
    #[must_use]
    pub fn created(&self) -> Option<SystemTime> {
        self.created_at.map(time)
    }

    pub(super) fn read(found: &FoundTranscript, id: &str) -> Option<Self> {
        let mut buffer = EndsBuffer::default();
        let read = buffer.read(&found.path)?;
        Self::of(&read, &found.path, id, found.project.as_deref())
    }

    /// Creates the information from the ends of the transcript at `path`.
    pub(super) fn of(
        read: &FileEnds<'_>,
        path: &Path,
        id: &str,
        project: Option<&str>,
    ) -> Option<Self> {
        let folder = path.with_extension("");
        let title = match read.ends.has_title() {
            true => None,
            false => title_of_file(path),
        };
        let summary = read.ends.summary(project, title, archived(&folder))?;
        Some(Self {
            session_id: id.to_owned(),
            summary: summary.summary,
            last_modified: read.modified,
            file_size: read.size,
            custom_title: summary.custom_title,
            first_prompt: summary.first_prompt,
            git_branch: summary.git_branch,
            cwd: summary.cwd,
            tag: summary.tag,
            created_at: summary.created_at,
            archived: summary.archived,
        })
    }
}

/// Reads the title file in the folder of a session. `path` is the transcript.
pub(super) fn title_of_file(path: &Path) -> Option<String> {
    let path = path.with_extension("").join("custom-title.json");
    // Opening a pipe would wait for its writer.
    let is_file = fs::metadata(&path).is_ok_and(|it| it.is_file());
    let text = fs::read(path).ok().filter(|_| is_file)?;
    Ends::title_of_file(&text)
}

fn archived(folder: &Path) -> Option<Archived> {
    let path = folder.join("archived.json");
    let metadata = fs::metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > Archived::LARGEST {
        return None;
    }
    let mut text = Vec::new();
    let file = File::open(path).ok()?.take(Archived::LARGEST);
    { file }.read_to_end(&mut text).ok()?;
    Archived::read(&text)
}

fn time(milliseconds: i64) -> SystemTime {
    let since = Duration::from_millis(milliseconds.unsigned_abs());
    let time = match milliseconds < 0 {
        true => UNIX_EPOCH.checked_sub(since),
        false => UNIX_EPOCH.checked_add(since),
    };
    time.unwrap_or(UNIX_EPOCH)
}
