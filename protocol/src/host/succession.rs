//! The state that spans the processes of a session.

use super::redelivery::Redelivery;
use crate::message::BackgroundTask;
use std::sync::Arc;

/// The handling of a turn that the end of the agent's process cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TurnRecovery {
    /// The agent resumes the turn in the next process. Tool calls that had
    /// begun may run again.
    #[default]
    Resume,
    /// The turn ends with [`TurnOutcome::CutOff`](super::TurnOutcome), and its
    /// messages with
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

/// The effects of a process's end on the session.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Handover {
    /// The turn that was cut off, if one was running.
    pub turn: Option<u64>,
    /// Whether the turn that was cut off continues in the next process.
    pub resumes: bool,
    /// The tool calls of the turn that was cut off. Calls that had begun may
    /// have taken effect in part, and the model may repeat them.
    pub tool_calls: Vec<ToolCall>,
    /// The sent messages that were not in a final state, with how their
    /// delivery continues.
    pub messages: Vec<(Arc<str>, Redelivery)>,
    /// The pending requests of the agent. The host can no longer respond to
    /// them.
    pub incoming_requests: Vec<Arc<str>>,
    /// The background tasks that ended with the process.
    pub background: Vec<BackgroundTask>,
}

/// The state of the current process as a successor of earlier ones.
#[derive(Debug, Default)]
pub(super) struct Succession {
    /// Whether lines are retained for a next process.
    pub(super) retains_lines: bool,
    /// Whether the settings of an earlier process are not restored yet.
    pub(super) is_new: bool,
    /// Whether turns that were cut off are not resumed.
    pub(super) cuts_off: bool,
    /// Whether this process runs a turn.
    pub(super) shows_turn: bool,
    /// Whether this process has run a turn.
    pub(super) has_shown_turn: bool,
    /// The messages of the turn that this process may resume.
    pub(super) started: Vec<Arc<str>>,
    /// Whether this process has scheduled a wake-up.
    pub(super) has_planned: bool,
    /// The tool calls of the running turn.
    pub(super) calls: Vec<ToolCall>,
}
