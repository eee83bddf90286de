//! A turn of the agent's: how it ends, by itself or cut off.

use super::answer::ToolAnswer;
use super::call::ToolCall;
use super::failure::Failure;
use super::hooks::{Occasion, Verdict, line};
use super::speech::{OpenMessage, named};
use super::task::Task;
use super::unfinished::Unfinished;
use super::{Agent, Event, ruling};
use crate::codec::encode;
use crate::content::ContentBlock;
use crate::hook::{BatchToolCall, Stop};
use crate::json::{Json, Number};
use crate::message::{
    CommandState, ContentBlockStop, InformationalLevel, MessageOrigin, NotificationMessage,
    NotificationPriority, PermissionDenial, ResultMessage, ResultSubtype, TaskNotificationOrigin,
    TerminalReason, ToolResultMeta, UserMessage,
};
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// A turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    started: Instant,
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
    denials: Vec<PermissionDenial>,
    pub(super) last_text: String,
    pub(super) requests: u64,
    /// What the agent sent in the user's name, such as tool results.
    user_messages: u64,
    /// Whether a `now` message waits for the running tool to be done.
    pub(super) preempted: bool,
    /// Whether a hook wants it to end when the tools are done.
    pub(super) is_stopped: bool,
    /// Whether it goes on because a hook did not let it end.
    stop_hook_active: bool,
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

/// How a turn ends that nobody cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The model is done.
    Completed,
    /// The API failed.
    ApiError {
        /// The HTTP status.
        status: u16,
        /// The API's name for it, such as `overloaded_error`.
        kind: String,
        /// The API's message.
        message: String,
    },
    /// There is no key for the API, so that it was not asked.
    NoKey,
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

impl Agent {
    /// The turn ends by itself, if the hooks let it, and if the model's last
    /// reply came to its end: [`Event::TurnContinued`] says that it goes on.
    pub fn finish_turn(&mut self, now: Instant, ending: &Ending) {
        if *ending == Ending::Completed && self.resume(now) {
            return;
        }
        let Some(turn) = self.turn.as_mut() else {
            return;
        };
        match ending {
            Ending::Completed => {
                turn.phase = Phase::Stopping;
                let stop = Stop {
                    stop_hook_active: Some(turn.stop_hook_active),
                    last_assistant_message: Some(turn.last_text.clone()),
                    background_tasks: Some(self.tasks.iter().map(Task::summary).collect()),
                    session_crons: Some(vec![]),
                    ..Stop::default()
                };
                self.raise(now, Occasion::Stop, None, stop, None);
            }
            Ending::ApiError {
                status,
                kind,
                message,
            } => self.end_failed(now, Failure::of_api(*status, kind, message)),
            Ending::NoKey => self.end_failed(now, Failure::no_key()),
        }
    }

    /// The hooks for the end of the turn have answered.
    pub(super) fn stop_checked(&mut self, now: Instant, verdict: Verdict) {
        let Some(turn) = &mut self.turn else { return };
        let goes_on = verdict.stop.is_none() && (verdict.has_context || !verdict.blocks.is_empty());
        if goes_on {
            turn.phase = Phase::Running;
            turn.stop_hook_active = true;
        }
        self.tell("Stop", verdict.messages);
        if verdict.timed_out {
            let content = "Stop says: a hook did not answer in time, and the turn ended.";
            self.inform(line(InformationalLevel::Notice, content.to_owned()));
        }
        let blocks = !verdict.blocks.is_empty();
        for reason in verdict.blocks {
            let text = ContentBlock::text(format!("Stop hook feedback:\n{reason}"));
            self.send_user_message(UserMessage::new(vec![text]).synthetic());
        }
        if blocks {
            self.notify("stop-hook-error", "A stop hook wants the turn to go on.");
        }
        if goes_on {
            self.go_to_model(now, Event::TurnContinued);
        } else if verdict.stop.is_some() {
            self.end_early(now, TerminalReason::StopHookPrevented, "end_turn");
        } else {
            self.end_turn(now, completed(), CommandState::Completed);
        }
    }

    /// The turn ends before the model is done, for this reason.
    pub(super) fn end_early(&mut self, now: Instant, reason: TerminalReason, stop_reason: &str) {
        let result = ResultMessage {
            terminal_reason: Some(reason),
            stop_reason: Some(stop_reason.to_owned()),
            ..ResultMessage::default()
        };
        self.end_turn(now, result, CommandState::Completed);
    }

    /// The turn ends without having come to the model.
    pub(super) fn end_without_model(&mut self, now: Instant, command: Option<&str>, text: &str) {
        let result = ResultMessage {
            local_command: command.map(str::to_owned),
            result: Some(text.to_owned()),
            ..ResultMessage::default()
        };
        self.end_turn(now, result, CommandState::Completed);
    }

    /// A `now` message came: text is cut off at once, a tool is waited for.
    ///
    /// What the host was asked is taken back first, before it hears of the
    /// message; `hear` tells it.
    pub(super) fn preempt(&mut self, now: Instant, hear: impl FnOnce(&mut Self)) {
        let is_checked = |it: &Occasion| matches!(it, Occasion::BeforeTool(_));
        let is_checked = self.hooks.is_asked(is_checked);
        let Some(turn) = &mut self.turn else { return };
        if turn.tools.is_empty() || is_checked {
            self.take_requests_back();
            hear(self);
            self.abort(now, false);
        } else {
            turn.preempted = true;
            let calls = self.withdraw_asks();
            hear(self);
            self.deny_withdrawn(now, &calls);
        }
    }

    /// The turn is cut off: by an interrupt, or by a prompt that could not
    /// wait.
    pub(super) fn abort(&mut self, now: Instant, interrupted: bool) {
        self.take_requests_back();
        self.calls.retain(|_, open| open.owner.is_some());
        let Some(turn) = &mut self.turn else { return };
        self.queue.put_back(turn.folding.drain(..));
        match turn.phase {
            Phase::Begun | Phase::Checking if interrupted => {
                self.events.push_back(Event::TurnAborted);
            }
            Phase::Begun | Phase::Checking => {
                // The model has not seen the prompts, so they wait again.
                self.queue.put_back(turn.prompts.drain(..));
                let uuids = std::mem::take(&mut turn.uuids);
                self.turn = None;
                self.send_init(&uuids);
                return self.start_turn(now);
            }
            Phase::Stopping if turn.failure.is_some() => return self.end_after_failure(now),
            Phase::Stopping => {
                self.events.push_back(Event::TurnAborted);
                return self.end_turn(now, completed(), CommandState::Cancelled);
            }
            Phase::Running => self.events.push_back(Event::TurnAborted),
        }
        let is_new = turn.phase != Phase::Running;
        let tools = std::mem::take(&mut turn.tools);
        let message = turn.message.as_ref();
        let in_tools =
            !tools.is_empty() || message.is_none() && turn.requests > 0 && !turn.is_asked;
        let has_text = |open: &OpenMessage| matches!(open.block, Some(ContentBlock::Text(_)));
        // What was said of a text is kept, and nothing else.
        let void = message.map(|open| open.index + u64::from(has_text(open)));
        let open = message.map(|open| (open.index, open.block.clone()));
        let block = open.as_ref().and_then(|(_, block)| block.clone());
        if is_new {
            let uuids = turn.uuids.clone();
            self.send_init(&uuids);
        }
        if let Some(block) = block.filter(|block| matches!(block, ContentBlock::Text(_))) {
            self.send_assistant(block, true);
        }
        for id in tools.into_keys() {
            let answer = ToolAnswer::error("The tool was not run to its end.");
            self.send_tool_result(&id, answer, Some(ruling::cut_off(&id, interrupted)));
        }
        if interrupted {
            let text = ContentBlock::text("(It was interrupted.)");
            self.send_user_message(UserMessage::new(vec![text]));
        }
        if let Some((index, block)) = open {
            if block.is_some() {
                self.send_event(
                    ContentBlockStop {
                        index,
                        extra: Default::default(),
                    }
                    .into(),
                );
            }
            self.send_message_end(None, void);
        }
        let reason = if in_tools {
            TerminalReason::AbortedTools
        } else {
            TerminalReason::AbortedStreaming
        };
        let stop_reason = in_tools.then(|| "tool_use".to_owned());
        let result = if interrupted {
            ResultMessage {
                subtype: ResultSubtype::ErrorDuringExecution,
                is_error: true,
                errors: Some(vec!["The turn was interrupted.".to_owned()]),
                terminal_reason: self.config.has_queue.then_some(reason),
                stop_reason,
                ..ResultMessage::default()
            }
        } else {
            ResultMessage {
                terminal_reason: Some(reason),
                stop_reason,
                ..ResultMessage::default()
            }
        };
        self.end_turn(now, result, CommandState::Cancelled);
    }

    pub(super) fn end_turn(
        &mut self,
        now: Instant,
        mut result: ResultMessage,
        state: CommandState,
    ) {
        let Some(turn) = self.turn.take() else { return };
        self.calls.retain(|_, open| open.owner.is_some());
        let milliseconds = now.saturating_duration_since(turn.started).as_millis();
        self.last_turn_failed = matches!(
            result.terminal_reason,
            Some(
                TerminalReason::ApiError
                    | TerminalReason::ImageError
                    | TerminalReason::BlockingLimit
            )
        );
        let (is_own, is_batch) = (turn.is_own(), turn.is_batch());
        if result.subtype == ResultSubtype::Success && result.result.is_none() {
            result.result = Some(turn.last_text);
        }
        if result.stop_reason.is_none() {
            result.extra.set("stop_reason", Json::null());
        }
        let asked = turn.requests > 0;
        result.num_turns = Some(if asked { 1 + turn.user_messages } else { 0 });
        result.duration_ms = Some(Number::from(
            u64::try_from(milliseconds).unwrap_or(u64::MAX),
        ));
        result.duration_api_ms = Some(Number::from(0));
        result.total_cost_usd = Some(self.account.cost_usd());
        result.usage = Some(self.account.take_turn());
        let window = self.config.context_window;
        result.model_usage = Some(self.account.models(window));
        result.model_usage_since_last_result = Some(self.account.take_models(window));
        result.permission_denials = Some(turn.denials);
        // Messages that wait are none of these.
        result.queued_turn_count = Some(0);
        result.result_index = Some(self.results);
        result.begun_message_ids = asked.then_some(turn.begun);
        if is_own {
            let origin = TaskNotificationOrigin {
                run_id: turn.run_id,
                producer: Some("session-task".to_owned()),
                ..TaskNotificationOrigin::default()
            };
            result.origin = Some(MessageOrigin::TaskNotification(origin));
        }
        result.user_message_uuid = named(&turn.uuids, is_batch);
        result.user_message_uuids = (!turn.uuids.is_empty()).then(|| turn.uuids.clone());
        result.uuid = Some((self.ids)());
        result.session_id = Some(self.session_id.clone());
        self.results += 1;
        // Those that were folded in are done before the result, and those that
        // the turn began with after it.
        let began = turn
            .prompts
            .iter()
            .filter_map(|it| it.uuid.as_ref())
            .count();
        let (first, folded) = turn.uuids.split_at(began.min(turn.uuids.len()));
        for uuid in folded {
            self.lifecycle(uuid, state.clone());
        }
        self.send(encode(&result));
        for uuid in first {
            self.lifecycle(uuid, state.clone());
        }
        self.start_turn(now);
    }

    // Frames.

    /// Sends what a tool answered.
    pub(super) fn send_tool_result(
        &mut self,
        id: &str,
        answer: ToolAnswer,
        meta: Option<ToolResultMeta>,
    ) {
        let Some(turn) = &mut self.turn else { return };
        turn.tools.remove(id);
        let (result, data) = answer.into_block(id);
        let mut message = UserMessage::new(vec![result.into()]);
        message.tool_use_result = Some(data);
        message.tool_result_meta = meta.map(|meta| vec![meta]);
        self.send_user_message(message);
    }

    /// Sends something in the user's name.
    pub(super) fn send_user_message(&mut self, mut message: UserMessage) {
        if let Some(turn) = &mut self.turn {
            turn.user_messages += 1;
        }
        let uuid = message.uuid.take().unwrap_or_else(|| (self.ids)());
        self.context.add(&uuid);
        message.uuid = Some(uuid);
        message.session_id = Some(self.session_id.clone());
        self.send(encode(&message));
    }

    fn notify(&mut self, key: &str, text: &str) {
        let notification = NotificationMessage {
            key: key.to_owned(),
            text: text.to_owned(),
            priority: Some(NotificationPriority::Immediate),
            color: None,
            timeout_ms: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            extra: Default::default(),
        };
        self.send(encode(&notification));
    }
}

/// How a turn ends with which the model is done.
fn completed() -> ResultMessage {
    ResultMessage {
        terminal_reason: Some(TerminalReason::Completed),
        stop_reason: Some("end_turn".to_owned()),
        ..ResultMessage::default()
    }
}
