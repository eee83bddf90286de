//! What a reply of the script is to the player: what happens, one thing after
//! the other.

use super::lines;
use crate::scenario::{ApiError, Fault, Load, Step, Streamed, ToolCall};
use crate::script::Taken;
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::time::Duration;

/// One thing that happens in a reply.
#[derive(Debug)]
pub(super) enum Action {
    /// The model is asked, and the next reply is taken.
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
    /// The connection to the model breaks: it is asked the same again.
    Cut,
    Fault(Fault),
    /// Messages from this number on.
    Load(Load, u64),
    Fail(ApiError),
    /// The reply is over; with tool calls, the turn goes on after them.
    Over,
}

/// What is left of a reply that is being played.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) actions: VecDeque<Action>,
    /// Whether the reply calls tools.
    pub(super) calls_tools: bool,
    /// Whether the model refuses in the end, so that they do not run.
    is_refused: bool,
}

impl Plan {
    /// All of a reply.
    pub(super) fn of(taken: &Taken) -> Self {
        if let Some(error) = taken.refusal() {
            // The model never begins to speak.
            return Self::failing(error.clone());
        }
        let mut plan = Self {
            is_refused: taken.reply.stop_reason.as_deref() == Some("refusal"),
            calls_tools: taken.reply.tool_count() > 0,
            ..Self::default()
        };
        // As the scripted model has it: a reply that begins so says nothing.
        if !matches!(taken.reply.say.first(), Some(Step::Cut)) {
            plan.push(Action::StartMessage(taken.message_id()));
        }
        let mut tools = 0;
        for step in taken.reply.say.iter().cloned() {
            match step {
                Step::Text(text) => plan.push_block(ContentBlock::text(""), &text),
                Step::Thinking(thinking) => {
                    plan.push_block(lines::signed(thinking.signature), &thinking.text);
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
                // It is the only step of its reply, and was met above.
                Step::Error(_) => {}
            }
        }
        plan.push(Action::StopMessage);
        plan.push(Action::Over);
        plan
    }

    /// That the model's server fails with this.
    pub(super) fn failing(error: ApiError) -> Self {
        let mut plan = Self::default();
        plan.push(Action::Fail(error));
        plan
    }

    /// Whether the turn goes on with what tools answer.
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
