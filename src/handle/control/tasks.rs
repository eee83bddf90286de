//! Requests about what runs in the background.

use crate::handle::{Handle, Pending};
use agentwire_protocol::control::{
    BackgroundTasks, BackgroundTasksAnswer, Empty, GetTaskOutput, StopTask, TaskOutput,
};

/// # Tasks
///
/// What runs in the background, as
/// [`Event::Background`](crate::Event::Background) tells it.
impl Handle {
    /// Stops a task that runs in the background. One that nobody knows is no
    /// error.
    pub fn stop_task(&self, task_id: &str) -> Pending<Empty> {
        self.request(&StopTask::new(task_id))
    }

    /// Sends all tool calls that run to the background.
    #[doc(alias = "backgroundTasks")]
    #[doc(alias = "background_tasks")]
    pub fn background_all(&self) -> Pending<BackgroundTasksAnswer> {
        self.request(&BackgroundTasks::default())
    }

    /// Sends one tool call that runs to the background. The answer says
    /// whether it was still to be had.
    #[doc(alias = "background_tasks")]
    pub fn background_call(&self, tool_use_id: &str) -> Pending<BackgroundTasksAnswer> {
        self.request(&BackgroundTasks::only(tool_use_id))
    }

    /// Reads the end of what a shell command or a monitor in the background
    /// has printed. The task may be over; unknown ones are refused.
    #[doc(alias = "get_task_output")]
    pub fn task_output(&self, task_id: &str) -> Pending<TaskOutput> {
        self.request(&GetTaskOutput::new(task_id))
    }
}
