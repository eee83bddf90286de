//! What the host knows of the processes that a session had, and what the end of
//! one changes.

use super::redelivery::Redelivery;
use crate::message::BackgroundTask;

/// What happens to a turn that the end of the agent's process cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TurnRecovery {
    /// It continues in the next process, by the agent's own means. Tool calls that
    /// had begun may run again.
    #[default]
    Resume,
    /// It ends with [`TurnOutcome::CutOff`](super::TurnOutcome), and its messages with
    /// [`SubmissionState::CutOff`](super::SubmissionState::CutOff).
    CutOff,
}

/// A tool call of a turn that was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The ID of the call.
    pub tool_use_id: String,
    /// The name of the tool.
    pub tool_name: String,
}

/// What the end of a process changed in the session.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Handover {
    /// The turn that was cut off, if one was running.
    pub turn: Option<u64>,
    /// Whether that turn continues in the next process.
    pub resumes: bool,
    /// The tool calls of that turn. Those that had begun may have had any part
    /// of their effect, and the model may make them again.
    pub tool_calls: Vec<ToolCall>,
    /// The messages that had been sent and were not in a final state, and how
    /// their delivery continues.
    pub messages: Vec<(Box<str>, Redelivery)>,
    /// The requests of the agent that were open. No response is possible.
    pub incoming_requests: Vec<Box<str>>,
    /// The background tasks that are gone.
    pub background: Vec<BackgroundTask>,
}

/// How the current process follows an earlier one.
#[derive(Debug, Default)]
pub(super) struct Succession {
    /// Whether lines are retained for a next process.
    pub(super) retains_lines: bool,
    /// Whether the process still lacks settings of an earlier one.
    pub(super) is_new: bool,
    /// Whether turns that were cut off are handed back.
    pub(super) cuts_off: bool,
    /// Whether this process has shown a turn that is not over.
    pub(super) shows_turn: bool,
    /// Whether it has shown a turn at all.
    pub(super) has_shown_turn: bool,
    /// The messages of the turn that went on in this process.
    pub(super) started: Vec<Box<str>>,
    /// Whether this process has planned to wake up.
    pub(super) has_planned: bool,
    /// The tool calls of the running turn.
    pub(super) calls: Vec<ToolCall>,
}
