//! Shell commands, and monitors and stops of background commands.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// A command to run.
    pub struct BashInput {
        /// The command.
        pub command: String,
        /// The timeout in milliseconds.
        pub timeout: Option<Number>,
        /// A short description for display.
        pub description: Option<String>,
        /// Whether to run it in the background.
        pub run_in_background: Option<bool>,
        /// Whether it runs outside the sandbox.
        pub dangerously_disable_sandbox: Option<bool> = "dangerouslyDisableSandbox",
    }
}

object! {
    /// The output of a command and its outcome.
    pub struct BashOutput {
        /// The output on stdout.
        pub stdout: String,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// The file with the raw output, if that was large.
        pub raw_output_path: Option<String> = "rawOutputPath",
        /// Whether it was interrupted.
        pub interrupted: Option<bool>,
        /// Whether `stdout` is an image.
        pub is_image: Option<bool> = "isImage",
        /// The background task of the command.
        pub background_task_id: Option<String> = "backgroundTaskId",
        /// Whether the user moved it to the background.
        pub backgrounded_by_user: Option<bool> = "backgroundedByUser",
        /// The timeout in milliseconds after which it was moved to the
        /// background.
        pub timed_out_after_ms: Option<Number> = "timedOutAfterMs",
        /// A note for the model about the working directory, which a background
        /// command does not change.
        pub background_cwd_hint: Option<String> = "backgroundCwdHint",
        /// Whether it ends with the caller's final response, so that its end is
        /// not reported.
        pub background_ends_with_final_response: Option<bool> = "backgroundEndsWithFinalResponse",
        /// Whether the calling sub-agent waits for it and is resumed by it.
        pub background_wakes_owner: Option<bool> = "backgroundWakesOwner",
        /// Whether it ran outside the sandbox.
        pub dangerously_disable_sandbox: Option<bool> = "dangerouslyDisableSandbox",
        /// The meaning of its exit code, if that is not an error and has a known meaning.
        pub return_code_interpretation: Option<String> = "returnCodeInterpretation",
        /// Whether it has no output on success.
        pub no_output_expected: Option<bool> = "noOutputExpected",
        /// The output as content blocks.
        pub structured_content: Option<Vec<Json>> = "structuredContent",
        /// The file with the whole output, if that was too large.
        pub persisted_output_path: Option<String> = "persistedOutputPath",
        /// The size of that file in bytes.
        pub persisted_output_size: Option<u64> = "persistedOutputSize",
        /// A note for the model about files that it has read and that have
        /// changed since.
        pub stale_read_file_state_hint: Option<String> = "staleReadFileStateHint",
        /// A note for the model when GitHub's rate limit was exceeded.
        pub gh_rate_limit_hint: Option<String> = "ghRateLimitHint",
        /// Its operations with git or GitHub.
        pub git_operation: Option<GitOperation> = "gitOperation",
    }
}

object! {
    /// A command's operations with git or GitHub.
    #[derive(Default)]
    pub struct GitOperation {
        /// A commit that it made.
        pub commit: Option<GitCommit>,
        /// A branch that it pushed.
        pub push: Option<GitPush>,
        /// A branch that it merged or rebased.
        pub branch: Option<GitBranchChange>,
        /// A pull request that it touched.
        pub pr: Option<GitPullRequest>,
    }
}

object! {
    /// A commit that a command made.
    pub struct GitCommit {
        /// The commit.
        pub sha: String,
        /// The kind of commit.
        pub kind: Option<GitCommitKind>,
        /// The branch that it is on.
        pub branch: Option<String>,
    }
}

open_enum! {
    /// The kind of a commit.
    pub enum GitCommitKind {
        /// A new commit.
        Committed = "committed",
        /// An amended commit.
        Amended = "amended",
        /// A cherry-picked commit.
        CherryPicked = "cherry-picked",
    }
}

object! {
    /// A branch that a command pushed.
    pub struct GitPush {
        /// The branch.
        pub branch: String,
    }
}

object! {
    /// A branch that a command merged or rebased.
    pub struct GitBranchChange {
        /// The other branch or commit.
        pub name: String = "ref",
        /// The operation.
        pub action: Option<GitBranchAction>,
    }
}

open_enum! {
    /// An operation on a branch.
    pub enum GitBranchAction {
        /// It was merged.
        Merged = "merged",
        /// It was rebased.
        Rebased = "rebased",
    }
}

object! {
    /// A pull request that a command touched.
    pub struct GitPullRequest {
        /// Its number.
        pub number: u64,
        /// Its URL.
        pub url: Option<String>,
        /// The operation.
        pub action: Option<GitPullRequestAction>,
    }
}

open_enum! {
    /// An operation on a pull request.
    pub enum GitPullRequestAction {
        /// It was opened.
        Created = "created",
        /// Its text was changed.
        Edited = "edited",
        /// It was merged.
        Merged = "merged",
        /// A comment was added.
        Commented = "commented",
        /// It was closed.
        Closed = "closed",
        /// It was opened again.
        Reopened = "reopened",
        /// It became ready for review.
        Ready = "ready",
        /// It became a draft.
        Draft = "draft",
        /// Auto-merge was enabled.
        AutoMergeEnabled = "auto-merge-enabled",
        /// Auto-merge was disabled.
        AutoMergeDisabled = "auto-merge-disabled",
    }
}

object! {
    /// A command or a WebSocket to watch. Each line or frame is an event.
    pub struct MonitorInput {
        /// A short description for display.
        pub description: String,
        /// The timeout in milliseconds.
        pub timeout_ms: Option<Number>,
        /// The command.
        pub command: Option<String>,
        /// The WebSocket.
        pub ws: Option<MonitorSocket>,
    }
}

object! {
    /// A WebSocket to watch.
    pub struct MonitorSocket {
        /// The URL.
        pub url: String,
        /// The subprotocols.
        pub protocols: Option<Vec<String>>,
    }
}

object! {
    /// The monitor was started.
    pub struct MonitorOutput {
        /// The task that it runs as.
        pub task_id: String = "taskId",
        /// The timeout in milliseconds; 0 for none.
        pub timeout_ms: Option<Number> = "timeoutMs",
        /// Whether it runs until it is stopped or the session ends.
        pub persistent: Option<bool>,
        /// Whether it runs in the sandbox because it was allowed only for that
        /// reason.
        pub kept_in_sandbox_by_check: Option<bool> = "keptInSandboxByCheck",
    }
}

object! {
    /// A background task to stop.
    #[derive(Default)]
    pub struct TaskStopInput {
        /// The ID of the task, or the ID or name of a background agent.
        pub task_id: Option<String>,
        /// The ID of the task, under the member's name in older agents.
        pub shell_id: Option<String>,
    }
}

object! {
    /// The task was stopped.
    #[derive(Default)]
    pub struct TaskStopOutput {
        /// A message about it.
        pub message: Option<String>,
        /// The task.
        pub task_id: Option<String>,
        /// The kind of task, such as `local_bash`.
        pub task_type: Option<String>,
        /// Its command or description.
        pub command: Option<String>,
    }
}
