//! A turn of the agent: its phase, its input and its output.

use super::call::ToolCall;
use super::event::Event;
use super::task::Report;
use super::unfinished::Unfinished;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::hook::BatchToolCall;
use agentwire_protocol::json::Json;
use agentwire_protocol::message::{PermissionDenial, ResultMessage, StopReason, UserMessage};
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// A running turn.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) started: Instant,
    /// The `prompt_id` of the turn's prompts, for hooks.
    pub(super) prompt_id: String,
    /// The report of the task whose end started the turn.
    pub(super) report: Option<Report>,
    pub(super) phase: Phase,
    /// The deadline of the wait for the tools of MCP servers.
    pub(super) waits_until: Option<Instant>,
    /// The prompts that started the turn. Empty if the agent started it by
    /// itself.
    pub(super) prompts: Vec<UserMessage>,
    /// The command that the prompt called.
    pub(super) command: Option<String>,
    /// Prompts that are about to be folded into the turn.
    pub(super) folding: VecDeque<UserMessage>,
    /// Prompts that the hooks let be folded into the turn.
    pub(super) folded: Vec<UserMessage>,
    /// The UUIDs of the prompts that the turn answers, including those folded
    /// into it.
    pub(super) uuids: Vec<String>,
    /// Whether the lifecycle of the folded prompts has ended.
    pub(super) has_ended_folded: bool,
    /// Whether a model request is pending.
    pub(super) is_requested: bool,
    /// The model of the last request. The host may have set another one since.
    pub(super) requested_model: Option<String>,
    /// Whether the reply was requested without streaming.
    pub(super) is_unstreamed: bool,
    /// Whether the prompts are echoed before the next message.
    pub(super) has_echo_due: bool,
    /// Whether a stream event was sent, and whether a block was sent. The first
    /// stream event and the first block refer to the prompts.
    pub(super) has_streamed: bool,
    pub(super) has_spoken: bool,
    /// The ID of the latest message of the model.
    pub(super) message_id: String,
    /// The IDs of all messages that the model started in the turn, except for
    /// unstreamed ones.
    pub(super) begun: Vec<String>,
    /// The open message of the model.
    pub(super) message: Option<OpenMessage>,
    /// Names of the tools of calls without a result, by tool call ID.
    pub(super) tools: BTreeMap<String, String>,
    /// Tool calls of the last reply that have a result.
    pub(super) batch: Vec<BatchToolCall>,
    /// Whether the conversation was compacted during the turn.
    pub(super) is_summarized: bool,
    /// The event to emit after compaction.
    pub(super) waits_for_summary: Option<Event>,
    /// The incomplete replies of the turn.
    pub(super) unfinished: Unfinished,
    /// The result of the turn, while `StopFailure` hooks are running.
    pub(super) failure: Option<Box<ResultMessage>>,
    /// The structured output of the model, which ends the turn.
    pub(super) structured: Option<Json>,
    /// The number of invalid structured outputs of the model.
    pub(super) unstructured: u64,
    /// Whether the model was asked to call the tool for structured output.
    pub(super) structured_was_requested: bool,
    /// The model that replaces an overloaded model.
    pub(super) fallback: Option<String>,
    /// The number of failed attempts before the fallback model replaced the
    /// overloaded one.
    pub(super) failed_before_fallback: u64,
    /// The stop reason of the model's last reply.
    pub(super) stop_reason: Option<StopReason>,
    /// A deferred tool call, which ends the turn.
    pub(super) deferred: Option<ToolCall>,
    pub(super) denials: Vec<PermissionDenial>,
    pub(super) last_text: String,
    pub(super) requests: u64,
    /// The number of messages with the role `user` that the agent has sent,
    /// such as tool results.
    pub(super) user_messages: u64,
    /// Whether a prompt with the priority `now` waits for running tools.
    pub(super) preempted: bool,
    /// Whether a hook ends the turn after its tool calls.
    pub(super) is_stopped: bool,
    /// Whether a `Stop` hook has prevented the end of the turn.
    pub(super) stop_hook_active: bool,
}

/// The phase of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waiting for the tools of MCP servers.
    Begun,
    /// Hooks check the prompts.
    Checking,
    /// The model is running.
    Running,
    /// Hooks check the end of the turn.
    Stopping,
}

/// An open message of the model.
#[derive(Debug)]
pub(super) struct OpenMessage {
    pub(super) id: String,
    pub(super) index: u64,
    pub(super) block: Option<ContentBlock>,
    pub(super) calls_tools: bool,
    /// Whether the message is sent as a whole, without streaming.
    pub(super) is_whole: bool,
    /// The estimated number of tokens of the open block's thinking.
    pub(super) thought: u64,
}

impl Turn {
    pub(super) fn new(now: Instant, prompt_id: String, prompts: Vec<UserMessage>) -> Self {
        Self {
            started: now,
            prompt_id,
            report: None,
            phase: Phase::Begun,
            waits_until: None,
            prompts,
            command: None,
            folding: VecDeque::new(),
            folded: vec![],
            uuids: vec![],
            has_ended_folded: false,
            is_requested: false,
            requested_model: None,
            is_unstreamed: false,
            has_echo_due: false,
            has_streamed: false,
            has_spoken: false,
            message_id: String::new(),
            begun: vec![],
            message: None,
            tools: BTreeMap::new(),
            batch: vec![],
            is_summarized: false,
            waits_for_summary: None,
            unfinished: Unfinished::default(),
            failure: None,
            structured: None,
            unstructured: 0,
            structured_was_requested: false,
            fallback: None,
            failed_before_fallback: 0,
            stop_reason: None,
            deferred: None,
            denials: vec![],
            last_text: String::new(),
            requests: 0,
            user_messages: 0,
            preempted: false,
            is_stopped: false,
            stop_hook_active: false,
        }
    }

    /// Returns whether the agent started the turn by itself.
    pub(super) fn is_own(&self) -> bool {
        self.prompts.is_empty()
    }

    /// Returns the UUIDs of the prompts that started the turn.
    pub(super) fn first_uuids(&self) -> &[String] {
        let began = self.prompts.iter().filter(|it| it.uuid.is_some()).count();
        &self.uuids[..began.min(self.uuids.len())]
    }

    /// Returns whether several prompts started the turn.
    pub(super) fn is_batch(&self) -> bool {
        self.prompts.len() > 1
    }

    /// Sets the result that ends the turn after the `StopFailure` hooks.
    pub(super) fn fail(&mut self, result: ResultMessage) {
        self.phase = Phase::Stopping;
        self.failure = Some(Box::new(result));
    }

    pub(super) fn note_denial(&mut self, call: &ToolCall, tool_name: String) {
        self.denials.push(wire!(PermissionDenial {
            tool_name,
            tool_use_id: call.id.clone(),
            tool_input: call.input.clone(),
        }));
    }
}

/// Returns the UUID that represents all prompts of a turn. This is the last
/// UUID if several prompts started the turn, otherwise the first.
pub(super) fn representative_uuid(uuids: &[String], is_batch: bool) -> Option<String> {
    let representative_uuid = if is_batch {
        uuids.last()
    } else {
        uuids.first()
    };
    representative_uuid.cloned()
}
