//! A turn of the agent's: how far it is, and what it has heard and said.

use super::call::ToolCall;
use super::event::Event;
use super::unfinished::Unfinished;
use crate::content::ContentBlock;
use crate::hook::BatchToolCall;
use crate::message::{PermissionDenial, ResultMessage, UserMessage};
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// A turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) started: Instant,
    /// What hooks know its prompts by.
    pub(super) prompt_id: String,
    /// The run of a task because of which it began.
    pub(super) run_id: Option<String>,
    pub(super) phase: Phase,
    /// Until when it waits for the tools of MCP servers.
    pub(super) waits_until: Option<Instant>,
    /// The prompts that it began with; none, when the agent began it by
    /// itself.
    pub(super) prompts: Vec<UserMessage>,
    /// Prompts that are about to be folded into it.
    pub(super) folding: VecDeque<UserMessage>,
    /// The prompts that it answers, those that were folded into it included.
    pub(super) uuids: Vec<String>,
    /// Whether the model is asked and has said nothing yet.
    pub(super) is_asked: bool,
    /// Whether it is asked for its answer in one piece.
    pub(super) asks_for_whole: bool,
    /// Whether anything was streamed, and whether a block was sent. The first
    /// of each names the prompts.
    pub(super) has_streamed: bool,
    pub(super) has_spoken: bool,
    /// The id of the message that the model said last, or is saying.
    pub(super) message_id: String,
    /// The ids of all messages that the model began in it, but for those that
    /// came in one piece.
    pub(super) begun: Vec<String>,
    /// The message that the model is saying.
    pub(super) message: Option<OpenMessage>,
    /// Tool calls that have no result yet.
    pub(super) tools: BTreeMap<String, String>,
    /// Tool calls of the last reply that have one.
    pub(super) batch: Vec<BatchToolCall>,
    /// Whether the conversation was summarized in it.
    pub(super) is_summarized: bool,
    /// How it goes on when the conversation is summarized.
    pub(super) waits_for_summary: Option<Event>,
    /// Replies that were not whole.
    pub(super) unfinished: Unfinished,
    /// How it is to end, while hooks hear of the API's failure.
    pub(super) failure: Option<Box<ResultMessage>>,
    /// A tool call that is left to others, so that the turn is to end.
    pub(super) deferred: Option<ToolCall>,
    pub(super) denials: Vec<PermissionDenial>,
    pub(super) last_text: String,
    pub(super) requests: u64,
    /// What the agent sent in the user's name, such as tool results.
    pub(super) user_messages: u64,
    /// Whether a `now` message waits for the running tool to be done.
    pub(super) preempted: bool,
    /// Whether a hook wants it to end when the tools are done.
    pub(super) is_stopped: bool,
    /// Whether it goes on because a hook did not let it end.
    pub(super) stop_hook_active: bool,
}

/// How far a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has prompts, and waits for the tools of MCP servers.
    Begun,
    /// Hooks are asked about its prompts.
    Checking,
    /// The model works on it.
    Running,
    /// Hooks are asked whether it may end.
    Stopping,
}

/// A message that the model is saying.
#[derive(Debug)]
pub(super) struct OpenMessage {
    pub(super) id: String,
    pub(super) index: u64,
    pub(super) block: Option<ContentBlock>,
    pub(super) calls_tools: bool,
    /// Whether it comes in one piece, and is not streamed.
    pub(super) is_whole: bool,
    /// How many tokens its thinking is taken for.
    pub(super) thought: u64,
}

impl Turn {
    pub(super) fn new(now: Instant, prompt_id: String, prompts: Vec<UserMessage>) -> Self {
        Self {
            started: now,
            prompt_id,
            run_id: None,
            phase: Phase::Begun,
            waits_until: None,
            prompts,
            folding: VecDeque::new(),
            uuids: vec![],
            is_asked: false,
            asks_for_whole: false,
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

    /// Whether the agent began it by itself.
    pub(super) fn is_own(&self) -> bool {
        self.prompts.is_empty()
    }

    /// Whether it began with several prompts.
    pub(super) fn is_batch(&self) -> bool {
        self.prompts.len() > 1
    }

    /// It ends with this when hooks have heard of the API's failure.
    pub(super) fn fail(&mut self, result: ResultMessage) {
        self.phase = Phase::Stopping;
        self.failure = Some(Box::new(result));
    }

    pub(super) fn note_denial(&mut self, call: &ToolCall) {
        self.denials.push(PermissionDenial {
            tool_name: call.name.clone(),
            tool_use_id: call.id.clone(),
            tool_input: call.input.clone(),
            extra: Default::default(),
        });
    }
}

/// The message that stands for all of a turn: the last of those that it began
/// with, or the first, into whose turn the others were folded.
pub(super) fn named(uuids: &[String], is_batch: bool) -> Option<String> {
    let named = if is_batch {
        uuids.last()
    } else {
        uuids.first()
    };
    named.cloned()
}
