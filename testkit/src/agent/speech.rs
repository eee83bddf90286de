//! The output of the model: a message, block by block, and its frames.

use super::Agent;
use super::turn::{OpenMessage, representative_uuid};
use agentwire_protocol::codec::encode;
use agentwire_protocol::content::{ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock};
use agentwire_protocol::json::{Json, Number};
use agentwire_protocol::message::{
    AbandonedBlocks, AssistantBody, AssistantMessage, BlockDelta, ContentBlockDelta,
    ContentBlockStart, ContentBlockStop, InputJsonDelta, MessageChange, MessageDelta, MessageStart,
    MessageStop, SignatureDelta, Status, StatusKind, StopReason, StreamEvent, StreamEventMessage,
    TextDelta, ThinkingDelta, ThinkingTokens, Usage,
};
use agentwire_protocol::model::ThinkingDisplay;

/// The number of pieces in which the input of a tool is streamed.
const INPUT_PIECES: usize = 3;

impl Agent {
    /// Reports a model request to the host, unless it is already reported.
    /// [`Agent::start_message`] calls this method, too.
    pub fn ask_model(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        if turn.is_requested {
            return;
        }
        turn.is_requested = true;
        let model = turn.fallback.as_ref().unwrap_or(&self.config.model);
        turn.requested_model = Some(model.clone());
        turn.requests += 1;
        // The request also reports finished tasks to the model.
        self.unreported.clear();
        let uuids = turn.uuids.clone();
        if self.config.partial_messages {
            self.send_requesting(uuids);
        }
    }

    fn send_requesting(&mut self, uuids: Vec<String>) {
        let status = wire!(Status {
            status: Some(StatusKind::Requesting),
            user_message_uuids: (!uuids.is_empty()).then_some(uuids),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&status));
    }

    /// Records that the request is repeated without streaming.
    pub(super) fn request_unstreamed(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.is_requested = true;
            turn.is_unstreamed = true;
        }
    }

    /// Sets the usage, the cost in dollars and the stop reason of the next
    /// reply. The default stop reason is `tool_use` if the reply calls tools,
    /// otherwise `end_turn`.
    pub fn charge(&mut self, usage: Usage, cost_usd: f64, stop_reason: Option<StopReason>) {
        self.context.charge(&usage);
        let model = self.requested_model().to_owned();
        self.account.charge(&model, usage, cost_usd, stop_reason);
    }

    /// Returns the model of the last request in this turn.
    fn requested_model(&self) -> &str {
        let turn = self.turn.as_ref();
        let model = turn.and_then(|turn| turn.requested_model.as_deref());
        model.unwrap_or_else(|| self.model())
    }

    /// Starts a message of the model. `id` is its ID from the API.
    pub fn start_message(&mut self, id: &str) {
        self.ask_model();
        self.has_history = true;
        self.context.begin_reply();
        let Some(turn) = &mut self.turn else { return };
        turn.is_requested = false;
        turn.message_id = id.to_owned();
        let is_whole = std::mem::take(&mut turn.is_unstreamed);
        if !is_whole {
            turn.begun.push(id.to_owned());
        }
        turn.message = Some(OpenMessage {
            id: id.to_owned(),
            index: 0,
            block: None,
            calls_tools: false,
            is_whole,
            thought: 0,
        });
        let is_first = !std::mem::replace(&mut turn.has_streamed, true);
        let uuids = if is_first { turn.uuids.clone() } else { vec![] };
        let is_batch = turn.is_batch();
        let message = self.body(id.to_owned(), vec![]);
        let start = wire!(MessageStart {
            message: Box::new(message),
        });
        let event = self.event(start.into());
        self.send_stream(wire!(StreamEventMessage {
            user_message_uuid: representative_uuid(&uuids, is_batch),
            owed_rows: (!uuids.is_empty()).then(Vec::new),
            user_message_uuids: (!uuids.is_empty()).then_some(uuids),
            ttft_ms: Some(Number::from(0)),
            thinking_display: self.config.declared.thinking_display.clone(),
            ..event
        }));
    }

    /// Starts a block: empty text, empty thinking, or a complete tool call.
    pub fn start_block(&mut self, block: ContentBlock) {
        let Some(open) = self.open() else { return };
        let index = open.index;
        open.calls_tools |= block.as_tool_use().is_some();
        open.block = Some(block.clone());
        open.thought = 0;
        let (shown, input) = match block {
            ContentBlock::ToolUse(call) => {
                let input = call.input.clone();
                let empty = Json::from(serde_json::Map::new());
                (
                    wire!(ToolUseBlock {
                        input: empty,
                        ..call
                    })
                    .into(),
                    Some(input),
                )
            }
            // The signature is sent at the end of the block.
            ContentBlock::Thinking(thinking) => {
                let unsigned = wire!(ThinkingBlock {
                    signature: Some(String::new()),
                    ..thinking
                });
                (unsigned.into(), None)
            }
            block => (block, None),
        };
        let start = wire!(ContentBlockStart {
            index,
            content_block: shown,
        });
        self.send_event(start.into());
        for partial_json in input.iter().flat_map(|input| pieces(&input.to_string())) {
            let delta = wire!(InputJsonDelta { partial_json });
            self.send_delta(index, delta.into());
        }
    }

    /// Appends a piece to the open text or thinking block.
    pub fn say(&mut self, piece: &str) {
        let Some(open) = self.open() else { return };
        let index = open.index;
        let delta: BlockDelta = match &mut open.block {
            Some(ContentBlock::Text(TextBlock { text, .. })) => {
                text.push_str(piece);
                wire!(TextDelta {
                    text: piece.to_owned(),
                })
                .into()
            }
            Some(ContentBlock::Thinking(ThinkingBlock { thinking, .. })) => {
                thinking.push_str(piece);
                // Estimate: four bytes per token.
                let tokens = piece.len().div_ceil(4) as u64;
                open.thought += tokens;
                let thought = open.thought;
                self.send_thinking_tokens(thought, tokens);
                wire!(ThinkingDelta {
                    thinking: piece.to_owned(),
                    estimated_tokens: None,
                })
                .into()
            }
            _ => return,
        };
        self.send_delta(index, delta);
    }

    /// Completes the open block.
    pub fn stop_block(&mut self) {
        let Some(open) = self.open() else { return };
        let Some(mut block) = open.block.take() else {
            return;
        };
        let index = open.index;
        open.index += 1;
        if let ContentBlock::Thinking(thinking) = &mut block {
            let signature = thinking.signature.get_or_insert("c2NyaXB0ZWQ=".to_owned());
            let signature = signature.clone();
            self.send_delta(index, wire!(SignatureDelta { signature }).into());
        }
        // The host receives the complete block before the `content_block_stop`
        // event.
        self.send_assistant(block, false);
        self.send_event(wire!(ContentBlockStop { index }).into());
    }

    /// Completes the message.
    pub fn stop_message(&mut self) {
        let Some(open) = self.open() else { return };
        let reason = if open.calls_tools {
            StopReason::ToolUse
        } else {
            StopReason::EndTurn
        };
        let id = open.id.clone();
        let reason = self.account.take_stop_reason().unwrap_or(reason);
        if let Some(turn) = &mut self.turn {
            turn.stop_reason = Some(reason.clone());
        }
        self.note_stop(&id, &reason);
        self.send_message_end(Some(reason), None);
    }

    fn open(&mut self) -> Option<&mut OpenMessage> {
        self.turn.as_mut()?.message.as_mut()
    }

    pub(super) fn body(&self, id: String, content: Vec<ContentBlock>) -> AssistantBody {
        let mut body = wire!(AssistantBody {
            id: Some(id),
            kind: Some("message".to_owned()),
            role: Some("assistant".to_owned()),
            model: Some(self.requested_model().to_owned()),
            content,
            usage: Some(self.account.usage_at_start()),
        });
        body.extra.set("stop_reason", Json::null());
        body.extra.set("stop_sequence", Json::null());
        body
    }

    pub(super) fn send_event(&mut self, event: StreamEvent) {
        let event = self.event(event);
        self.send_stream(event);
    }

    fn send_stream(&mut self, event: StreamEventMessage) {
        if self.is_streamed() {
            self.send(encode(&event));
        }
    }

    /// Returns whether the message is streamed to the host.
    fn is_streamed(&self) -> bool {
        let turn = self.turn.as_ref();
        let message = turn.and_then(|turn| turn.message.as_ref());
        self.config.partial_messages && !message.is_some_and(|open| open.is_whole)
    }

    fn send_thinking_tokens(&mut self, tokens: u64, delta: u64) {
        let turn = self.turn.as_ref();
        let open = turn.and_then(|turn| turn.message.as_ref());
        if open.is_some_and(|open| open.is_whole) {
            return;
        }
        let uuid = turn.and_then(|turn| representative_uuid(&turn.uuids, turn.is_batch()));
        let message = wire!(ThinkingTokens {
            estimated_tokens: Some(tokens),
            estimated_tokens_delta: Some(delta),
            user_message_uuid: uuid,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&message));
    }

    /// Returns how thinking is shown, within a thinking block.
    fn shown_thinking(&self) -> Option<ThinkingDisplay> {
        let open = self.turn.as_ref()?.message.as_ref()?;
        matches!(open.block, Some(ContentBlock::Thinking(_)))
            .then(|| self.config.declared.thinking_display.clone())?
    }

    fn event(&mut self, event: StreamEvent) -> StreamEventMessage {
        let shows_thinking = matches!(
            event,
            StreamEvent::ContentBlockStart(_) | StreamEvent::ContentBlockDelta(_)
        );
        let mut message = wire!(StreamEventMessage {
            event,
            parent_tool_use_id: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            api_message_id: self.open().map(|open| open.id.clone()),
            ttft_ms: None,
            user_message_uuid: None,
            user_message_uuids: None,
            resume_reason: None,
            thinking_display: shows_thinking.then(|| self.shown_thinking()).flatten(),
            owed_rows: None,
            abandoned_blocks: None,
        });
        message.extra.set("parent_tool_use_id", Json::null());
        message
    }

    fn send_delta(&mut self, index: u64, delta: BlockDelta) {
        self.send_event(wire!(ContentBlockDelta { index, delta }).into());
    }

    /// Ends the message. If the message was cut off, `first_abandoned` is the
    /// index of its first abandoned block.
    pub(super) fn send_message_end(
        &mut self,
        reason: Option<StopReason>,
        first_abandoned: Option<u64>,
    ) {
        let mut delta = wire!(MessageChange {
            stop_reason: reason,
            stop_sequence: None,
            stop_details: None,
            container: None,
        });
        // The agent itself generates the end of a message that was cut off.
        let is_cut_off = delta.stop_reason.is_none();
        if is_cut_off {
            for member in ["stop_reason", "stop_details", "container"] {
                delta.extra.set(member, Json::null());
            }
        }
        delta.extra.set("stop_sequence", Json::null());
        let mut change = wire!(MessageDelta {
            delta,
            usage: Some(self.account.usage_at_end()),
            context_management: None,
            input_transformations: None,
        });
        if is_cut_off {
            change.extra.set("context_management", Json::null());
        }
        self.send_event(change.into());
        self.send_message_stop(first_abandoned);
    }

    /// Sends the end of the message. The blocks from the index
    /// `first_abandoned` on are abandoned.
    pub(super) fn send_message_stop(&mut self, first_abandoned: Option<u64>) {
        let stop = wire!(MessageStop {});
        let mut stop = self.event(stop.into());
        stop.abandoned_blocks = first_abandoned.and_then(|index| {
            Some(wire!(AbandonedBlocks {
                api_message_id: stop.api_message_id.clone()?,
                from_block_index: Some(index),
            }))
        });
        self.send_stream(stop);
        if let Some(turn) = &mut self.turn {
            turn.message = None;
        }
    }

    pub(super) fn send_assistant(&mut self, block: ContentBlock, aborted: bool) {
        self.replay_due_prompts();
        let Some(turn) = &mut self.turn else { return };
        match &block {
            ContentBlock::Text(text) => turn.last_text.clone_from(&text.text),
            ContentBlock::ToolUse(call) => {
                turn.tools.insert(call.id.clone(), call.name.clone());
                self.used_tools.insert(call.name.clone());
            }
            _ => {}
        }
        let is_first = !std::mem::replace(&mut turn.has_spoken, true);
        let uuids = if is_first { turn.uuids.clone() } else { vec![] };
        let is_batch = turn.is_batch();
        let is_thinking = matches!(block, ContentBlock::Thinking(_));
        let declared = &self.config.declared;
        let thinking_display = declared.thinking_display.clone().filter(|_| is_thinking);
        let thinking_duration_ms = thinking_display.as_ref().map(|_| Number::from(0));
        let call = block.as_tool_use();
        let tool_use_meta = call.and_then(|call| self.mcp.meta(&call.id, &call.name));
        let open = turn.message.as_ref();
        let is_whole = open.is_some_and(|open| open.is_whole);
        let id = open.map(|open| open.id.clone()).unwrap_or_default();
        let mut body = self.body(id, vec![block]);
        body.extra.set("context_management", Json::null());
        let mut message = wire!(AssistantMessage {
            message: body.into(),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            user_message_uuid: representative_uuid(&uuids, is_batch),
            user_message_uuids: (!uuids.is_empty()).then_some(uuids),
            aborted: aborted.then_some(true),
            tool_use_meta,
            thinking_display,
            thinking_duration_ms,
            timestamp: (self.config.timestamp)(),
        });
        message.extra.set("parent_tool_use_id", Json::null());
        if is_whole {
            message.message.stop_reason = self.account.stop_reason().cloned();
        }
        self.context
            .add_message(message.uuid.as_deref().unwrap_or_default());
        self.send(encode(&message));
    }
}

/// Splits the input of a tool into a few pieces of about the same length.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let length = letters.len().div_ceil(INPUT_PIECES).max(1);
    letters.chunks(length).map(String::from_iter).collect()
}
