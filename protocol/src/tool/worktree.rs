//! Git worktrees that a session goes into and out of.

use crate::open::{object, open_enum};

object! {
    /// A worktree to go into: a new one, or one that there is.
    #[derive(Default)]
    pub struct EnterWorktreeInput {
        /// The name of a new one.
        pub name: Option<String>,
        /// Where one is.
        pub path: Option<String>,
    }
}

object! {
    /// The session is in a worktree.
    pub struct EnterWorktreeOutput {
        /// Where it is.
        pub worktree_path: String = "worktreePath",
        /// Its branch.
        pub worktree_branch: Option<String> = "worktreeBranch",
        /// What is to be said about it.
        pub message: Option<String>,
    }
}

object! {
    /// The worktree is to be left.
    pub struct ExitWorktreeInput {
        /// What becomes of it.
        pub action: WorktreeFate,
        /// Whether it goes even with work in it that is nowhere else.
        pub discard_changes: Option<bool>,
    }
}

open_enum! {
    /// What becomes of a worktree.
    pub enum WorktreeFate {
        /// It stays.
        Keep = "keep",
        /// It goes.
        Remove = "remove",
    }
}

object! {
    /// The worktree was left.
    pub struct ExitWorktreeOutput {
        /// What became of it.
        pub action: WorktreeFate,
        /// Where the session is now.
        pub original_cwd: Option<String> = "originalCwd",
        /// Where the worktree is, or was.
        pub worktree_path: Option<String> = "worktreePath",
        /// Its branch.
        pub worktree_branch: Option<String> = "worktreeBranch",
        /// The session of tmux that was in it.
        pub tmux_session_name: Option<String> = "tmuxSessionName",
        /// How many changed files went with it.
        pub discarded_files: Option<u64> = "discardedFiles",
        /// How many commits went with it.
        pub discarded_commits: Option<u64> = "discardedCommits",
        /// What is to be said about it.
        pub message: Option<String>,
    }
}
