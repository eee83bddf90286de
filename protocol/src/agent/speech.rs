//! What the model says: a message, block by block, and the frames that it is
//! made of.

use super::Agent;
use crate::codec::encode;
use crate::content::{ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock};
use crate::json::Json;
use crate::message::{
    AssistantBody, AssistantError, AssistantMessage, BlockDelta, ContentBlockDelta,
    ContentBlockStart, ContentBlockStop, InputJsonDelta, MessageChange, MessageDelta, MessageStart,
    MessageStop, SignatureDelta, Status, StatusKind, StopReason, StreamEvent, StreamEventMessage,
    TextDelta, ThinkingDelta,
};

/// A message that the model is saying.
#[derive(Debug)]
pub(super) struct OpenMessage {
    id: String,
    pub(super) index: u64,
    pub(super) block: Option<ContentBlock>,
    has_tools: bool,
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
            // The signature comes at the end.
            ContentBlock::Thinking(thinking) => {
                let unsigned = ThinkingBlock {
                    signature: None,
                    ..thinking
                };
                (unsigned.into(), None)
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
            let signature = thinking.signature.get_or_insert("c2lnbmF0dXJl".to_owned());
            let signature = signature.clone();
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
        let reason = self.account.take_stop_reason().unwrap_or(reason);
        self.send_message_end(Some(reason));
    }

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
            usage: Some(self.account.read()),
            ..AssistantBody::default()
        };
        body.extra.set("stop_reason", Json::null());
        body.extra.set("stop_sequence", Json::null());
        body
    }

    pub(super) fn send_event(&mut self, event: StreamEvent) {
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

    pub(super) fn send_message_end(&mut self, reason: Option<StopReason>) {
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
        let usage = Some(self.account.written());
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

    pub(super) fn send_assistant(&mut self, block: ContentBlock, aborted: bool) {
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

    pub(super) fn send_api_error(&mut self, text: &str) {
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
}
