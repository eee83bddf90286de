//! What runs in the background, and whether the agent still owes a word about
//! it.

use super::sign::Sign;
use crate::message::BackgroundTask;
use std::mem;

/// Tasks that are kept for an agent that gives no list of its own. Each of them
/// costs something whenever one begins or ends.
const MOST: usize = 128;

/// Tasks that run beside the conversation.
#[derive(Debug, Default)]
pub(super) struct Background {
    tasks: Vec<BackgroundTask>,
    /// Tasks that run, of an agent that does not say which are in the
    /// background (2.1.197). Those that outlive the turn are.
    begun: Vec<BackgroundTask>,
    /// Whether the agent lists them.
    is_listed: bool,
    /// A task has ended, and the agent has not said yet whether a turn comes
    /// of it: its next state says so.
    reports: bool,
}

impl Background {
    /// Whether anything runs.
    pub(super) fn runs(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// Whether something is to be waited for: a task that does more than
    /// watch, or the turn that one leads to.
    pub(super) fn is_owed(&self) -> bool {
        self.reports || self.tasks.iter().any(|task| task.ambient != Some(true))
    }

    /// Takes note, and says what runs when that has changed.
    pub(super) fn saw(&mut self, sign: &mut Sign) -> Option<Vec<BackgroundTask>> {
        match sign {
            Sign::Background(tasks) => {
                self.is_listed = true;
                let before = mem::replace(&mut self.tasks, mem::take(tasks));
                (before != self.tasks).then(|| self.tasks.clone())
            }
            Sign::ToBackground(task) if !self.is_listed => {
                let is_known = self.tasks.iter().any(|it| it.task_id == task.task_id);
                if is_known || self.tasks.len() == MOST {
                    return None;
                }
                self.tasks.push((**task).clone());
                Some(self.tasks.clone())
            }
            Sign::Task(task) if !self.is_listed && self.begun.len() < MOST => {
                self.begun.push((**task).clone());
                None
            }
            Sign::Result(_) if !self.is_listed && !self.begun.is_empty() => {
                let known =
                    |task: &BackgroundTask| self.tasks.iter().any(|it| it.task_id == task.task_id);
                let room = MOST.saturating_sub(self.tasks.len());
                let begun = mem::take(&mut self.begun).into_iter();
                let new: Vec<_> = begun.filter(|task| !known(task)).take(room).collect();
                if new.is_empty() {
                    return None;
                }
                self.tasks.extend(new);
                Some(self.tasks.clone())
            }
            Sign::TaskOver { task_id } => {
                self.begun.retain(|it| it.task_id != *task_id);
                self.reports = true;
                let before = self.tasks.len();
                if !self.is_listed {
                    self.tasks.retain(|it| it.task_id != *task_id);
                }
                (before != self.tasks.len()).then(|| self.tasks.clone())
            }
            Sign::State(_) | Sign::Init(_) => {
                self.reports = false;
                None
            }
            _ => None,
        }
    }
}
