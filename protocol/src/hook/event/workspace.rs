//! Events of what the agent works in: settings, files, directories,
//! worktrees.

use crate::open::{object, open_enum};

object! {
    /// Settings were changed.
    #[derive(Default)]
    pub struct ConfigChange tags("hook_event_name" = "ConfigChange") {
        /// Which.
        pub source: Option<ConfigSource>,
        /// Their file.
        pub file_path: Option<String>,
    }
}

open_enum! {
    /// Settings that can change.
    pub enum ConfigSource {
        /// The user's.
        UserSettings = "user_settings",
        /// The project's.
        ProjectSettings = "project_settings",
        /// The project's that are not shared.
        LocalSettings = "local_settings",
        /// The organisation's.
        PolicySettings = "policy_settings",
        /// The skills.
        Skills = "skills",
    }
}

object! {
    /// A file with instructions was read.
    #[derive(Default)]
    pub struct InstructionsLoaded tags("hook_event_name" = "InstructionsLoaded") {
        /// The file.
        pub file_path: String,
        /// Whose instructions they are.
        pub memory_type: Option<MemoryKind>,
        /// Why it was read.
        pub load_reason: Option<LoadReason>,
        /// The patterns of paths that it is for.
        pub globs: Option<Vec<String>>,
        /// The file that was being worked on and made it be read.
        pub trigger_file_path: Option<String>,
        /// The file that includes it.
        pub parent_file_path: Option<String>,
    }
}

open_enum! {
    /// Whose instructions a file has.
    pub enum MemoryKind {
        /// The user's.
        User = "User",
        /// The project's.
        Project = "Project",
        /// The project's that are not shared.
        Local = "Local",
        /// The organisation's.
        Managed = "Managed",
    }
}

open_enum! {
    /// Why a file with instructions was read.
    pub enum LoadReason {
        /// The session began.
        SessionStart = "session_start",
        /// The agent came into its directory.
        NestedTraversal = "nested_traversal",
        /// A path matched one of its patterns.
        PathGlobMatch = "path_glob_match",
        /// Another file includes it.
        Include = "include",
        /// The conversation was compacted.
        Compact = "compact",
    }
}

object! {
    /// The working directory was changed.
    #[derive(Default)]
    pub struct CwdChanged tags("hook_event_name" = "CwdChanged") {
        /// The directory before it.
        pub old_cwd: String,
        /// The directory after it.
        pub new_cwd: String,
    }
}

object! {
    /// A watched file was changed.
    #[derive(Default)]
    pub struct FileChanged tags("hook_event_name" = "FileChanged") {
        /// The file.
        pub file_path: String,
        /// What was done to it.
        pub event: Option<FileChange>,
    }
}

open_enum! {
    /// What was done to a file.
    pub enum FileChange {
        /// It was written.
        Change = "change",
        /// It was made.
        Add = "add",
        /// It was removed.
        Unlink = "unlink",
    }
}

object! {
    /// The agent was given one more directory to work in.
    #[derive(Default)]
    pub struct DirectoryAdded tags("hook_event_name" = "DirectoryAdded") {
        /// The directory, absolute.
        pub directory: String,
        /// Who gave it.
        pub source: Option<DirectorySource>,
    }
}

open_enum! {
    /// Who gave the agent one more directory.
    pub enum DirectorySource {
        /// The user, with `/add-dir`.
        SlashCommand = "slash_command",
        /// The host, with `register_repo_root`.
        RegisterRepoRoot = "register_repo_root",
    }
}

object! {
    /// A worktree is wanted: the hook makes one and says where.
    #[derive(Default)]
    pub struct WorktreeCreate tags("hook_event_name" = "WorktreeCreate") {
        /// What it is to be called.
        pub name: String,
    }
}

object! {
    /// A worktree is to go: the hook removes it.
    #[derive(Default)]
    pub struct WorktreeRemove tags("hook_event_name" = "WorktreeRemove") {
        /// Where it is.
        pub worktree_path: String,
    }
}
