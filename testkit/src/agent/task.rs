//! Tasks: shell commands and sub-agents.

use agentwire_protocol::hook::{BackgroundTaskSummary, BatchToolCall};
use agentwire_protocol::json::Number;
use agentwire_protocol::message::{TaskUsage, Usage};

/// A task: a shell command or a sub-agent. It runs in the background unless it
/// is [awaited](Self::awaited).
#[derive(Debug, Clone)]
pub struct Task {
    pub(super) id: String,
    pub(super) run_id: String,
    pub(super) description: String,
    pub(super) tool_use_id: Option<String>,
    /// The kind and the prompt of a sub-agent.
    pub(super) agent: Option<Subagent>,
    /// The `prompt_id`, for hooks, of the prompt that led to the task.
    pub(super) prompt_id: Option<String>,
    /// The last text of a sub-agent.
    pub(super) last_text: String,
    /// The usage of a sub-agent's last reply.
    pub(super) reply: Usage,
    /// The names of the tools that a sub-agent used.
    pub(super) tools: Vec<String>,
    /// Tool calls of a sub-agent's last reply that have a result.
    pub(super) batch: Vec<BatchToolCall>,
    /// Whether the model waits for the task.
    pub(super) is_awaited: bool,
    /// The summary to report after the `SubagentStop` hooks.
    pub(super) ending: Option<String>,
}

/// A sub-agent.
#[derive(Debug, Clone)]
pub(super) struct Subagent {
    pub(super) kind: String,
    pub(super) prompt: String,
}

/// The end of a task, for the model.
#[derive(Debug, Clone)]
pub(super) struct Report {
    pub(super) run_id: String,
    /// The text for the model.
    pub(super) text: String,
}

impl Task {
    /// Creates a task for a shell command.
    pub fn shell(id: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            run_id: String::new(),
            description: description.into(),
            tool_use_id: None,
            agent: None,
            prompt_id: None,
            last_text: String::new(),
            reply: Usage::default(),
            tools: vec![],
            batch: vec![],
            is_awaited: false,
            ending: None,
        }
    }

    /// Creates a task for a sub-agent of this kind, with its prompt.
    pub fn subagent(
        id: impl Into<String>,
        description: impl Into<String>,
        kind: impl Into<String>,
        prompt: impl Into<String>,
    ) -> Self {
        let agent = Subagent {
            kind: kind.into(),
            prompt: prompt.into(),
        };
        Self {
            agent: Some(agent),
            ..Self::shell(id, description)
        }
    }

    /// Sets the tool call that started the task.
    #[must_use]
    pub fn of_tool(mut self, tool_use_id: impl Into<String>) -> Self {
        self.tool_use_id = Some(tool_use_id.into());
        self
    }

    /// Makes the model wait for the task. The end of the task is then the
    /// result of its tool call.
    #[must_use]
    pub fn awaited(mut self) -> Self {
        self.is_awaited = true;
        self
    }

    /// Returns the summary of the task for hooks.
    pub(super) fn summary(&self) -> BackgroundTaskSummary {
        let agent = self.agent.as_ref();
        let kind = if agent.is_some() { "subagent" } else { "shell" };
        wire!(BackgroundTaskSummary {
            id: self.id.clone(),
            kind: Some(kind.to_owned()),
            status: Some("running".to_owned()),
            description: Some(self.description.clone()),
            agent_type: agent.map(|agent| agent.kind.clone()),
            command: agent.is_none().then(|| self.description.clone()),
        })
    }

    /// Returns the usage of a sub-agent so far. Tokens and times are unknown.
    pub(super) fn usage(&self) -> TaskUsage {
        wire!(TaskUsage {
            total_tokens: Some(0),
            tool_uses: Some(self.tools.len() as u64),
            duration_ms: Some(Number::from(0)),
        })
    }

    /// Returns the report for the model after the end of the task.
    pub(super) fn report(&self) -> Report {
        let summary = self.ending.as_ref().unwrap_or(&self.description);
        let usage = self.agent.as_ref().map_or("", |_| "<usage></usage>\n");
        Report {
            run_id: self.run_id.clone(),
            text: format!(
                "<task-notification>\n<task-id>{}</task-id>\n\
                 <summary>{summary}</summary>\n{usage}</task-notification>",
                self.id
            ),
        }
    }

    /// Returns the `task_type`.
    pub(super) fn kind(&self) -> &'static str {
        match self.agent {
            Some(_) => "local_agent",
            None => "local_bash",
        }
    }
}
