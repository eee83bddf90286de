//! Events of the workspace: settings, files, directories and worktrees.

use crate::open::{object, open_enum};

object! {
    /// Settings have changed.
    #[derive(Default)]
    pub struct ConfigChange tags("hook_event_name" = "ConfigChange") {
        /// The settings.
        pub source: Option<ConfigSource>,
        /// The settings file.
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
    /// An instruction file was loaded.
    #[derive(Default)]
    pub struct InstructionsLoaded tags("hook_event_name" = "InstructionsLoaded") {
        /// The file.
        pub file_path: String,
        /// The scope of the instructions.
        pub memory_type: Option<MemoryKind>,
        /// Why it was loaded.
        pub load_reason: Option<LoadReason>,
        /// The path patterns that it applies to.
        pub globs: Option<Vec<String>>,
        /// The file whose use caused it to be loaded.
        pub trigger_file_path: Option<String>,
        /// The file that includes it.
        pub parent_file_path: Option<String>,
    }
}

open_enum! {
    /// The scope of an instruction file.
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
    /// Why an instruction file was loaded.
    pub enum LoadReason {
        /// The session started.
        SessionStart = "session_start",
        /// The agent entered its directory.
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
    /// The working directory has changed.
    #[derive(Default)]
    pub struct CwdChanged tags("hook_event_name" = "CwdChanged") {
        /// The old directory.
        pub old_cwd: String,
        /// The new directory.
        pub new_cwd: String,
    }
}

object! {
    /// A watched file has changed.
    #[derive(Default)]
    pub struct FileChanged tags("hook_event_name" = "FileChanged") {
        /// The file.
        pub file_path: String,
        /// The kind of change.
        pub event: Option<FileChange>,
    }
}

open_enum! {
    /// A kind of change to a file.
    pub enum FileChange {
        /// It was written.
        Change = "change",
        /// It was created.
        Add = "add",
        /// It was removed.
        Unlink = "unlink",
    }
}

object! {
    /// A working directory was added.
    #[derive(Default)]
    pub struct DirectoryAdded tags("hook_event_name" = "DirectoryAdded") {
        /// The absolute path of the directory.
        pub directory: String,
        /// The cause of the addition.
        pub source: Option<DirectorySource>,
    }
}

open_enum! {
    /// The cause of the addition of a working directory.
    pub enum DirectorySource {
        /// The user, with `/add-dir`.
        SlashCommand = "slash_command",
        /// The host, with `register_repo_root`.
        RegisterRepoRoot = "register_repo_root",
    }
}

object! {
    /// A worktree is to be created: the hook creates it and returns its path.
    #[derive(Default)]
    pub struct WorktreeCreate tags("hook_event_name" = "WorktreeCreate") {
        /// The name of the worktree.
        pub name: String,
    }
}

object! {
    /// A worktree is to be removed: the hook removes it.
    #[derive(Default)]
    pub struct WorktreeRemove tags("hook_event_name" = "WorktreeRemove") {
        /// The path of the worktree.
        pub worktree_path: String,
    }
}
