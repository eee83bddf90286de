//! Events of the workspace: settings, files, directories and worktrees.

use crate::open::{object, open_enum};

object! {
    /// Settings have changed.
    #[derive(Default)]
    pub struct ConfigChange tags("hook_event_name" = "ConfigChange") {
        /// The settings that changed.
        pub source: Option<ConfigSource>,
        /// The settings file.
        pub file_path: Option<String>,
    }
}

open_enum! {
    /// Settings that can change.
    pub enum ConfigSource {
        /// The user's settings.
        UserSettings = "user_settings",
        /// The project's settings.
        ProjectSettings = "project_settings",
        /// The project's settings that are not shared.
        LocalSettings = "local_settings",
        /// The organization's settings.
        PolicySettings = "policy_settings",
        /// The skills.
        Skills = "skills",
    }
}

object! {
    /// An instruction file was loaded.
    #[derive(Default)]
    pub struct InstructionsLoaded tags("hook_event_name" = "InstructionsLoaded") {
        /// The path of the instruction file.
        pub file_path: String,
        /// The scope of the instructions.
        pub memory_type: Option<MemoryKind>,
        /// The reason why the instruction file was loaded.
        pub load_reason: Option<LoadReason>,
        /// The path patterns to which the instructions apply.
        pub globs: Option<Vec<String>>,
        /// The file whose use caused the instruction file to be loaded.
        pub trigger_file_path: Option<String>,
        /// The file that includes the instruction file.
        pub parent_file_path: Option<String>,
    }
}

open_enum! {
    /// The scope of an instruction file.
    pub enum MemoryKind {
        /// The user's instructions.
        User = "User",
        /// The project's instructions.
        Project = "Project",
        /// The project's instructions that are not shared.
        Local = "Local",
        /// The organization's instructions.
        Managed = "Managed",
    }
}

open_enum! {
    /// The reason why an instruction file was loaded.
    pub enum LoadReason {
        /// The session started.
        SessionStart = "session_start",
        /// The agent entered the directory of the file.
        NestedTraversal = "nested_traversal",
        /// A path matched one of the file's patterns.
        PathGlobMatch = "path_glob_match",
        /// Another file includes the file.
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
        /// The path of the changed file.
        pub file_path: String,
        /// The kind of change.
        pub event: Option<FileChange>,
    }
}

open_enum! {
    /// A kind of change to a file.
    pub enum FileChange {
        /// The file was written.
        Change = "change",
        /// The file was created.
        Add = "add",
        /// The file was removed.
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
    /// A worktree is needed. The hook creates it and returns its path.
    #[derive(Default)]
    pub struct WorktreeCreate tags("hook_event_name" = "WorktreeCreate") {
        /// The name of the worktree.
        pub name: String,
    }
}

object! {
    /// A worktree is no longer needed. The hook removes it.
    #[derive(Default)]
    pub struct WorktreeRemove tags("hook_event_name" = "WorktreeRemove") {
        /// The path of the worktree.
        pub worktree_path: String,
    }
}
