//! Requests about files.

use super::ResponseFuture;
use crate::handle::Handle;
use agentwire_protocol::control::{
    Empty, FileSuggestions, FileSuggestionsAnswer, ReadFile, ReadFileAnswer, RegisterRepoRoot,
    RegisterRepoRootAnswer, RewindFiles, RewindFilesAnswer, SeedReadState,
};
use std::time::{SystemTime, UNIX_EPOCH};

/// # Files
///
/// Files of the machine that the agent runs on.
impl Handle {
    /// Restores files to their state before a user message, given by its
    /// `uuid`. The response lists what was done.
    ///
    /// The CLI must be started with
    /// `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1` in its environment.
    /// Otherwise it refuses the request, as it does for unknown messages.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// let mut submission = client.send("Tidy up.");
    /// submission.final_state().await;
    /// let would = client.rewind_files_dry_run(submission.uuid()).await?;
    /// println!("{} lines would go", would.deletions.unwrap_or_default());
    /// client.rewind_files(submission.uuid()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn rewind_files(&self, user_message_uuid: &str) -> ResponseFuture<RewindFilesAnswer> {
        self.request(&RewindFiles::to(user_message_uuid))
    }

    /// Returns what [`Handle::rewind_files`] would do, without doing it. If it
    /// is not possible, that is a response with the reason, not an error.
    #[doc(alias = "rewind_files")]
    pub fn rewind_files_dry_run(
        &self,
        user_message_uuid: &str,
    ) -> ResponseFuture<RewindFilesAnswer> {
        self.request(&RewindFiles::dry_run(user_message_uuid))
    }

    /// Reads a file as text, if the agent's read rules permit it. The path may
    /// be relative to the agent's directory. Without an explicit limit the CLI
    /// reads about 1 MB.
    ///
    /// For bytes and limits, see [`ReadFile::base64`].
    pub fn read_file(&self, path: &str) -> ResponseFuture<ReadFileAnswer> {
        self.request(&ReadFile::new(path))
    }

    /// Returns files whose names match a partially typed text.
    pub fn file_suggestions(&self, query: &str) -> ResponseFuture<FileSuggestionsAnswer> {
        self.request(&FileSuggestions::new(query))
    }

    /// Marks a file as read by the model, as of its modification time
    /// `modified`, so that the model may edit it. Has no effect if the file has
    /// changed since.
    pub fn seed_read_state(&self, path: &str, modified: SystemTime) -> ResponseFuture<Empty> {
        self.request(&SeedReadState::new(path, milliseconds(modified)))
    }

    /// Registers a directory as a repository of the session. It must be below a
    /// directory that the session was started with, and not be registered yet.
    ///
    /// To load instructions, plugins or skills from it, see
    /// [`RegisterRepoRoot`].
    pub fn register_repo_root(&self, directory: &str) -> ResponseFuture<RegisterRepoRootAnswer> {
        self.request(&RegisterRepoRoot::new(directory))
    }
}

/// Returns whole milliseconds since 1970, rounded down; 0 for earlier times.
fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_rounded_down_to_milliseconds() {
        assert_eq!(milliseconds(UNIX_EPOCH + Duration::from_micros(1999)), 1);
        assert_eq!(milliseconds(UNIX_EPOCH - Duration::from_micros(1)), 0);
    }
}
