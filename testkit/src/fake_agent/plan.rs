//! The plan of a reply: the list of its actions.

use super::lines;
use crate::scenario::{ApiError, Fault, Load, Step, Streamed, ToolCall};
use crate::script::TakenReply;
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::time::Duration;

/// An action of a reply.
#[derive(Debug)]
pub(super) enum Action {
    /// Requests the next reply of the model.
    AskModel,
    StartMessage(String),
    StartBlock(ContentBlock),
    Say(String),
    StopBlock,
    StopMessage,
    CallTool(String, ToolCall),
    Ask(Json),
    Message(Map<String, Value>),
    Wait(Duration),
    Gate(String),
    /// Breaks the connection to the model.
    Cut,
    Fault(Fault),
    /// Sends messages from this number on.
    Load(Load, u64),
    Fail(ApiError),
    /// Ends the reply. After tool calls, the turn continues.
    EndReply,
}

/// The remaining actions of the current reply.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) actions: VecDeque<Action>,
    /// Whether the reply calls tools.
    pub(super) calls_tools: bool,
    /// Whether the stop reason is `refusal`. The tools of the reply then do not
    /// run.
    is_refused: bool,
}

impl Plan {
    /// Plans a whole reply.
    pub(super) fn from_reply(taken: &TakenReply) -> Self {
        if let Some(error) = taken.refusal() {
            return Self::failing(error.clone());
        }
        let mut plan = Self {
            is_refused: taken.reply.stop_reason.as_deref() == Some("refusal"),
            calls_tools: taken.reply.tool_count() > 0,
            ..Self::default()
        };
        // As on the scripted model, a reply that begins with `cut` sends
        // nothing.
        if !matches!(taken.reply.say.first(), Some(Step::Cut)) {
            plan.push(Action::StartMessage(taken.message_id()));
        }
        let mut tools = 0;
        for step in taken.reply.say.iter().cloned() {
            match step {
                Step::Text(text) => plan.push_block(ContentBlock::text(""), &text),
                Step::Thinking(thinking) => {
                    plan.push_block(
                        lines::empty_thinking_block(thinking.signature),
                        &thinking.text,
                    );
                }
                Step::RedactedThinking(data) => {
                    plan.push(Action::StartBlock(ContentBlock::redacted_thinking(data)));
                    plan.push(Action::StopBlock);
                }
                Step::Tool(call) => {
                    let id = taken.tool_id(tools);
                    let block = ContentBlock::tool_use(&id, &call.name, call.input.clone());
                    plan.push(Action::StartBlock(block));
                    plan.push(Action::StopBlock);
                    if !plan.is_refused {
                        plan.push(Action::CallTool(id, call));
                    }
                    tools += 1;
                }
                Step::WaitMs(time) => plan.push(Action::Wait(Duration::from_millis(time))),
                Step::Cut => {
                    plan.push(Action::Cut);
                    return plan;
                }
                Step::Gate(gate) => plan.push(Action::Gate(gate)),
                Step::Ask(request) => plan.push(Action::Ask(request.into())),
                Step::Message(message) => plan.push(Action::Message(message)),
                Step::Fault(fault) => plan.push(Action::Fault(fault)),
                Step::Load(load) => {
                    plan.push(Action::StartBlock(ContentBlock::text("")));
                    let count = load.count();
                    plan.push(Action::Load(load, 0));
                    plan.push(Action::Say(count));
                    plan.push(Action::StopBlock);
                }
                // An error is the only step of its reply. It is handled above.
                Step::Error(_) => {}
            }
        }
        plan.push(Action::StopMessage);
        plan.push(Action::EndReply);
        plan
    }

    /// Plans an error of the model's server.
    pub(super) fn failing(error: ApiError) -> Self {
        let mut plan = Self::default();
        plan.push(Action::Fail(error));
        plan
    }

    /// Returns whether the turn continues with tool results.
    pub(super) fn runs_tools(&self) -> bool {
        self.calls_tools && !self.is_refused
    }

    fn push(&mut self, action: Action) {
        self.actions.push_back(action);
    }

    fn push_block(&mut self, empty: ContentBlock, text: &Streamed) {
        self.push(Action::StartBlock(empty));
        for piece in text.chunks() {
            if !text.delay().is_zero() {
                self.push(Action::Wait(text.delay()));
            }
            self.push(Action::Say(piece.to_owned()));
        }
        self.push(Action::StopBlock);
    }
}
