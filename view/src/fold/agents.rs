//! Sub-agents and background tasks.

use super::FOLLOWED;
use crate::change::Member;
use crate::entry::{
    Background, Body, EntryId, Failure, FailureReason, LongText, Status, SubAgent, SubAgentUsage,
};
use crate::text::{cut, lines, title};
use crate::tool::{Fields, Outcome};
use crate::view::View;
use agentwire_protocol::Json;
use agentwire_protocol::message::{
    TaskEndStatus, TaskNotification, TaskProgress, TaskStarted, TaskStatus, TaskUpdated, TaskUsage,
};
use std::borrow::Cow;
use std::collections::BTreeSet;

impl View {
    /// Returns a sub-agent from the input of its call.
    pub(super) fn subagent(&self, input: &Json, status: Status) -> SubAgent {
        let input = Fields::of(input);
        let description = input.text("description").unwrap_or_default();
        let prompt = input.text("prompt").unwrap_or_default();
        SubAgent {
            title: title(&description),
            agent: input.text("subagent_type").map(|it| title(&it)),
            prompt: cut(lines(&prompt), self.limits.output),
            status,
            result: None,
            failure: None,
            approval: None,
            background: None,
            usage: None,
        }
    }

    /// Returns the entry of the sub-agent with this tool call. Adds it if there is none, because
    /// it was started in another process or was removed.
    pub(super) fn parent_of(
        &mut self,
        call: Option<&str>,
        agent: Option<&str>,
        task: Option<&str>,
    ) -> Option<EntryId> {
        let id = self.fold.calls.entry(call?);
        if self.get(&id).is_none() {
            let mut subagent = self.subagent(&Json::of_text("{}"), Status::InProgress);
            subagent.agent = agent.map(title);
            subagent.title = title(task.unwrap_or_default());
            self.insert(id.clone(), None, Body::SubAgent(Box::new(subagent)));
        }
        Some(id)
    }

    /// Applies the result of the call that started a sub-agent.
    pub(super) fn subagent_result(
        &mut self,
        id: &EntryId,
        outcome: Outcome,
        output: Option<&Json>,
        text: &str,
    ) {
        if outcome.failure.is_some() {
            return self.end_call(id, outcome.status, outcome.failure);
        }
        let output = output.filter(|it| it.get().starts_with('{'));
        let fields = output.map(Fields::of);
        let status = fields.as_ref().and_then(|it| it.text("status"));
        let launched = matches!(
            status.as_deref(),
            Some("async_launched" | "remote_launched")
        );
        if let Some(fields) = fields.as_ref().filter(|_| launched) {
            self.no_approval(id);
            let task = fields.text("agentId").or_else(|| fields.text("taskId"));
            let task_id = task.unwrap_or_default();
            self.follow(&task_id, id);
            return self.in_background(id, task_id);
        }
        let response = response(output, text);
        let text = self.long_output(without_tool_list(&response));
        self.set(id, Member::Result(Some(text)));
        let usage = fields.map(|fields| SubAgentUsage {
            tokens: fields.get("totalTokens").unwrap_or_default(),
            tool_calls: fields.get("totalToolUseCount").unwrap_or_default(),
            duration_ms: fields.get("totalDurationMs").unwrap_or_default(),
        });
        let usage = usage.filter(|usage| *usage != SubAgentUsage::default());
        self.usage(id, usage);
        self.end_call(id, Status::Completed, None);
    }

    fn long_output(&self, text: &str) -> LongText {
        cut(lines(text), self.limits.output)
    }

    fn usage(&mut self, id: &EntryId, usage: Option<SubAgentUsage>) {
        let Some(Body::SubAgent(agent)) = self.get(id).map(|it| &it.body) else {
            return;
        };
        if usage.is_some() && agent.usage != usage {
            self.set(id, Member::Usage(usage));
        }
    }

    /// Stores the entry of a task.
    pub(super) fn follow(&mut self, task: &str, id: &EntryId) {
        if self.fold.tasks.len() >= FOLLOWED {
            self.fold.tasks.clear();
        }
        self.fold.tasks.insert(task.into(), id.clone());
    }

    fn in_background(&mut self, id: &EntryId, task_id: String) {
        let is_there = match self.get(id).map(|it| &it.body) {
            Some(Body::SubAgent(it)) => it.background.is_some(),
            Some(Body::ToolCall(it)) => it.background.is_some(),
            _ => true,
        };
        if !is_there {
            let background = Background {
                task_id,
                is_running: true,
                summary: None,
            };
            self.set(id, Member::Background(Some(background)));
        }
    }

    /// Returns the entry of a task.
    fn of_task(&self, task: &str, call: Option<&str>) -> Option<EntryId> {
        let known = self.fold.tasks.get(task).cloned();
        known.or_else(|| call.map(|call| self.fold.calls.entry(call)))
    }

    pub(super) fn task_started(&mut self, task: &TaskStarted) {
        let Some(call) = &task.tool_use_id else {
            return;
        };
        let id = self.fold.calls.entry(call);
        self.follow(&task.task_id, &id);
        let is_again = self.is_over(&id);
        if task.is_backgrounded == Some(true) && is_again {
            // A sub-agent that continues.
            self.set(&id, Member::Status(Status::InProgress));
        }
    }

    /// Returns whether the entry is a sub-agent that has ended.
    fn is_over(&self, id: &EntryId) -> bool {
        match self.get(id).map(|it| &it.body) {
            Some(Body::SubAgent(it)) => matches!(it.status, Status::Completed | Status::Failed),
            _ => false,
        }
    }

    pub(super) fn task_progress(&mut self, task: &TaskProgress) {
        if let Some(id) = self.of_task(&task.task_id, task.tool_use_id.as_deref()) {
            self.usage(&id, task.usage.as_ref().map(usage));
        }
    }

    pub(super) fn task_updated(&mut self, task: &TaskUpdated) {
        let Some(id) = self.of_task(&task.task_id, None) else {
            return;
        };
        if task.patch.is_backgrounded == Some(true) {
            self.in_background(&id, task.task_id.clone());
        }
        let end = match &task.patch.status {
            Some(TaskStatus::Completed) => Status::Completed,
            Some(TaskStatus::Failed | TaskStatus::Killed) => Status::Failed,
            _ => return,
        };
        self.background_ends(&id, end, task.patch.error.as_deref());
    }

    pub(super) fn task_ended(&mut self, task: &TaskNotification) {
        let Some(id) = self.of_task(&task.task_id, task.tool_use_id.as_deref()) else {
            return;
        };
        let status = match task.status {
            TaskEndStatus::Completed => Status::Completed,
            _ => Status::Failed,
        };
        self.usage(&id, task.usage.as_ref().map(usage));
        let is_report = task.extra.get("summary_is_report").map(Json::get) == Some("true");
        let report = task.summary.as_deref().filter(|_| is_report);
        self.background_ends(&id, status, task.summary.as_deref());
        if let Some(report) = report {
            self.response_of_background(&id, report);
        }
    }

    /// Sets the response of a sub-agent that ran in the background.
    fn response_of_background(&mut self, id: &EntryId, text: &str) {
        let result = self.long_output(without_tool_list(text.trim()));
        if let Some(Body::SubAgent(agent)) = self.get(id).map(|it| &it.body)
            && agent.background.is_some()
            && agent.result.as_ref() != Some(&result)
        {
            self.set(id, Member::Result(Some(result)));
        }
    }

    /// Ends the background task of an entry.
    pub(super) fn background_ends(&mut self, id: &EntryId, status: Status, summary: Option<&str>) {
        let (background, is_agent) = match self.get(id).map(|it| &it.body) {
            Some(Body::SubAgent(it)) => (it.background.clone(), true),
            Some(Body::ToolCall(it)) => (it.background.clone(), false),
            _ => return,
        };
        let Some(mut background) = background else {
            return;
        };
        let was_running = std::mem::replace(&mut background.is_running, false);
        // That of a sub-agent is its response, or says only that it ended.
        if let Some(summary) = summary.filter(|_| !is_agent) {
            background.summary = Some(title(summary));
        }
        self.set(id, Member::Background(Some(background)));
        if is_agent && was_running {
            if status == Status::Failed {
                let failure = Failure {
                    reason: FailureReason::Error,
                    message: title(summary.unwrap_or_default()),
                };
                self.set(id, Member::Failure(Some(failure)));
            }
            self.set(id, Member::Status(status));
        }
    }

    /// Ends the background tasks at the end of the session.
    pub(crate) fn end_tasks(&mut self) {
        let tasks: BTreeSet<EntryId> = self.fold.tasks.drain().map(|(_, id)| id).collect();
        for id in tasks {
            self.background_stops(&id);
        }
    }

    fn background_stops(&mut self, id: &EntryId) {
        let (background, is_agent) = match self.get(id).map(|it| &it.body) {
            Some(Body::SubAgent(it)) => (&it.background, true),
            Some(Body::ToolCall(it)) => (&it.background, false),
            _ => return,
        };
        let Some(mut background) = background.clone().filter(|it| it.is_running) else {
            return;
        };
        background.is_running = false;
        self.set(id, Member::Background(Some(background)));
        if is_agent {
            let failure = Failure {
                reason: FailureReason::NoResult,
                message: "The session ended before the result.".to_owned(),
            };
            self.set(id, Member::Failure(Some(failure)));
            self.set(id, Member::Status(Status::Failed));
        }
    }

    /// Applies a stored notification for the model that a task has ended.
    pub(super) fn task_told(&mut self, text: &str) -> bool {
        let Some(task) = tag(text, "task-id") else {
            return false;
        };
        let call = tag(text, "tool-use-id");
        let Some(id) = self.of_task(task, call) else {
            return false;
        };
        let status = match tag(text, "status") {
            Some("completed") => Status::Completed,
            Some("failed" | "killed" | "stopped") => Status::Failed,
            _ => return true,
        };
        let is_running = match self.get(&id).map(|it| &it.body) {
            Some(Body::SubAgent(it)) => it.background.as_ref().is_some_and(|it| it.is_running),
            Some(Body::ToolCall(it)) => it.background.as_ref().is_some_and(|it| it.is_running),
            _ => false,
        };
        if is_running {
            self.background_ends(&id, status, tag(text, "summary"));
        }
        if let Some(result) = tag(text, "result") {
            self.response_of_background(&id, result);
        }
        true
    }
}

/// Returns the final response of a sub-agent.
fn response<'a>(output: Option<&Json>, text: &'a str) -> Cow<'a, str> {
    let blocks: Option<Vec<Json>> = output.and_then(|output| Fields::of(output).get("content"));
    let texts = blocks.iter().flatten();
    let texts = texts.filter_map(|block| Fields::of(block).text("text"));
    let texts: Vec<String> = texts.collect();
    match texts.is_empty() {
        true => Cow::Borrowed(text),
        false => texts.join("\n").into(),
    }
}

/// Removes the list of tools that the agent prepends to a response without tool calls.
fn without_tool_list(response: &str) -> &str {
    let rest = response.strip_prefix("<tools-used-before-summary>");
    let rest = rest.and_then(|rest| rest.split_once("</tools-used-before-summary>"));
    rest.map_or(response, |(_, rest)| rest.trim_start())
}

fn usage(usage: &TaskUsage) -> SubAgentUsage {
    let duration = usage.duration_ms.as_ref().map(|it| it.as_f64() as u64);
    SubAgentUsage {
        tokens: usage.total_tokens.unwrap_or_default(),
        tool_calls: usage.tool_uses.unwrap_or_default(),
        duration_ms: duration.unwrap_or_default(),
    }
}

/// Returns the text between the tags.
pub(super) fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (inside, _) = rest.split_once(&format!("</{name}>"))?;
    Some(inside)
}
