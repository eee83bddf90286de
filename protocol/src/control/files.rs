//! Requests about files: reading, suggesting and rewinding them, and what the
//! agent takes for read or for a part of the project.

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
    /// Reads a file where the agent runs.
    #[derive(Default)]
    pub struct ReadFile tags("subtype" = "read_file") {
        /// The file, absolute or relative to the working directory.
        pub path: String,
        /// How many bytes to read at most.
        pub max_bytes: Option<u64>,
        /// How to put the bytes into the answer; as text, when absent.
        pub encoding: Option<FileEncoding>,
    }
}

open_enum! {
    /// How a file's bytes are put into an answer.
    pub enum FileEncoding {
        /// As text. What is not UTF-8 is lost.
        Utf8 = "utf-8",
        /// As base64. Nothing is lost.
        Base64 = "base64",
    }
}

object! {
    /// What is in a file.
    pub struct ReadFileAnswer {
        /// The content, encoded as `encoding` says.
        pub contents: String,
        /// The file's absolute path.
        pub abs_path: Option<String> = "absPath",
        /// Whether the file goes on behind it.
        pub truncated: Option<bool>,
        /// How the content is encoded; as text, when absent, whatever was
        /// asked for.
        pub encoding: Option<FileEncoding>,
        /// Whether some bytes were not UTF-8 and are lost. Absent from
        /// base64, and from older agents.
        pub lossy: Option<bool>,
        /// The path as it was asked for.
        pub requested_path: Option<String>,
    }
}

object! {
    /// Asks for files whose names are like a text that is being typed.
    #[derive(Default)]
    pub struct FileSuggestions tags("subtype" = "file_suggestions") {
        /// The text.
        pub query: String,
    }
}

object! {
    /// Files with such names.
    #[derive(Default)]
    pub struct FileSuggestionsAnswer {
        /// The files.
        pub suggestions: Option<Vec<Json>>,
        /// The directory that their paths start from.
        pub cwd: Option<String>,
    }
}

object! {
    /// Says that the model knows a file already, so that it may edit it.
    pub struct SeedReadState tags("subtype" = "seed_read_state") {
        /// The file.
        pub path: String,
        /// When the file had last been changed, in milliseconds since 1970.
        pub mtime: Number,
    }
}

object! {
    /// Puts files back to how they were before a user message. The agent has
    /// to be started with `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1`.
    #[derive(Default)]
    pub struct RewindFiles tags("subtype" = "rewind_files") {
        /// The user message's `uuid`.
        pub user_message_id: String,
        /// Whether only to say what would be done.
        pub dry_run: Option<bool>,
    }
}

object! {
    /// What was put back, or would be.
    pub struct RewindFilesAnswer {
        /// Whether it can be done.
        pub can_rewind: bool = "canRewind",
        /// Why not. For a dry run; agents refuse to rewind instead.
        pub error: Option<String>,
        /// The files that would change. For a dry run.
        pub files_changed: Option<Vec<String>> = "filesChanged",
        /// How many lines would come. For a dry run.
        pub insertions: Option<u64>,
        /// How many lines would go. For a dry run.
        pub deletions: Option<u64>,
        /// How many files were left alone because of a link that could lead
        /// elsewhere. Not for a dry run.
        pub skipped_links: Option<u64> = "skippedLinks",
    }
}

object! {
    /// Takes a directory for a repository that belongs to the session.
    #[derive(Default)]
    pub struct RegisterRepoRoot tags("subtype" = "register_repo_root") {
        /// The directory.
        pub directory: String,
        /// Whether instructions are read from it.
        pub reload_claude_md: Option<bool>,
        /// Whether plugins are loaded again.
        pub reload_plugins: Option<bool>,
        /// Whether skills are loaded again.
        pub reload_skills: Option<bool>,
    }
}

object! {
    /// The repository that was taken.
    #[derive(Default)]
    pub struct RegisterRepoRootAnswer {
        /// The directory.
        pub directory: Option<String>,
    }
}

impl ReadFile {
    /// Reads this file as text.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Reads this file as base64, so that nothing is lost.
    pub fn base64(path: impl Into<String>) -> Self {
        Self {
            encoding: Some(FileEncoding::Base64),
            ..Self::new(path)
        }
    }
}

impl FileSuggestions {
    /// Files like this.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            ..Self::default()
        }
    }
}

impl SeedReadState {
    /// The model knows this file as it was at `mtime`, in milliseconds since
    /// 1970.
    pub fn new(path: impl Into<String>, mtime: impl Into<Number>) -> Self {
        Self {
            path: path.into(),
            mtime: mtime.into(),
            extra: Default::default(),
        }
    }
}

impl RewindFiles {
    /// Puts files back to how they were before this user message.
    pub fn to(user_message_id: impl Into<String>) -> Self {
        Self {
            user_message_id: user_message_id.into(),
            ..Self::default()
        }
    }

    /// Only says what would be done.
    pub fn dry_run(user_message_id: impl Into<String>) -> Self {
        Self {
            dry_run: Some(true),
            ..Self::to(user_message_id)
        }
    }
}

impl RegisterRepoRoot {
    /// Takes this directory.
    pub fn new(directory: impl Into<String>) -> Self {
        Self {
            directory: directory.into(),
            ..Self::default()
        }
    }
}
