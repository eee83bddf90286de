//! Tasks in the background: shell commands and sub-agents.

use crate::hook::BackgroundTaskSummary;

/// Something that goes on in the background: a shell's command, or a
/// sub-agent.
#[derive(Debug, Clone)]
pub struct Task {
    pub(super) id: String,
    pub(super) run_id: String,
    pub(super) description: String,
    pub(super) tool_use_id: Option<String>,
    /// What a sub-agent is, and what it was asked.
    pub(super) agent: Option<Subagent>,
    /// What hooks know the prompt by that it came from.
    pub(super) prompt_id: Option<String>,
    /// What it said last.
    pub(super) last_text: String,
    /// The tools that it used.
    pub(super) tools: Vec<String>,
    /// Whether the model waits for it.
    pub(super) is_awaited: bool,
    /// What is told of it when hooks have heard that it is over.
    pub(super) ending: Option<String>,
}

/// A sub-agent.
#[derive(Debug, Clone)]
pub(super) struct Subagent {
    pub(super) kind: String,
    pub(super) prompt: String,
}

impl Task {
    /// A command that a shell runs.
    pub fn shell(id: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            run_id: String::new(),
            description: description.into(),
            tool_use_id: None,
            agent: None,
            prompt_id: None,
            last_text: String::new(),
            tools: vec![],
            is_awaited: false,
            ending: None,
        }
    }

    /// A sub-agent of this kind, and what it was asked.
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

    /// Sets the tool call that started it.
    #[must_use]
    pub fn of_tool(mut self, tool_use_id: impl Into<String>) -> Self {
        self.tool_use_id = Some(tool_use_id.into());
        self
    }

    /// Has the model wait for it: its end is the result of its tool call.
    #[must_use]
    pub fn awaited(mut self) -> Self {
        self.is_awaited = true;
        self
    }

    /// What hooks are told of it.
    pub(super) fn summary(&self) -> BackgroundTaskSummary {
        let agent = self.agent.as_ref();
        let kind = if agent.is_some() { "subagent" } else { "shell" };
        BackgroundTaskSummary {
            id: self.id.clone(),
            kind: Some(kind.to_owned()),
            status: Some("running".to_owned()),
            description: Some(self.description.clone()),
            agent_type: agent.map(|agent| agent.kind.clone()),
            ..BackgroundTaskSummary::default()
        }
    }

    /// Returns its `task_type`.
    pub(super) fn kind(&self) -> &'static str {
        match self.agent {
            Some(_) => "local_agent",
            None => "local_bash",
        }
    }
}
