//! Requests about background tasks.

use super::ResponseFuture;
use crate::handle::Handle;
use agentwire_protocol::control::{
    BackgroundTasks, BackgroundTasksAnswer, Empty, GetTaskOutput, StopTask, TaskOutput,
};

/// # Tasks
///
/// Background tasks, as reported by
/// [`Event::Background`](crate::Event::Background).
impl Handle {
    /// Stops a background task. An unknown task is not an error.
    pub fn stop_task(&self, task_id: &str) -> ResponseFuture<Empty> {
        self.request(&StopTask::new(task_id))
    }

    /// Moves all running tool calls to the background.
    #[doc(alias = "backgroundTasks")]
    #[doc(alias = "background_tasks")]
    pub fn background_all(&self) -> ResponseFuture<BackgroundTasksAnswer> {
        self.request(&BackgroundTasks::default())
    }

    /// Moves one running tool call to the background. The response says whether
    /// it was still running.
    #[doc(alias = "background_tasks")]
    pub fn background_call(&self, tool_use_id: &str) -> ResponseFuture<BackgroundTasksAnswer> {
        self.request(&BackgroundTasks::only(tool_use_id))
    }

    /// Returns the end of the output of a shell command or a monitor in the
    /// background. The task may have ended; unknown tasks are refused.
    #[doc(alias = "get_task_output")]
    pub fn task_output(&self, task_id: &str) -> ResponseFuture<TaskOutput> {
        self.request(&GetTaskOutput::new(task_id))
    }
}
