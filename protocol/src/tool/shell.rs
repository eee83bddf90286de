//! Tools that run shell commands, and that watch and stop background commands.

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
        /// Whether to run the command in the background.
        pub run_in_background: Option<bool>,
        /// Whether to run the command outside the sandbox.
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
        /// The path of the file with the raw output, if that was large.
        pub raw_output_path: Option<String> = "rawOutputPath",
        /// Whether the command was interrupted.
        pub interrupted: Option<bool>,
        /// Whether `stdout` is an image.
        pub is_image: Option<bool> = "isImage",
        /// The ID of the command's background task.
        pub background_task_id: Option<String> = "backgroundTaskId",
        /// Whether the user moved the command to the background.
        pub backgrounded_by_user: Option<bool> = "backgroundedByUser",
        /// The timeout in milliseconds after which the command was moved to the
        /// background.
        pub timed_out_after_ms: Option<Number> = "timedOutAfterMs",
        /// A note for the model about the working directory, which a background
        /// command does not change.
        pub background_cwd_hint: Option<String> = "backgroundCwdHint",
        /// Whether the command ends with the caller's final response. Its end
        /// is then not reported.
        pub background_ends_with_final_response: Option<bool> = "backgroundEndsWithFinalResponse",
        /// Whether the calling sub-agent waits for the command, whose end
        /// resumes it.
        pub background_wakes_owner: Option<bool> = "backgroundWakesOwner",
        /// Whether the command ran outside the sandbox.
        pub dangerously_disable_sandbox: Option<bool> = "dangerouslyDisableSandbox",
        /// The meaning of the exit code, if the code is not an error and has a
        /// known meaning.
        pub return_code_interpretation: Option<String> = "returnCodeInterpretation",
        /// Whether the command has no output on success.
        pub no_output_expected: Option<bool> = "noOutputExpected",
        /// The output as content blocks.
        pub structured_content: Option<Vec<Json>> = "structuredContent",
        /// The path of the file with the whole output, if that was too large.
        pub persisted_output_path: Option<String> = "persistedOutputPath",
        /// The size of the persisted output in bytes.
        pub persisted_output_size: Option<u64> = "persistedOutputSize",
        /// A note for the model about files that it has read and that have
        /// changed since.
        pub stale_read_file_state_hint: Option<String> = "staleReadFileStateHint",
        /// A note for the model when GitHub's rate limit was exceeded.
        pub gh_rate_limit_hint: Option<String> = "ghRateLimitHint",
        /// The command's operations with git or GitHub.
        pub git_operation: Option<GitOperation> = "gitOperation",
    }
}

object! {
    /// A command's operations with git or GitHub.
    #[derive(Default)]
    pub struct GitOperation {
        /// The commit that the command made.
        pub commit: Option<GitCommit>,
        /// The push that the command made.
        pub push: Option<GitPush>,
        /// The branch that the command merged or rebased.
        pub branch: Option<GitBranchChange>,
        /// The pull request that the command touched.
        pub pr: Option<GitPullRequest>,
    }
}

object! {
    /// A commit that a command made.
    pub struct GitCommit {
        /// The hash of the commit.
        pub sha: String,
        /// The kind of commit.
        pub kind: Option<GitCommitKind>,
        /// The branch that contains the commit.
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
    /// A push that a command made.
    pub struct GitPush {
        /// The name of the branch.
        pub branch: String,
    }
}

object! {
    /// A branch that a command merged or rebased.
    pub struct GitBranchChange {
        /// The name of the other branch or commit.
        pub name: String = "ref",
        /// The operation.
        pub action: Option<GitBranchAction>,
    }
}

open_enum! {
    /// An operation on a branch.
    pub enum GitBranchAction {
        /// The branch was merged.
        Merged = "merged",
        /// The branch was rebased.
        Rebased = "rebased",
    }
}

object! {
    /// A pull request that a command touched.
    pub struct GitPullRequest {
        /// The number of the pull request.
        pub number: u64,
        /// The URL of the pull request.
        pub url: Option<String>,
        /// The operation.
        pub action: Option<GitPullRequestAction>,
    }
}

open_enum! {
    /// An operation on a pull request.
    pub enum GitPullRequestAction {
        /// The pull request was opened.
        Created = "created",
        /// The text of the pull request was changed.
        Edited = "edited",
        /// The pull request was merged.
        Merged = "merged",
        /// A comment was added to the pull request.
        Commented = "commented",
        /// The pull request was closed.
        Closed = "closed",
        /// The pull request was opened again.
        Reopened = "reopened",
        /// The pull request became ready for review.
        Ready = "ready",
        /// The pull request became a draft.
        Draft = "draft",
        /// Auto-merge of the pull request was enabled.
        AutoMergeEnabled = "auto-merge-enabled",
        /// Auto-merge of the pull request was disabled.
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
    /// The result of starting a monitor.
    pub struct MonitorOutput {
        /// The ID of the task that runs the monitor.
        pub task_id: String = "taskId",
        /// The timeout in milliseconds. 0 for none.
        pub timeout_ms: Option<Number> = "timeoutMs",
        /// Whether the monitor runs until it is stopped or the session ends.
        pub persistent: Option<bool>,
        /// Whether the monitor runs in the sandbox because it was allowed only
        /// for that reason.
        pub kept_in_sandbox_by_check: Option<bool> = "keptInSandboxByCheck",
    }
}

object! {
    /// A background task to stop.
    #[derive(Default)]
    pub struct TaskStopInput {
        /// The ID of the task, or the ID or name of a background agent.
        pub task_id: Option<String>,
        /// The ID of the task, in the member that older agents use.
        pub shell_id: Option<String>,
    }
}

object! {
    /// The result of stopping a task.
    #[derive(Default)]
    pub struct TaskStopOutput {
        /// A message about the result.
        pub message: Option<String>,
        /// The ID of the task.
        pub task_id: Option<String>,
        /// The kind of task, such as `local_bash`.
        pub task_type: Option<String>,
        /// The command or the description of the task.
        pub command: Option<String>,
    }
}
