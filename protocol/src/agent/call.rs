//! A tool call: as the model wants it, and as it stands until it has a result.

use super::answer::ToolAnswer;
use super::ruling::Ruling;
use crate::json::Json;
use std::time::{Duration, Instant};

/// How often a tool says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// After how long the host hears of a shell's command as a task.
const SHELL_IS_TASK: Duration = Duration::from_secs(3);

/// A tool that the model wants to run.
#[derive(Debug, Clone)]
pub struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Json,
    pub(super) asks: bool,
    pub(super) question: Json,
}

/// A tool call that has no result yet.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) call: ToolCall,
    /// The input to run it with, which hooks and the host may have changed.
    pub(super) input: Json,
    /// Whether it may not run.
    pub(super) is_denied: bool,
    /// Who said whether it may run.
    pub(super) ruling: Option<Ruling>,
    /// The sub-agent that called it.
    pub(super) owner: Option<String>,
    /// What the hooks before it want told.
    pub(super) messages: Vec<String>,
    pub(super) began: Instant,
    /// The model's message that it is in.
    pub(super) message_id: String,
    /// Since it may run, as long as it does.
    pub(super) running: Option<Running>,
    /// What the tool answered, while the hooks after it are asked.
    pub(super) answer: Option<ToolAnswer>,
}

/// A permission ask that is not answered.
#[derive(Debug)]
pub(super) struct PendingAsk {
    pub(super) tool_use_id: String,
    /// The request as it was sent.
    pub(super) request: Json,
}

/// A tool that runs.
#[derive(Debug)]
pub(super) struct Running {
    since: Instant,
    beats: u32,
    /// The task as which the host knows it, and the id of its run.
    pub(super) task: Option<(String, String)>,
}

impl ToolCall {
    /// A call with this input, an object, that the host is asked about.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: impl Into<Json>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input: input.into(),
            asks: true,
            question: Json::null(),
        }
    }

    /// Sets whether the host is asked about it, when nothing else decides.
    #[must_use]
    pub fn asks(mut self, asks: bool) -> Self {
        self.asks = asks;
        self
    }

    /// Adds members to the question, such as `permission_suggestions`: an
    /// object. Those that a question has of itself are replaced.
    #[must_use]
    pub fn question(mut self, members: impl Into<Json>) -> Self {
        self.question = members.into();
        self
    }

    /// Whether only people can answer, so that the host is always asked.
    pub(super) fn is_for_people(&self) -> bool {
        matches!(&*self.name, "AskUserQuestion" | "ExitPlanMode")
    }
}

impl Running {
    pub(super) fn new(since: Instant) -> Self {
        Self {
            since,
            beats: 0,
            task: None,
        }
    }

    /// It says that it is alive. How often it did before, and for how long it
    /// has run.
    pub(super) fn beat(&mut self) -> (u32, Duration) {
        let number = self.beats;
        self.beats += 1;
        (number, HEARTBEAT * self.beats)
    }
}

impl OpenCall {
    /// When the host is to hear of it next.
    pub(super) fn progress_due(&self) -> Option<Instant> {
        [self.task_due(), self.next_beat()]
            .into_iter()
            .flatten()
            .min()
    }

    /// The next heartbeat. Tools of sub-agents have none.
    fn next_beat(&self) -> Option<Instant> {
        let running = self.running.as_ref().filter(|_| self.owner.is_none())?;
        Some(running.since + HEARTBEAT * (running.beats + 1))
    }

    /// When the host is to hear of it as a task.
    pub(super) fn task_due(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        let is_due = self.call.name == "Bash" && running.task.is_none();
        is_due.then(|| running.since + SHELL_IS_TASK)
    }

    /// What people are told of a shell's command.
    pub(super) fn description(&self) -> String {
        let named = ["description", "command"].into_iter();
        let mut named = named.filter_map(|name| self.input.member(name)?.read().ok());
        named.next().unwrap_or_default()
    }
}
