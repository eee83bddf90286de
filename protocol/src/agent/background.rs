//! What runs beside the conversation, and the turns that it leads to.

use super::Agent;
use crate::codec::encode;
use crate::message::{
    BackgroundTask, BackgroundTasksChanged, SessionState, TaskEndStatus, TaskNotification,
};
use std::time::Instant;

impl Agent {
    /// A task goes on in the background.
    pub fn start_task(&mut self, task_id: &str, description: &str) {
        self.tasks.push(BackgroundTask {
            task_id: task_id.to_owned(),
            run_id: None,
            task_type: Some("local_bash".to_owned()),
            subagent_type: None,
            description: Some(description.to_owned()),
            parent_task_id: None,
            ambient: None,
            extra: Default::default(),
        });
        self.tell_tasks();
    }

    /// A task in the background is over. Between turns a turn begins because
    /// of it, which answers no prompt.
    pub fn end_task(&mut self, now: Instant, task_id: &str, summary: &str) {
        let Some(at) = self.tasks.iter().position(|task| task.task_id == task_id) else {
            return;
        };
        self.tasks.remove(at);
        let over = TaskNotification {
            task_id: task_id.to_owned(),
            run_id: None,
            tool_use_id: None,
            status: TaskEndStatus::Completed,
            reason: None,
            output_file: None,
            summary: Some(summary.to_owned()),
            usage: None,
            resource_links: None,
            skip_transcript: None,
            ambient: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            extra: Default::default(),
        };
        self.send(encode(&over));
        self.tell_tasks();
        if self.turn.is_none() && !self.exited {
            self.set_state(SessionState::Running);
            self.begin_turn(now, vec![]);
        }
    }

    /// Nothing goes on in the background any more, and no turn tells of it.
    pub(super) fn end_all_tasks(&mut self) {
        self.tasks.clear();
        self.tell_tasks();
    }

    pub(super) fn tell_tasks(&mut self) {
        let change = BackgroundTasksChanged {
            tasks: self.tasks.clone(),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            extra: Default::default(),
        };
        self.send(encode(&change));
    }
}
