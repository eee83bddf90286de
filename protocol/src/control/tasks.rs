//! Requests about background tasks.

use super::request::{Empty, host_requests};
use crate::open::object;

host_requests! {
    StopTask = "stop_task" => Empty,
    BackgroundTasks = "background_tasks" => BackgroundTasksAnswer,
    GetTaskOutput = "get_task_output" => TaskOutput,
}

object! {
    /// Stops a background task. One that nobody knows is no error.
    #[derive(Default)]
    pub struct StopTask tags("subtype" = "stop_task") {
        /// The task.
        pub task_id: String,
    }
}

object! {
    /// Sends what runs in the foreground to the background.
    #[derive(Default)]
    pub struct BackgroundTasks tags("subtype" = "background_tasks") {
        /// The tool call that is meant; all that run, when absent.
        pub tool_use_id: Option<String>,
    }
}

object! {
    /// Whether the tool call was sent to the background.
    #[derive(Default)]
    pub struct BackgroundTasksAnswer {
        /// Whether it was. Absent when all were meant.
        pub backgrounded: Option<bool>,
    }
}

object! {
    /// Reads what a shell command or a monitor in the background has printed.
    #[derive(Default)]
    pub struct GetTaskOutput tags("subtype" = "get_task_output") {
        /// The task, which may be over.
        pub task_id: String,
    }
}

object! {
    /// What a task has printed.
    pub struct TaskOutput {
        /// The end of it, some KiB at most.
        pub output: String,
        /// Bytes that it has printed in all.
        pub total_bytes: Option<u64>,
        /// Whether the beginning is missing.
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
    /// Sends this tool call to the background.
    pub fn only(tool_use_id: impl Into<String>) -> Self {
        Self {
            tool_use_id: Some(tool_use_id.into()),
            ..Self::default()
        }
    }
}

impl GetTaskOutput {
    /// Reads what this task has printed.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            ..Self::default()
        }
    }
}
