//! Background tasks, and the turns that they start.

use super::hooks::Occasion;
use super::task::Task;
use super::{Agent, Event};
use agentwire_protocol::codec::encode;
use agentwire_protocol::hook::{BackgroundTaskSummary, SubagentStart, SubagentStop};
use agentwire_protocol::json::Number;
use agentwire_protocol::message::{
    BackgroundTask, BackgroundTasksChanged, SessionState, TaskEndStatus, TaskNotification,
    TaskPatch, TaskStarted, TaskStatus, TaskUpdated,
};
use std::time::Instant;

impl Agent {
    /// Starts a task in the background, or in the foreground if the task is
    /// [awaited](Task::awaited).
    pub fn start_task(&mut self, now: Instant, mut task: Task) {
        task.run_id = (self.ids)();
        task.prompt_id = self.turn.as_ref().map(|turn| turn.prompt_id.clone());
        self.stats.started(&task);
        self.tasks.push(task.clone());
        if !task.is_awaited {
            self.send_tasks();
        }
        let agent = task.agent.as_ref();
        let started = wire!(TaskStarted {
            task_id: task.id.clone(),
            run_id: Some(task.run_id.clone()),
            tool_use_id: task.tool_use_id.clone(),
            description: Some(task.description.clone()),
            task_type: Some(task.kind().to_owned()),
            subagent_type: agent.map(|agent| agent.kind.clone()),
            is_backgrounded: Some(!task.is_awaited),
            spawn_depth: agent.map(|_| 1),
            parent_task_id: None,
            workflow_name: None,
            prompt: agent.map(|agent| agent.prompt.clone()),
            skip_transcript: None,
            ambient: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&started));
        if let Some(agent) = &task.agent {
            // The sub-agent does not wait for the output of these hooks.
            let occasion = Occasion::SubagentStart(task.id.clone());
            let event = SubagentStart::default();
            self.raise(now, occasion, Some(&agent.kind), event, None);
        }
        if task.is_awaited {
            self.send_subagent_prompt(&task);
        }
    }

    /// Ends a task, with a summary of its work. For a sub-agent, the
    /// `SubagentStop` hooks run first.
    ///
    /// The end of the task is then reported to the model. Between turns, it
    /// starts a new turn without a prompt. During a turn, it is part of the
    /// next request to the model; if the turn makes no other request, it starts
    /// a new turn. The end of an [awaited](Task::awaited) task is reported as
    /// the result of its tool call instead.
    pub fn end_task(&mut self, now: Instant, task_id: &str, summary: &str) {
        let tasks = self.background_tasks();
        let Some(task) = self.task(task_id) else {
            return;
        };
        task.ending = Some(summary.to_owned());
        let Some(agent) = &task.agent else {
            return self.report_task(now, task_id);
        };
        let kind = agent.kind.clone();
        let event = wire!(SubagentStop {
            stop_hook_active: Some(false),
            agent_transcript_path: Some(format!("/{task_id}.jsonl")),
            last_assistant_message: Some(task.last_text.clone()),
            background_tasks: Some(tasks),
            session_crons: Some(vec![]),
        });
        let occasion = Occasion::SubagentStop(task_id.to_owned());
        self.raise(now, occasion, Some(&kind), event, None);
    }

    /// Reports the end of a task to the host.
    pub(super) fn report_task(&mut self, now: Instant, task_id: &str) {
        let Some(at) = self.tasks.iter().position(|task| task.id == task_id) else {
            return;
        };
        let task = self.tasks.remove(at);
        self.send_task_end(&task, TaskStatus::Completed, TaskEndStatus::Completed);
        if task.is_awaited {
            return self.finish_awaited(now, &task);
        }
        self.send_tasks();
        self.unreported.push(task.report());
        self.used_tools.extend(task.tools);
        if self.turn.is_none() && !self.exited {
            self.report_to_model(now);
        }
    }

    /// Sends the messages that report the end of a task.
    fn send_task_end(&mut self, task: &Task, status: TaskStatus, end: TaskEndStatus) {
        let is_report = end == TaskEndStatus::Completed;
        self.stats.ended(task, !is_report);
        let summary = task
            .ending
            .clone()
            .or_else(|| Some(task.description.clone()));
        let updated = wire!(TaskUpdated {
            task_id: task.id.clone(),
            run_id: Some(task.run_id.clone()),
            patch: wire!(TaskPatch {
                status: Some(status),
                end_time: Some(Number::from(0)),
            }),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&updated));
        let runs_in_background = task.agent.is_some() && !task.is_awaited;
        let usage = task.agent.is_some().then(|| task.usage());
        let mut end_line = wire!(TaskNotification {
            task_id: task.id.clone(),
            run_id: Some(task.run_id.clone()),
            tool_use_id: task.tool_use_id.clone(),
            status: end,
            reason: None,
            output_file: Some(format!("/{}.output", task.id)),
            summary,
            usage,
            resource_links: None,
            skip_transcript: None,
            ambient: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        if is_report && runs_in_background {
            end_line
                .extra
                .set("summary_is_report", serde_json::json!(true));
        }
        self.send(encode(&end_line));
    }

    /// Stops a task in the background at the request of the host. An unknown
    /// task is not an error. [`Event::TaskStopped`] arrives.
    pub(super) fn stop_task(&mut self, now: Instant, task_id: &str) {
        let Some(at) = self.tasks.iter().position(|task| task.id == task_id) else {
            return;
        };
        let task = self.tasks.remove(at);
        self.events.push_back(Event::TaskStopped {
            task_id: task.id.clone(),
        });
        self.send_task_end(&task, TaskStatus::Killed, TaskEndStatus::Stopped);
        if task.is_awaited {
            return self.finish_awaited(now, &task);
        }
        self.send_tasks();
        if task.agent.is_some() {
            self.unreported.push(task.report());
            if self.turn.is_none() && !self.exited {
                self.report_to_model(now);
            }
        }
    }

    /// Starts a turn that reports finished tasks to the model. Returns `false`
    /// if there are no finished tasks.
    pub(super) fn report_to_model(&mut self, now: Instant) -> bool {
        let mut reports = std::mem::take(&mut self.unreported).into_iter();
        let Some(report) = reports.next() else {
            return false;
        };
        self.set_state(SessionState::Running);
        self.begin_turn(now, vec![], Some(report));
        true
    }

    /// Returns whether a sub-agent is running in the background, so that the
    /// session is not idle.
    pub(super) fn has_subagents(&self) -> bool {
        let mut tasks = self.tasks.iter();
        tasks.any(|task| task.agent.is_some() && !task.is_awaited)
    }

    /// Returns the tasks that run in the background, for hooks.
    pub(super) fn background_tasks(&self) -> Vec<BackgroundTaskSummary> {
        let tasks = self.tasks.iter().filter(|task| !task.is_awaited);
        tasks.map(Task::summary).collect()
    }

    pub(super) fn task(&mut self, id: &str) -> Option<&mut Task> {
        self.tasks.iter_mut().find(|task| task.id == id)
    }

    /// Removes all tasks, and the pending reports to the model.
    pub(super) fn end_all_tasks(&mut self) {
        self.tasks.clear();
        self.unreported.clear();
        self.send_tasks();
    }

    pub(super) fn send_tasks(&mut self) {
        let task = |task: &Task| {
            wire!(BackgroundTask {
                task_id: task.id.clone(),
                run_id: Some(task.run_id.clone()),
                task_type: Some(task.kind().to_owned()),
                subagent_type: task.agent.as_ref().map(|agent| agent.kind.clone()),
                description: Some(task.description.clone()),
                parent_task_id: None,
                ambient: None,
            })
        };
        let change = wire!(BackgroundTasksChanged {
            tasks: (self.tasks.iter().filter(|task| !task.is_awaited))
                .map(task)
                .collect(),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&change));
    }
}
