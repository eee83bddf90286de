//! A turn of the agent's: the frames that it is made of, and their order.

use super::{Agent, Event};
use crate::codec::encode;
use crate::content::{
    Content, ContentBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock,
};
use crate::json::{Json, Number};
use crate::message::{
    AssistantBody, AssistantError, AssistantMessage, BlockDelta, CommandState, ContentBlockDelta,
    ContentBlockStart, ContentBlockStop, InputJsonDelta, MessageChange, MessageDelta,
    MessageOrigin, MessageStart, MessageStop, PermissionDenial, ResultMessage, ResultSubtype,
    SessionState, SignatureDelta, Status, StatusKind, StopReason, StreamEvent, StreamEventMessage,
    TaskNotificationOrigin, TerminalReason, TextDelta, ThinkingDelta, Usage, UserMessage,
};
use std::collections::BTreeMap;
use std::time::Instant;

/// A turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    started: Instant,
    /// The prompts that it answers, those that were folded into it included.
    uuids: Vec<String>,
    /// The message that the model is saying.
    message: Option<OpenMessage>,
    /// Tool calls that have no result yet.
    tools: BTreeMap<String, String>,
    denials: Vec<PermissionDenial>,
    last_text: String,
    requests: u64,
    /// Whether a `now` message waits for the running tool to be done.
    preempted: bool,
    /// Whether the agent began it by itself.
    is_own: bool,
}

/// A message that the model is saying.
#[derive(Debug)]
struct OpenMessage {
    id: String,
    index: u64,
    block: Option<ContentBlock>,
    has_tools: bool,
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
        /// The API's message.
        message: String,
    },
}

impl Turn {
    pub(super) fn note_denial(&mut self, tool_use_id: &str, input: &Json) {
        self.denials.push(PermissionDenial {
            tool_name: self.tools.get(tool_use_id).cloned().unwrap_or_default(),
            tool_use_id: tool_use_id.to_owned(),
            tool_input: input.clone(),
            extra: Default::default(),
        });
    }
}

impl Agent {
    /// The model begins a message, under the id that the API gives it.
    pub fn start_message(&mut self, id: &str) {
        let Some(turn) = &mut self.turn else { return };
        turn.requests += 1;
        let id = id.to_owned();
        let uuids = turn.uuids.clone();
        turn.message = Some(OpenMessage {
            id: id.clone(),
            index: 0,
            block: None,
            has_tools: false,
        });
        let status = Status {
            status: Some(StatusKind::Requesting),
            user_message_uuids: (!uuids.is_empty()).then_some(uuids),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..Status::default()
        };
        self.send(encode(&status));
        let message = self.body(id, vec![]);
        self.send_event(
            MessageStart {
                message: Box::new(message),
                extra: Default::default(),
            }
            .into(),
        );
    }

    /// The model begins a block: empty text, empty thinking, or a tool call,
    /// which is given whole.
    pub fn start_block(&mut self, block: ContentBlock) {
        let Some(open) = self.open() else { return };
        let index = open.index;
        open.has_tools |= block.as_tool_use().is_some();
        open.block = Some(block.clone());
        let (shown, input) = match block {
            ContentBlock::ToolUse(call) => {
                let input = call.input.clone();
                let empty = Json::from(serde_json::Map::new());
                (
                    ToolUseBlock {
                        input: empty,
                        ..call
                    }
                    .into(),
                    Some(input),
                )
            }
            block => (block, None),
        };
        let start = ContentBlockStart {
            index,
            content_block: shown,
            extra: Default::default(),
        };
        self.send_event(start.into());
        if let Some(input) = input {
            let delta = InputJsonDelta {
                partial_json: input.to_string(),
                extra: Default::default(),
            };
            self.send_delta(index, delta.into());
        }
    }

    /// The model says a piece of the text or the thinking that is open.
    pub fn say(&mut self, piece: &str) {
        let Some(open) = self.open() else { return };
        let index = open.index;
        let delta: BlockDelta = match &mut open.block {
            Some(ContentBlock::Text(TextBlock { text, .. })) => {
                text.push_str(piece);
                TextDelta {
                    text: piece.to_owned(),
                    extra: Default::default(),
                }
                .into()
            }
            Some(ContentBlock::Thinking(ThinkingBlock { thinking, .. })) => {
                thinking.push_str(piece);
                ThinkingDelta {
                    thinking: piece.to_owned(),
                    estimated_tokens: None,
                    extra: Default::default(),
                }
                .into()
            }
            _ => return,
        };
        self.send_delta(index, delta);
    }

    /// The open block is whole.
    pub fn stop_block(&mut self) {
        let Some(open) = self.open() else { return };
        let Some(mut block) = open.block.take() else {
            return;
        };
        let index = open.index;
        open.index += 1;
        if let ContentBlock::Thinking(thinking) = &mut block {
            let signature = "c2lnbmF0dXJl".to_owned();
            thinking.signature = Some(signature.clone());
            self.send_delta(
                index,
                SignatureDelta {
                    signature,
                    extra: Default::default(),
                }
                .into(),
            );
        }
        // The whole block comes before the end of its stream.
        self.send_assistant(block, false);
        self.send_event(
            ContentBlockStop {
                index,
                extra: Default::default(),
            }
            .into(),
        );
    }

    /// The message is whole.
    pub fn stop_message(&mut self) {
        let Some(open) = self.open() else { return };
        let reason = if open.has_tools {
            StopReason::ToolUse
        } else {
            StopReason::EndTurn
        };
        self.send_message_end(Some(reason));
    }

    /// A tool answered.
    pub fn finish_tool(&mut self, tool_use_id: &str, answer: &str, is_error: bool) {
        let Some(turn) = &mut self.turn else { return };
        turn.tools.remove(tool_use_id);
        let result = ToolResultBlock {
            tool_use_id: tool_use_id.to_owned(),
            content: Some(Content::from(answer)),
            is_error: Some(is_error),
            toolset_name: None,
            cache_control: None,
            extra: Default::default(),
        };
        self.send_user(result.into(), Some(Json::from(answer)));
    }

    /// All tools have answered: prompts that wait with the priority `next`
    /// are folded into the turn. `false` when the turn is over instead,
    /// because a prompt with the priority `now` waits.
    pub fn finish_tools(&mut self, now: Instant) -> bool {
        let Some(turn) = &self.turn else { return false };
        if turn.preempted {
            self.abort(now, false);
            return false;
        }
        for message in self.queue.fold() {
            self.take_up(&message);
        }
        true
    }

    /// The turn ends by itself.
    pub fn finish_turn(&mut self, now: Instant, ending: &Ending) {
        let result = match ending {
            Ending::Completed => ResultMessage {
                terminal_reason: Some(TerminalReason::Completed),
                stop_reason: Some("end_turn".to_owned()),
                ..ResultMessage::default()
            },
            Ending::ApiError { status, message } => {
                self.send_api_error(message);
                ResultMessage {
                    is_error: true,
                    terminal_reason: Some(TerminalReason::ApiError),
                    api_error_status: Some(*status),
                    result: Some(message.clone()),
                    ..ResultMessage::default()
                }
            }
        };
        self.end_turn(now, result, CommandState::Completed);
    }

    /// A turn begins with the prompts that wait.
    pub(super) fn start_turn(&mut self, now: Instant) {
        let prompts = self.queue.next_turn();
        if prompts.is_empty() {
            self.set_state(SessionState::Idle);
            return self.exit_when_done();
        }
        self.begin_turn(now, prompts);
    }

    /// A turn begins with these prompts; with none, one of the agent's own.
    pub(super) fn begin_turn(&mut self, now: Instant, prompts: Vec<UserMessage>) {
        self.turn = Some(Turn {
            started: now,
            uuids: vec![],
            message: None,
            tools: BTreeMap::new(),
            denials: vec![],
            last_text: String::new(),
            requests: 0,
            preempted: false,
            is_own: prompts.is_empty(),
        });
        for prompt in &prompts {
            self.take_up(prompt);
        }
        let uuids = self
            .turn
            .as_ref()
            .map(|turn| turn.uuids.clone())
            .unwrap_or_default();
        self.send_init(&uuids);
        self.events.push_back(Event::TurnStarted { prompts });
    }

    /// A `now` message came: text is cut off at once, a tool is waited for.
    pub(super) fn preempt(&mut self, now: Instant) {
        let Some(turn) = &mut self.turn else { return };
        if turn.tools.is_empty() {
            self.abort(now, false);
        } else {
            turn.preempted = true;
        }
    }

    /// The turn is cut off: by an interrupt, or by a prompt that could not
    /// wait.
    pub(super) fn abort(&mut self, now: Instant, interrupted: bool) {
        self.take_asks_back();
        let Some(turn) = &mut self.turn else { return };
        let tools = std::mem::take(&mut turn.tools);
        let message = turn.message.as_ref();
        let in_tools = !tools.is_empty() || message.is_none() && turn.requests > 0;
        let open = message.map(|open| (open.index, open.block.clone()));
        let block = open.as_ref().and_then(|(_, block)| block.clone());
        if let Some(block) = block.filter(|block| block.as_tool_use().is_none()) {
            self.send_assistant(block, true);
        }
        for id in tools.into_keys() {
            self.finish_tool(&id, "The tool was not run to its end.", true);
        }
        if interrupted {
            self.send_user(ContentBlock::text("(interrupted)"), None);
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
            self.send_message_end(None);
        }
        let reason = if in_tools {
            TerminalReason::AbortedTools
        } else {
            TerminalReason::AbortedStreaming
        };
        let result = if interrupted {
            ResultMessage {
                subtype: ResultSubtype::ErrorDuringExecution,
                is_error: true,
                errors: Some(vec!["The turn was interrupted.".to_owned()]),
                terminal_reason: self.config.has_queue.then_some(reason),
                ..ResultMessage::default()
            }
        } else {
            ResultMessage {
                terminal_reason: Some(reason),
                ..ResultMessage::default()
            }
        };
        self.events.push_back(Event::TurnAborted);
        self.end_turn(now, result, CommandState::Cancelled);
    }

    /// A prompt becomes part of the turn.
    fn take_up(&mut self, prompt: &UserMessage) {
        let Some(uuid) = &prompt.uuid else { return };
        if !self.config.has_queue {
            return;
        }
        if let Some(turn) = &mut self.turn {
            turn.uuids.push(uuid.clone());
        }
        self.lifecycle(uuid, CommandState::Started);
    }

    fn end_turn(&mut self, now: Instant, mut result: ResultMessage, state: CommandState) {
        let Some(turn) = self.turn.take() else { return };
        let milliseconds = now.saturating_duration_since(turn.started).as_millis();
        self.last_turn_failed = result.terminal_reason == Some(TerminalReason::ApiError);
        if result.subtype == ResultSubtype::Success && result.result.is_none() {
            result.result = Some(turn.last_text);
        }
        if result.stop_reason.is_none() {
            result.extra.set("stop_reason", Json::null());
        }
        result.num_turns = Some(turn.requests);
        result.duration_ms = Some(Number::from(
            u64::try_from(milliseconds).unwrap_or(u64::MAX),
        ));
        result.duration_api_ms = Some(Number::from(0));
        result.total_cost_usd = Some(Number::from(0));
        result.usage = Some(Usage {
            input_tokens: Some(0),
            output_tokens: Some(0),
            ..Usage::default()
        });
        result.model_usage = Some(BTreeMap::new());
        result.permission_denials = Some(turn.denials);
        result.queued_turn_count = Some(self.queue.uuids().len() as u64);
        result.result_index = Some(self.results);
        if turn.is_own {
            let origin = TaskNotificationOrigin::default();
            result.origin = Some(MessageOrigin::TaskNotification(origin));
        }
        result.user_message_uuid = turn.uuids.first().cloned();
        result.user_message_uuids = (!turn.uuids.is_empty()).then(|| turn.uuids.clone());
        result.uuid = Some((self.ids)());
        result.session_id = Some(self.session_id.clone());
        self.results += 1;
        self.send(encode(&result));
        for uuid in &turn.uuids {
            self.lifecycle(uuid, state.clone());
        }
        self.start_turn(now);
    }

    // Frames.

    fn open(&mut self) -> Option<&mut OpenMessage> {
        self.turn.as_mut()?.message.as_mut()
    }

    fn body(&self, id: String, content: Vec<ContentBlock>) -> AssistantBody {
        let mut body = AssistantBody {
            id: Some(id),
            kind: Some("message".to_owned()),
            role: Some("assistant".to_owned()),
            model: Some(self.config.model.clone()),
            content,
            usage: Some(Usage {
                input_tokens: Some(0),
                output_tokens: Some(0),
                ..Usage::default()
            }),
            ..AssistantBody::default()
        };
        body.extra.set("stop_reason", Json::null());
        body.extra.set("stop_sequence", Json::null());
        body
    }

    fn send_event(&mut self, event: StreamEvent) {
        if !self.config.partial_messages {
            return;
        }
        let mut message = StreamEventMessage {
            event,
            parent_tool_use_id: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            api_message_id: self.open().map(|open| open.id.clone()),
            ttft_ms: None,
            user_message_uuid: None,
            user_message_uuids: None,
            resume_reason: None,
            thinking_display: None,
            owed_rows: None,
            abandoned_blocks: None,
            extra: Default::default(),
        };
        message.extra.set("parent_tool_use_id", Json::null());
        self.send(encode(&message));
    }

    fn send_delta(&mut self, index: u64, delta: BlockDelta) {
        self.send_event(
            ContentBlockDelta {
                index,
                delta,
                extra: Default::default(),
            }
            .into(),
        );
    }

    fn send_message_end(&mut self, reason: Option<StopReason>) {
        let mut delta = MessageChange {
            stop_reason: reason,
            stop_sequence: None,
            stop_details: None,
            container: None,
            extra: Default::default(),
        };
        if delta.stop_reason.is_none() {
            delta.extra.set("stop_reason", Json::null());
        }
        let usage = Some(Usage {
            output_tokens: Some(0),
            ..Usage::default()
        });
        self.send_event(
            MessageDelta {
                delta,
                usage,
                context_management: None,
                input_transformations: None,
                extra: Default::default(),
            }
            .into(),
        );
        self.send_event(
            MessageStop {
                extra: Default::default(),
            }
            .into(),
        );
        if let Some(turn) = &mut self.turn {
            turn.message = None;
        }
    }

    fn send_assistant(&mut self, block: ContentBlock, aborted: bool) {
        let Some(turn) = &mut self.turn else { return };
        match &block {
            ContentBlock::Text(text) => turn.last_text.clone_from(&text.text),
            ContentBlock::ToolUse(call) => {
                turn.tools.insert(call.id.clone(), call.name.clone());
            }
            _ => {}
        }
        let uuids = turn.uuids.clone();
        let id = turn
            .message
            .as_ref()
            .map(|open| open.id.clone())
            .unwrap_or_default();
        let mut message = AssistantMessage {
            message: self.body(id, vec![block]),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            user_message_uuid: uuids.first().cloned(),
            user_message_uuids: (!uuids.is_empty()).then_some(uuids),
            aborted: aborted.then_some(true),
            ..AssistantMessage::default()
        };
        message.extra.set("parent_tool_use_id", Json::null());
        self.send(encode(&message));
    }

    fn send_api_error(&mut self, text: &str) {
        let id = (self.ids)();
        let mut message = AssistantMessage {
            message: self.body(id, vec![ContentBlock::text(text)]),
            error: Some(AssistantError::Other),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..AssistantMessage::default()
        };
        message.extra.set("parent_tool_use_id", Json::null());
        self.send(encode(&message));
    }

    fn send_user(&mut self, block: ContentBlock, tool_use_result: Option<Json>) {
        let mut message = UserMessage::new(vec![block]);
        message.tool_use_result = tool_use_result;
        message.uuid = Some((self.ids)());
        message.session_id = Some(self.session_id.clone());
        self.send(encode(&message));
    }
}
