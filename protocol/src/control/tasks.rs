//! Requests about background tasks.

use super::request::{Empty, host_requests};
use crate::open::object;

host_requests! {
    StopTask = "stop_task" => Empty,
    BackgroundTasks = "background_tasks" => BackgroundTasksAnswer,
    GetTaskOutput = "get_task_output" => TaskOutput,
}

object! {
    /// Stops a background task. An unknown task is not an error.
    #[derive(Default)]
    pub struct StopTask tags("subtype" = "stop_task") {
        /// The ID of the task.
        pub task_id: String,
    }
}

object! {
    /// Moves running tool calls to the background.
    #[derive(Default)]
    pub struct BackgroundTasks tags("subtype" = "background_tasks") {
        /// The ID of the tool call to move. `None` moves all tool calls.
        pub tool_use_id: Option<String>,
    }
}

object! {
    /// The outcome of moving tool calls to the background.
    #[derive(Default)]
    pub struct BackgroundTasksAnswer {
        /// Whether the tool call was moved. `None` if all tool calls were
        /// requested.
        pub backgrounded: Option<bool>,
    }
}

object! {
    /// Reads the output of a background shell command or monitor.
    #[derive(Default)]
    pub struct GetTaskOutput tags("subtype" = "get_task_output") {
        /// The ID of the task, which may have ended.
        pub task_id: String,
    }
}

object! {
    /// The output of a task.
    pub struct TaskOutput {
        /// The last part of the output, at most a few KiB.
        pub output: String,
        /// The total size of the output in bytes.
        pub total_bytes: Option<u64>,
        /// Whether the beginning was truncated.
        pub truncated: Option<bool>,
    }
}

impl StopTask {
    /// Stops this task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            ..Self::default()
        }
    }
}

impl BackgroundTasks {
    /// Moves this tool call to the background.
    pub fn only(tool_use_id: impl Into<String>) -> Self {
        Self {
            tool_use_id: Some(tool_use_id.into()),
            ..Self::default()
        }
    }
}

impl GetTaskOutput {
    /// Reads the output of this task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            ..Self::default()
        }
    }
}
