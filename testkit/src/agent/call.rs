//! Tool calls of the model, from the request to the result.

use super::answer::ToolAnswer;
use super::ruling::Ruling;
use agentwire_protocol::json::Json;
use std::time::{Duration, Instant};

/// The interval between the heartbeats of a running tool.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// The running time after which a shell command is reported to the host as a
/// task.
const SHELL_IS_TASK: Duration = Duration::from_secs(3);

/// A tool call requested by the model.
#[derive(Debug, Clone)]
pub struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Json,
    pub(super) needs_permission: bool,
    pub(super) question: Json,
}

/// A tool call that has no result yet.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) call: ToolCall,
    /// The input to run the tool with. Hooks and the host may have changed it.
    pub(super) input: Json,
    /// Whether the tool does not run: the call was denied or is invalid.
    pub(super) is_denied: bool,
    /// The source of the permission decision.
    pub(super) ruling: Option<Ruling>,
    /// The task ID of the sub-agent that made the call.
    pub(super) owner: Option<String>,
    /// Messages of `PreToolUse` hooks for the user.
    pub(super) messages: Vec<String>,
    pub(super) began: Instant,
    /// The ID of the assistant message that contains the call.
    pub(super) message_id: String,
    /// The state of the running tool, from the permission to run until the
    /// result.
    pub(super) running: Option<Running>,
    /// The result of the tool, while `PostToolUse` or `PostToolUseFailure`
    /// hooks are running.
    pub(super) answer: Option<ToolAnswer>,
}

/// A pending permission request.
#[derive(Debug)]
pub(super) struct PendingPermission {
    pub(super) tool_use_id: String,
    /// The request as it was sent.
    pub(super) request: Json,
}

/// A running tool.
#[derive(Debug)]
pub(super) struct Running {
    since: Instant,
    beats: u32,
    /// The task ID and run ID under which the tool was reported to the host.
    pub(super) task: Option<(String, String)>,
}

impl ToolCall {
    /// Creates a call with this input, which must be an object. By default the
    /// host is asked for permission.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: impl Into<Json>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input: input.into(),
            needs_permission: true,
            question: Json::null(),
        }
    }

    /// Sets whether to ask the host for permission, if neither a hook, a rule
    /// nor the permission mode decides. The default is `true`.
    #[must_use]
    pub fn asks(mut self, needs_permission: bool) -> Self {
        self.needs_permission = needs_permission;
        self
    }

    /// Adds members to the permission request, such as
    /// `permission_suggestions`. `members` must be an object. Its members
    /// replace those that the request has by default.
    #[must_use]
    pub fn question(mut self, members: impl Into<Json>) -> Self {
        self.question = members.into();
        self
    }

    /// Returns whether the tool requires the user. The host is then always
    /// asked for permission.
    pub(super) fn requires_user(&self) -> bool {
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

    /// Counts a heartbeat. Returns the number of earlier heartbeats, and the
    /// running time at the new heartbeat.
    pub(super) fn count_heartbeat(&mut self) -> (u32, Duration) {
        let number = self.beats;
        self.beats += 1;
        (number, HEARTBEAT * self.beats)
    }
}

impl OpenCall {
    /// Returns when the next progress report is due.
    pub(super) fn progress_due(&self) -> Option<Instant> {
        [self.task_due(), self.heartbeat_due()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Returns when the next heartbeat is due. Tools of sub-agents have no
    /// heartbeats.
    fn heartbeat_due(&self) -> Option<Instant> {
        let running = self.running.as_ref().filter(|_| self.owner.is_none())?;
        Some(running.since + HEARTBEAT * (running.beats + 1))
    }

    /// Returns when to report the tool to the host as a task.
    pub(super) fn task_due(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        let is_due = self.call.name == "Bash" && running.task.is_none();
        is_due.then(|| running.since + SHELL_IS_TASK)
    }

    /// Returns the user-facing description of a shell command.
    pub(super) fn description(&self) -> String {
        let descriptions = ["description", "command"].into_iter();
        let mut descriptions = descriptions.filter_map(|name| self.input.member(name)?.read().ok());
        descriptions.next().unwrap_or_default()
    }
}
