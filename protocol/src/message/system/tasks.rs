//! Tasks: sub-agents, shells and other background work.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// A task started.
    pub struct TaskStarted: tolerant tags("type" = "system", "subtype" = "task_started") {
        /// The ID of the task.
        pub task_id: String,
        /// The ID of the task's run. A resumed task starts a new run. The IDs
        /// of the runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The ID of the tool call that started the task.
        pub tool_use_id: Option<String>,
        /// A short description.
        pub description: Option<String>,
        /// The kind of task, such as `local_bash` or `local_agent`.
        pub task_type: Option<String>,
        /// The kind of the sub-agent.
        pub subagent_type: Option<String>,
        /// Whether the task runs in the background. Otherwise the tool call
        /// waits for the task.
        pub is_backgrounded: Option<bool>,
        /// The nesting depth of the sub-agent, from 1.
        pub spawn_depth: Option<u64>,
        /// The ID of the parent task. `None` if the main agent started the
        /// task.
        pub parent_task_id: Option<String>,
        /// The name of the workflow that the task runs.
        pub workflow_name: Option<String>,
        /// The prompt of the task.
        pub prompt: Option<String>,
        /// Whether to omit the task from the displayed transcript.
        pub skip_transcript: Option<bool>,
        /// Whether the task only watches something. The session then counts as
        /// idle.
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
        /// The ID of the task.
        pub task_id: String,
        /// The ID of the task's run. A resumed task starts a new run. The IDs
        /// of the runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The ID of the tool call that started the task.
        pub tool_use_id: Option<String>,
        /// A short description of the current activity.
        pub description: Option<String>,
        /// The kind of the sub-agent.
        pub subagent_type: Option<String>,
        /// The usage of the task so far.
        pub usage: Option<TaskUsage>,
        /// The name of the tool that the task called last.
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
        /// The number of tokens.
        pub total_tokens: Option<u64>,
        /// The number of tool calls.
        pub tool_uses: Option<u64>,
        /// The duration in milliseconds.
        pub duration_ms: Option<Number>,
    }
}

object! {
    /// A task changed.
    pub struct TaskUpdated: tolerant tags("type" = "system", "subtype" = "task_updated") {
        /// The ID of the task.
        pub task_id: String,
        /// The ID of the task's run. A resumed task starts a new run. The IDs
        /// of the runs of a task sort in order of time.
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
        /// The time when the task ended, in milliseconds since 1970.
        pub end_time: Option<Number>,
        /// The total time of pauses, in milliseconds.
        pub total_paused_ms: Option<Number>,
        /// The error.
        pub error: Option<String>,
        /// Whether the task runs in the background.
        pub is_backgrounded: Option<bool>,
    }
}

open_enum! {
    /// The status of a task.
    pub enum TaskStatus {
        /// The task has not begun.
        Pending = "pending",
        /// The task is running.
        Running = "running",
        /// The task is done.
        Completed = "completed",
        /// The task failed.
        Failed = "failed",
        /// The task was stopped.
        Killed = "killed",
        /// The task is paused.
        Paused = "paused",
    }
}

object! {
    /// The end of a task. A turn may follow.
    pub struct TaskNotification: tolerant tags("type" = "system", "subtype" = "task_notification") {
        /// The ID of the task.
        pub task_id: String,
        /// The ID of the task's run. A resumed task starts a new run. The IDs
        /// of the runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The ID of the tool call that started the task.
        pub tool_use_id: Option<String>,
        /// How the task ended.
        pub status: TaskEndStatus,
        /// The reason why the task ended, if the reason is unusual.
        pub reason: Option<TaskEndReason>,
        /// The path of the file with the task's output.
        pub output_file: Option<String>,
        /// A short summary of the outcome.
        pub summary: Option<String>,
        /// The usage of the task.
        pub usage: Option<TaskUsage>,
        /// Links returned by an MCP tool that ran in the background.
        pub resource_links: Option<Vec<ResourceLink>>,
        /// Whether to omit the task from the displayed transcript.
        pub skip_transcript: Option<bool>,
        /// Whether the task only watched something, and did not count as
        /// activity.
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
        /// The task is done.
        Completed = "completed",
        /// The task failed.
        Failed = "failed",
        /// The task was stopped.
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
        /// The name of the resource.
        pub name: Option<String>,
        /// The display name of the resource.
        pub title: Option<String>,
        /// The description of the resource.
        pub description: Option<String>,
        /// The media type of the resource.
        pub mime_type: Option<String> = "mimeType",
        /// The size of the resource in bytes.
        pub size: Option<u64>,
        /// Annotations of the server.
        pub annotations: Option<Json>,
    }
}

object! {
    /// The current set of background tasks. It replaces the set in the previous
    /// message of this kind.
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
        /// The ID of the task.
        pub task_id: String,
        /// The ID of the task's run. A resumed task starts a new run. The IDs
        /// of the runs of a task sort in order of time.
        pub run_id: Option<String>,
        /// The kind of task, such as `local_bash` or `local_agent`.
        pub task_type: Option<String>,
        /// The kind of the sub-agent.
        pub subagent_type: Option<String>,
        /// A short description.
        pub description: Option<String>,
        /// The ID of the parent task. `None` if the main agent started the
        /// task.
        pub parent_task_id: Option<String>,
        /// Whether the task only watches something. The session then counts as
        /// idle.
        pub ambient: Option<bool>,
    }
}
