//! Progress reports on running tools.

use super::Agent;
use super::call::OpenCall;
use agentwire_protocol::codec::encode;
use agentwire_protocol::json::Number;
use agentwire_protocol::message::{TaskEndStatus, TaskNotification, TaskStarted, ToolProgress};
use serde_json::json;
use std::time::Instant;

impl Agent {
    /// Sends the progress reports that are due.
    pub(super) fn send_progress_reports(&mut self, now: Instant) {
        while let Some((due, id)) = self.progress_due().filter(|(due, _)| *due <= now) {
            let Some(open) = self.calls.get(&id) else {
                return;
            };
            if open.task_due() == Some(due) {
                self.report_shell(&id);
            } else {
                self.send_heartbeat(&id);
            }
        }
    }

    /// Returns when the next progress report is due, and for which call.
    pub(super) fn progress_due(&self) -> Option<(Instant, String)> {
        let due = |(id, open): (&String, &OpenCall)| Some((open.progress_due()?, id.clone()));
        self.calls.iter().filter_map(due).min()
    }

    fn send_heartbeat(&mut self, id: &str) {
        let Some(open) = self.calls.get_mut(id) else {
            return;
        };
        let Some(running) = &mut open.running else {
            return;
        };
        let (number, elapsed) = running.count_heartbeat();
        let name = open.call.name.clone();
        let progress = wire!(ToolProgress {
            parent_tool_use_id: Some(id.to_owned()),
            elapsed_time_seconds: Some(Number::from(elapsed.as_secs())),
            heartbeat: Some(true),
            ..self.progress(format!("{id}-heartbeat-{number}"), name)
        });
        self.send(encode(&progress));
    }

    /// Reports a running shell command to the host as a task in the foreground.
    fn report_shell(&mut self, id: &str) {
        let task = (format!("shell_{}", (self.ids)()), (self.ids)());
        let Some(open) = self.calls.get_mut(id) else {
            return;
        };
        let Some(running) = &mut open.running else {
            return;
        };
        running.task = Some(task.clone());
        let (task_id, run_id) = task;
        let mut started = wire!(TaskStarted {
            task_id,
            run_id: Some(run_id),
            tool_use_id: Some(id.to_owned()),
            description: Some(open.description()),
            task_type: Some("local_bash".to_owned()),
            is_backgrounded: Some(false),
            parent_task_id: open.owner.clone(),
            subagent_type: None,
            spawn_depth: None,
            workflow_name: None,
            prompt: None,
            skip_transcript: None,
            ambient: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        if open.owner.is_some() {
            started.extra.set("owned_by_subagent", json!(true));
        }
        self.send(encode(&started));
    }

    /// Ends the task of a tool that has a result.
    pub(super) fn end_progress(&mut self, id: &str, is_error: bool) {
        let Some(open) = self.calls.get_mut(id) else {
            return;
        };
        let is_subagents = open.owner.is_some();
        let running = open.running.take();
        let Some((task_id, run_id)) = running.and_then(|running| running.task) else {
            return;
        };
        let mut end = wire!(TaskNotification {
            task_id,
            run_id: Some(run_id),
            tool_use_id: Some(id.to_owned()),
            status: if is_error {
                TaskEndStatus::Failed
            } else {
                TaskEndStatus::Completed
            },
            reason: None,
            output_file: Some(String::new()),
            summary: Some(open.description()),
            usage: None,
            resource_links: None,
            skip_transcript: None,
            ambient: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        if is_subagents {
            end.extra.set("owned_by_subagent", json!(true));
        }
        self.send(encode(&end));
    }

    /// Returns a progress message about this tool call.
    pub(super) fn progress(&mut self, tool_use_id: String, tool_name: String) -> ToolProgress {
        wire!(ToolProgress {
            tool_use_id,
            tool_name: Some(tool_name),
            parent_tool_use_id: None,
            elapsed_time_seconds: None,
            task_id: None,
            heartbeat: None,
            subagent_type: None,
            subagent_retry: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        })
    }
}
