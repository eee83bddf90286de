//! Requests about files.

use crate::handle::{Handle, Pending};
use agentwire_protocol::control::{
    Empty, FileSuggestions, FileSuggestionsAnswer, ReadFile, ReadFileAnswer, RegisterRepoRoot,
    RegisterRepoRootAnswer, RewindFiles, RewindFilesAnswer, SeedReadState,
};
use std::time::{SystemTime, UNIX_EPOCH};

/// # Files
///
/// Those of the machine that the agent runs on.
impl Handle {
    /// Puts files back to how they were before a user message, which is named
    /// by its `uuid`. The answer says what was done.
    ///
    /// The CLI has to be started with
    /// `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1` in its environment;
    /// otherwise it refuses, as it does for messages that it does not know.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// let mut submission = client.send("Tidy up.");
    /// submission.ended().await;
    /// let would = client.rewind_files_dry_run(submission.uuid()).await?;
    /// println!("{} lines would go", would.deletions.unwrap_or_default());
    /// client.rewind_files(submission.uuid()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn rewind_files(&self, user_message_uuid: &str) -> Pending<RewindFilesAnswer> {
        self.request(&RewindFiles::to(user_message_uuid))
    }

    /// Says what [`Handle::rewind_files`] would do, and does nothing. That it
    /// cannot be done is an answer here, with the reason.
    #[doc(alias = "rewind_files")]
    pub fn rewind_files_dry_run(&self, user_message_uuid: &str) -> Pending<RewindFilesAnswer> {
        self.request(&RewindFiles::dry_run(user_message_uuid))
    }

    /// Reads a file as text, as far as the rules for reading allow it. The
    /// path may be relative to the agent's directory. Without a limit of the
    /// request's own the CLI reads about 1 MB.
    ///
    /// For bytes, and for limits: [`ReadFile::base64`].
    pub fn read_file(&self, path: &str) -> Pending<ReadFileAnswer> {
        self.request(&ReadFile::new(path))
    }

    /// Asks for files whose names are like a text that is being typed.
    pub fn file_suggestions(&self, query: &str) -> Pending<FileSuggestionsAnswer> {
        self.request(&FileSuggestions::new(query))
    }

    /// Says that the model knows a file already as it was when it was last
    /// `modified`, so that it may edit it. Without effect when the file has
    /// changed since.
    pub fn seed_read_state(&self, path: &str, modified: SystemTime) -> Pending<Empty> {
        self.request(&SeedReadState::new(path, milliseconds(modified)))
    }

    /// Takes a directory for a repository that belongs to the session. It has
    /// to be below one that the session was started with, and not be taken
    /// yet.
    ///
    /// To have instructions, plugins or skills read from it:
    /// [`RegisterRepoRoot`].
    pub fn register_repo_root(&self, directory: &str) -> Pending<RegisterRepoRootAnswer> {
        self.request(&RegisterRepoRoot::new(directory))
    }
}

/// Whole milliseconds since 1970, rounded down; 0 for what was before that.
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
