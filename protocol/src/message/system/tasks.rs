//! Tasks: sub-agents, shells and whatever else runs beside the conversation.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// A task begins.
    pub struct TaskStarted: tolerant tags("type" = "system", "subtype" = "task_started") {
        /// The task.
        pub task_id: String,
        /// The run of it: a task that is resumed begins a new one. Of the
        /// runs of a task, one that sorts behind another is the later one.
        pub run_id: Option<String>,
        /// The tool call that started it.
        pub tool_use_id: Option<String>,
        /// What it does, in a few words.
        pub description: Option<String>,
        /// What kind of task it is, such as `local_bash` or `local_agent`.
        pub task_type: Option<String>,
        /// The sub-agent's kind.
        pub subagent_type: Option<String>,
        /// Whether it runs in the background; otherwise the tool call waits
        /// for it.
        pub is_backgrounded: Option<bool>,
        /// How deep the sub-agent is nested, counted from 1.
        pub spawn_depth: Option<u64>,
        /// The task that started it; absent when the main agent did.
        pub parent_task_id: Option<String>,
        /// The name of the workflow that it runs.
        pub workflow_name: Option<String>,
        /// What it was told to do.
        pub prompt: Option<String>,
        /// Whether it has no place in what the user reads of the session.
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
    /// How far a task is.
    pub struct TaskProgress: tolerant tags("type" = "system", "subtype" = "task_progress") {
        /// The task.
        pub task_id: String,
        /// The run of it: a task that is resumed begins a new one. Of the
        /// runs of a task, one that sorts behind another is the later one.
        pub run_id: Option<String>,
        /// The tool call that started it.
        pub tool_use_id: Option<String>,
        /// What it is doing, in a few words.
        pub description: Option<String>,
        /// The sub-agent's kind.
        pub subagent_type: Option<String>,
        /// What it has used so far.
        pub usage: Option<TaskUsage>,
        /// The tool that it called last.
        pub last_tool_name: Option<String>,
        /// How it goes, in one line.
        pub summary: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// What a task used.
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
    /// Something about a task changed.
    pub struct TaskUpdated: tolerant tags("type" = "system", "subtype" = "task_updated") {
        /// The task.
        pub task_id: String,
        /// The run of it: a task that is resumed begins a new one. Of the
        /// runs of a task, one that sorts behind another is the later one.
        pub run_id: Option<String>,
        /// What is different now; what is absent stays as it was.
        pub patch: TaskPatch,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// What changed about a task.
    #[derive(Default)]
    pub struct TaskPatch {
        /// How it is.
        pub status: Option<TaskStatus>,
        /// What it does, in a few words.
        pub description: Option<String>,
        /// When it ended, in milliseconds since 1970.
        pub end_time: Option<Number>,
        /// Milliseconds that it was paused.
        pub total_paused_ms: Option<Number>,
        /// The error.
        pub error: Option<String>,
        /// Whether it runs in the background.
        pub is_backgrounded: Option<bool>,
    }
}

open_enum! {
    /// How a task is.
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
    /// A task is over. A turn may begin because of it.
    pub struct TaskNotification: tolerant tags("type" = "system", "subtype" = "task_notification") {
        /// The task.
        pub task_id: String,
        /// The run of it: a task that is resumed begins a new one. Of the
        /// runs of a task, one that sorts behind another is the later one.
        pub run_id: Option<String>,
        /// The tool call that started it.
        pub tool_use_id: Option<String>,
        /// How it ended.
        pub status: TaskEndStatus,
        /// What ended it, when it was nothing usual.
        pub reason: Option<TaskEndReason>,
        /// The file with what it printed or said.
        pub output_file: Option<String>,
        /// What came of it, in a few words.
        pub summary: Option<String>,
        /// What it used.
        pub usage: Option<TaskUsage>,
        /// What an MCP tool gave as links, when it ran in the background.
        pub resource_links: Option<Vec<ResourceLink>>,
        /// Whether it has no place in what the user reads of the session.
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
    /// What ended a task, when it was nothing usual.
    pub enum TaskEndReason {
        /// The agent's process was started anew, without it.
        WorkerRestart = "worker_restart",
    }
}

object! {
    /// A link to a resource of an MCP server.
    pub struct ResourceLink {
        /// Where the resource is.
        pub uri: String,
        /// Its name.
        pub name: Option<String>,
        /// Its name for people.
        pub title: Option<String>,
        /// What it is.
        pub description: Option<String>,
        /// Its media type.
        pub mime_type: Option<String> = "mimeType",
        /// Its size in bytes.
        pub size: Option<u64>,
        /// What the server says of it besides.
        pub annotations: Option<Json>,
    }
}

object! {
    /// Which tasks run in the background. It takes the place of the message
    /// before it.
    pub struct BackgroundTasksChanged: tolerant tags("type" = "system", "subtype" = "background_tasks_changed") {
        /// All that run.
        pub tasks: Vec<BackgroundTask>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A task that runs in the background.
    pub struct BackgroundTask {
        /// The task.
        pub task_id: String,
        /// The run of it: a task that is resumed begins a new one. Of the
        /// runs of a task, one that sorts behind another is the later one.
        pub run_id: Option<String>,
        /// What kind of task it is, such as `local_bash` or `local_agent`.
        pub task_type: Option<String>,
        /// The sub-agent's kind.
        pub subagent_type: Option<String>,
        /// What it does, in a few words.
        pub description: Option<String>,
        /// The task that started it; absent when the main agent did.
        pub parent_task_id: Option<String>,
        /// Whether it only watches, so that the session counts as idle.
        pub ambient: Option<bool>,
    }
}
