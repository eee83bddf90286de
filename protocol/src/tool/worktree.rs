//! Tools that enter and leave git worktrees.

use crate::open::{object, open_enum};

object! {
    /// The input of `EnterWorktree`, which names a new or an existing worktree.
    #[derive(Default)]
    pub struct EnterWorktreeInput {
        /// The name of the new worktree.
        pub name: Option<String>,
        /// The path of the existing worktree.
        pub path: Option<String>,
    }
}

object! {
    /// The output of `EnterWorktree`.
    pub struct EnterWorktreeOutput {
        /// The path of the worktree.
        pub worktree_path: String = "worktreePath",
        /// The branch of the worktree.
        pub worktree_branch: Option<String> = "worktreeBranch",
        /// A message about the result.
        pub message: Option<String>,
    }
}

object! {
    /// The input of `ExitWorktree`.
    pub struct ExitWorktreeInput {
        /// Whether to keep or remove the worktree.
        pub action: WorktreeFate,
        /// Whether to remove the worktree even if this loses work.
        pub discard_changes: Option<bool>,
    }
}

open_enum! {
    /// Whether a worktree is retained or removed.
    pub enum WorktreeFate {
        /// The worktree is retained.
        Keep = "keep",
        /// The worktree is removed.
        Remove = "remove",
    }
}

object! {
    /// The output of `ExitWorktree`.
    pub struct ExitWorktreeOutput {
        /// Whether the worktree was retained or removed.
        pub action: WorktreeFate,
        /// The session's working directory from now on.
        pub original_cwd: Option<String> = "originalCwd",
        /// The path of the worktree, which may have been removed.
        pub worktree_path: Option<String> = "worktreePath",
        /// The branch of the worktree.
        pub worktree_branch: Option<String> = "worktreeBranch",
        /// The name of the worktree's tmux session.
        pub tmux_session_name: Option<String> = "tmuxSessionName",
        /// The number of changed files that were discarded.
        pub discarded_files: Option<u64> = "discardedFiles",
        /// The number of commits that were discarded.
        pub discarded_commits: Option<u64> = "discardedCommits",
        /// A message about the result.
        pub message: Option<String>,
    }
}
