//! Requests about files: reading, suggesting and rewinding them, and marking
//! them as read or as part of the project.

use super::request::{Empty, host_requests};
use crate::json::{Json, Number};
use crate::open::{object, open_enum};

host_requests! {
    ReadFile = "read_file" => ReadFileAnswer,
    FileSuggestions = "file_suggestions" => FileSuggestionsAnswer,
    SeedReadState = "seed_read_state" => Empty,
    RewindFiles = "rewind_files" => RewindFilesAnswer,
    RegisterRepoRoot = "register_repo_root" => RegisterRepoRootAnswer,
}

object! {
    /// Reads a file on the agent's machine.
    #[derive(Default)]
    pub struct ReadFile tags("subtype" = "read_file") {
        /// The path of the file, absolute or relative to the working directory.
        pub path: String,
        /// The maximum number of bytes to read.
        pub max_bytes: Option<u64>,
        /// The encoding of the bytes in the response. Default: text.
        pub encoding: Option<FileEncoding>,
    }
}

open_enum! {
    /// The encoding of a file's content in a response.
    pub enum FileEncoding {
        /// Text. Invalid UTF-8 is replaced.
        Utf8 = "utf-8",
        /// Base64, which is lossless.
        Base64 = "base64",
    }
}

object! {
    /// The content of a file.
    pub struct ReadFileAnswer {
        /// The content, encoded according to `encoding`.
        pub contents: String,
        /// The absolute path of the file.
        pub abs_path: Option<String> = "absPath",
        /// Whether the content is truncated.
        pub truncated: Option<bool>,
        /// The encoding of the content. If `None`, the content is text, even if
        /// another encoding was requested.
        pub encoding: Option<FileEncoding>,
        /// Whether invalid UTF-8 was replaced. `None` for base64, and from
        /// older agents.
        pub lossy: Option<bool>,
        /// The path as requested.
        pub requested_path: Option<String>,
    }
}

object! {
    /// Requests the files whose names match a partial input.
    #[derive(Default)]
    pub struct FileSuggestions tags("subtype" = "file_suggestions") {
        /// The partial input.
        pub query: String,
    }
}

object! {
    /// The files whose names match.
    #[derive(Default)]
    pub struct FileSuggestionsAnswer {
        /// The files.
        pub suggestions: Option<Vec<Json>>,
        /// The directory that the paths are relative to.
        pub cwd: Option<String>,
    }
}

object! {
    /// Marks a file as already read by the model, so that the model may edit
    /// it.
    pub struct SeedReadState tags("subtype" = "seed_read_state") {
        /// The path of the file.
        pub path: String,
        /// The last modification of the file, in milliseconds since 1970.
        pub mtime: Number,
    }
}

object! {
    /// Restores files to their state before a user message. The agent must have
    /// been started with `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1`.
    #[derive(Default)]
    pub struct RewindFiles tags("subtype" = "rewind_files") {
        /// The `uuid` of the user message before which the files were in the
        /// desired state.
        pub user_message_id: String,
        /// Whether to report the changes without making them.
        pub dry_run: Option<bool>,
    }
}

object! {
    /// The files that were restored, or would be.
    pub struct RewindFilesAnswer {
        /// Whether the files can be restored.
        pub can_rewind: bool = "canRewind",
        /// The reason why the files cannot be restored. Set only for a dry run;
        /// otherwise the request fails.
        pub error: Option<String>,
        /// The files that would change. Set only for a dry run.
        pub files_changed: Option<Vec<String>> = "filesChanged",
        /// The number of lines that would be added. Set only for a dry run.
        pub insertions: Option<u64>,
        /// The number of lines that would be removed. Set only for a dry run.
        pub deletions: Option<u64>,
        /// The number of files that were skipped because of a link that could
        /// point elsewhere. Not set for a dry run.
        pub skipped_links: Option<u64> = "skippedLinks",
    }
}

object! {
    /// Adds a directory as a repository of the session.
    #[derive(Default)]
    pub struct RegisterRepoRoot tags("subtype" = "register_repo_root") {
        /// The path of the directory.
        pub directory: String,
        /// Whether to load the instruction files of the directory.
        pub reload_claude_md: Option<bool>,
        /// Whether to reload plugins.
        pub reload_plugins: Option<bool>,
        /// Whether to reload skills.
        pub reload_skills: Option<bool>,
    }
}

object! {
    /// The repository that was added.
    #[derive(Default)]
    pub struct RegisterRepoRootAnswer {
        /// The path of the directory.
        pub directory: Option<String>,
    }
}

impl ReadFile {
    /// Reads a file as text.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Reads a file as base64, which is lossless.
    pub fn base64(path: impl Into<String>) -> Self {
        Self {
            encoding: Some(FileEncoding::Base64),
            ..Self::new(path)
        }
    }
}

impl FileSuggestions {
    /// Requests the files whose names match this partial input.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            ..Self::default()
        }
    }
}

impl SeedReadState {
    /// Marks a file as read by the model in its state at `mtime`, in
    /// milliseconds since 1970.
    pub fn new(path: impl Into<String>, mtime: impl Into<Number>) -> Self {
        Self {
            path: path.into(),
            mtime: mtime.into(),
            extra: Default::default(),
        }
    }
}

impl RewindFiles {
    /// Restores files to their state before this user message.
    pub fn to(user_message_id: impl Into<String>) -> Self {
        Self {
            user_message_id: user_message_id.into(),
            ..Self::default()
        }
    }

    /// Reports the changes without making them.
    pub fn dry_run(user_message_id: impl Into<String>) -> Self {
        Self {
            dry_run: Some(true),
            ..Self::to(user_message_id)
        }
    }
}

impl RegisterRepoRoot {
    /// Adds this directory as a repository.
    pub fn new(directory: impl Into<String>) -> Self {
        Self {
            directory: directory.into(),
            ..Self::default()
        }
    }
}
