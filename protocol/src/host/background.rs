//! Background tasks, including the output that the agent still sends for them.

use super::classify::FrameClass;
use crate::message::BackgroundTask;
use std::mem;

/// The maximum number of tasks that are tracked for an agent that does not list
/// its tasks. Each tracked task adds to the cost of every start and end of a
/// task.
const MAX_TASKS: usize = 128;

/// Tasks that run in the background.
#[derive(Debug, Default)]
pub(super) struct Background {
    tasks: Vec<BackgroundTask>,
    /// Running tasks of an agent that does not report which tasks are in the
    /// background (2.1.197). Tasks that outlive the turn are background tasks.
    unplaced: Vec<BackgroundTask>,
    /// Whether the agent sends lists of its tasks.
    is_listed: bool,
    /// Whether a task has ended and a turn may follow. The agent's next session
    /// state resets this flag.
    reports: bool,
}

impl Background {
    /// Returns whether a background task is running.
    pub(super) fn runs(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// Returns whether the agent is expected to send more output for a task
    /// that is not ambient, or for the turn that follows a task.
    pub(super) fn has_pending_output(&self) -> bool {
        self.reports || self.tasks.iter().any(|task| task.ambient != Some(true))
    }

    /// Removes all tasks after their process has ended. Returns the tasks that
    /// were running.
    pub(super) fn end(&mut self) -> Vec<BackgroundTask> {
        self.unplaced.clear();
        self.reports = false;
        mem::take(&mut self.tasks)
    }

    /// Records a frame, and returns the running tasks if they changed.
    pub(super) fn handle(&mut self, class: &mut FrameClass) -> Option<Vec<BackgroundTask>> {
        match class {
            FrameClass::Background(tasks) => {
                self.is_listed = true;
                let before = mem::replace(&mut self.tasks, mem::take(tasks));
                (before != self.tasks).then(|| self.tasks.clone())
            }
            FrameClass::ToBackground(task) if !self.is_listed => {
                let is_known = self.tasks.iter().any(|it| it.task_id == task.task_id);
                if is_known || self.tasks.len() == MAX_TASKS {
                    return None;
                }
                self.tasks.push((**task).clone());
                Some(self.tasks.clone())
            }
            FrameClass::Task(task) if !self.is_listed && self.unplaced.len() < MAX_TASKS => {
                self.unplaced.push((**task).clone());
                None
            }
            FrameClass::Result(_) if !self.is_listed && !self.unplaced.is_empty() => {
                let known =
                    |task: &BackgroundTask| self.tasks.iter().any(|it| it.task_id == task.task_id);
                let room = MAX_TASKS.saturating_sub(self.tasks.len());
                let started = mem::take(&mut self.unplaced).into_iter();
                let new: Vec<_> = started.filter(|task| !known(task)).take(room).collect();
                if new.is_empty() {
                    return None;
                }
                self.tasks.extend(new);
                Some(self.tasks.clone())
            }
            FrameClass::TaskEnded { task_id } => {
                self.unplaced.retain(|it| it.task_id != *task_id);
                self.reports = true;
                let before = self.tasks.len();
                if !self.is_listed {
                    self.tasks.retain(|it| it.task_id != *task_id);
                }
                (before != self.tasks.len()).then(|| self.tasks.clone())
            }
            FrameClass::State(_) | FrameClass::Init(_) => {
                self.reports = false;
                None
            }
            _ => None,
        }
    }
}
