//! Tasks: sub-agents, shells and other background work.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// A task started.
    pub struct TaskStarted: tolerant tags("type" = "system", "subtype" = "task_started") {
        /// The task.
        pub task_id: String,
        /// The run of the task. A resumed task starts a new run; the IDs of the
        /// runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The tool call that started it.
        pub tool_use_id: Option<String>,
        /// A short description.
        pub description: Option<String>,
        /// The kind of task, such as `local_bash` or `local_agent`.
        pub task_type: Option<String>,
        /// The sub-agent's kind.
        pub subagent_type: Option<String>,
        /// Whether it runs in the background; otherwise the tool call waits for
        /// it.
        pub is_backgrounded: Option<bool>,
        /// The nesting depth of the sub-agent, from 1.
        pub spawn_depth: Option<u64>,
        /// The parent task; absent if the main agent started it.
        pub parent_task_id: Option<String>,
        /// The name of the workflow that it runs.
        pub workflow_name: Option<String>,
        /// The prompt.
        pub prompt: Option<String>,
        /// Whether to omit it from the displayed transcript.
        pub skip_transcript: Option<bool>,
        /// Whether it only watches, so that the session counts as idle.
        pub ambient: Option<bool>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The progress of a task.
    pub struct TaskProgress: tolerant tags("type" = "system", "subtype" = "task_progress") {
        /// The task.
        pub task_id: String,
        /// The run of the task. A resumed task starts a new run; the IDs of the
        /// runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The tool call that started it.
        pub tool_use_id: Option<String>,
        /// A short description of the current activity.
        pub description: Option<String>,
        /// The sub-agent's kind.
        pub subagent_type: Option<String>,
        /// Its usage so far.
        pub usage: Option<TaskUsage>,
        /// The tool that it called last.
        pub last_tool_name: Option<String>,
        /// The progress, in one line.
        pub summary: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The usage of a task.
    #[derive(Default)]
    pub struct TaskUsage {
        /// Tokens.
        pub total_tokens: Option<u64>,
        /// Tool calls.
        pub tool_uses: Option<u64>,
        /// Milliseconds.
        pub duration_ms: Option<Number>,
    }
}

object! {
    /// A task changed.
    pub struct TaskUpdated: tolerant tags("type" = "system", "subtype" = "task_updated") {
        /// The task.
        pub task_id: String,
        /// The run of the task. A resumed task starts a new run; the IDs of the
        /// runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The changes. Absent members are unchanged.
        pub patch: TaskPatch,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The changes of a task.
    #[derive(Default)]
    pub struct TaskPatch {
        /// The status.
        pub status: Option<TaskStatus>,
        /// A short description.
        pub description: Option<String>,
        /// When it ended, in milliseconds since 1970.
        pub end_time: Option<Number>,
        /// The time it was paused, in milliseconds.
        pub total_paused_ms: Option<Number>,
        /// The error.
        pub error: Option<String>,
        /// Whether it runs in the background.
        pub is_backgrounded: Option<bool>,
    }
}

open_enum! {
    /// The status of a task.
    pub enum TaskStatus {
        /// It has not begun.
        Pending = "pending",
        /// It runs.
        Running = "running",
        /// It is done.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was stopped.
        Killed = "killed",
        /// It is paused.
        Paused = "paused",
    }
}

object! {
    /// A task has ended. A turn may follow.
    pub struct TaskNotification: tolerant tags("type" = "system", "subtype" = "task_notification") {
        /// The task.
        pub task_id: String,
        /// The run of the task. A resumed task starts a new run; the IDs of the
        /// runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The tool call that started it.
        pub tool_use_id: Option<String>,
        /// How it ended.
        pub status: TaskEndStatus,
        /// Why it ended, if that is unusual.
        pub reason: Option<TaskEndReason>,
        /// The file with its output.
        pub output_file: Option<String>,
        /// A short summary of the outcome.
        pub summary: Option<String>,
        /// Its usage.
        pub usage: Option<TaskUsage>,
        /// Links returned by an MCP tool that ran in the background.
        pub resource_links: Option<Vec<ResourceLink>>,
        /// Whether to omit it from the displayed transcript.
        pub skip_transcript: Option<bool>,
        /// Whether it only watched.
        pub ambient: Option<bool>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How a task ended.
    pub enum TaskEndStatus {
        /// It is done.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was stopped.
        Stopped = "stopped",
    }
}

open_enum! {
    /// An unusual reason for the end of a task.
    pub enum TaskEndReason {
        /// The agent's process was restarted without the task.
        WorkerRestart = "worker_restart",
    }
}

object! {
    /// A link to a resource of an MCP server.
    pub struct ResourceLink {
        /// The URI of the resource.
        pub uri: String,
        /// Its name.
        pub name: Option<String>,
        /// Its display name.
        pub title: Option<String>,
        /// What it is.
        pub description: Option<String>,
        /// Its media type.
        pub mime_type: Option<String> = "mimeType",
        /// Its size in bytes.
        pub size: Option<u64>,
        /// Annotations of the server.
        pub annotations: Option<Json>,
    }
}

object! {
    /// The current set of background tasks. Replaces the previous message.
    pub struct BackgroundTasksChanged: tolerant tags("type" = "system", "subtype" = "background_tasks_changed") {
        /// All background tasks.
        pub tasks: Vec<BackgroundTask>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A background task.
    pub struct BackgroundTask {
        /// The task.
        pub task_id: String,
        /// The run of the task. A resumed task starts a new run; the IDs of the
        /// runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The kind of task, such as `local_bash` or `local_agent`.
        pub task_type: Option<String>,
        /// The sub-agent's kind.
        pub subagent_type: Option<String>,
        /// A short description.
        pub description: Option<String>,
        /// The parent task; absent if the main agent started it.
        pub parent_task_id: Option<String>,
        /// Whether it only watches, so that the session counts as idle.
        pub ambient: Option<bool>,
    }
}
