//! Converts the events of a session to the entries that the page shows.

use agentwire::event::RequestKind;
use agentwire::permission::{Answers, visible};
use agentwire::protocol::content::{Content, ContentBlock};
use agentwire::protocol::message::{AssistantMessage, Priority, ResultMessage, UserMessage};
use agentwire::protocol::permission::{CanUseTool, Question};
use agentwire::{Event, Message, TurnEvent, TurnOutcome};
use serde::Serialize;

/// An entry of the history. `page/app.js` has a function for each type.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    /// The user sent a message.
    Prompt {
        id: String,
        text: String,
        priority: Priority,
    },
    /// The delivery status of a message changed.
    Delivery {
        id: String,
        status: String,
    },
    /// The model wrote this text. More of the same text may follow.
    Text {
        text: String,
    },
    /// The text is complete.
    TextEnd,
    /// The model calls a tool.
    Tool {
        id: String,
        name: String,
        input: String,
    },
    ToolResult {
        id: String,
        text: String,
        is_error: bool,
    },
    /// The agent waits for a permission.
    Permission {
        id: String,
        title: String,
        detail: String,
        reason: Option<String>,
        /// The rules that "always" allows. The list is empty if "always" is not offered.
        always: Vec<String>,
    },
    /// The model waits for answers of the user.
    Question {
        id: String,
        questions: Vec<Question>,
    },
    /// A permission request or a question needs no response any more.
    Settled {
        id: String,
        how: String,
    },
    TurnStarted,
    TurnEnded {
        outcome: String,
        error: Option<String>,
        /// The cost of the session so far, in US dollars.
        cost_usd: Option<f64>,
    },
    Notice {
        text: String,
    },
    /// The session is over.
    Ended {
        error: Option<String>,
    },
}

/// Turns events into entries.
#[derive(Debug, Default)]
pub struct Painter {
    /// Whether the current text arrived piece by piece.
    is_streaming: bool,
}

impl Painter {
    pub fn paint(&mut self, event: &Event) -> Vec<Entry> {
        match event {
            Event::Frame(frame) => self.message(frame.message()),
            Event::Turn(TurnEvent::Started { .. }) => vec![Entry::TurnStarted],
            Event::Turn(TurnEvent::Ended(end)) => {
                let result = end.result();
                let result = result.as_ref();
                // The user caused these ends.
                let is_wanted = matches!(
                    end.outcome,
                    TurnOutcome::Interrupted | TurnOutcome::Preempted
                );
                let failed = result.filter(|_| !is_wanted);
                vec![Entry::TurnEnded {
                    outcome: end.outcome.to_string(),
                    error: failed.and_then(ResultMessage::error_text),
                    cost_usd: result.and_then(ResultMessage::cost_usd),
                }]
            }
            Event::Request(pending) => match &pending.request {
                RequestKind::Permission(request) => vec![ask(&pending.request_id, request)],
                _ => vec![],
            },
            Event::RequestWithdrawn { request_id } => vec![Entry::Settled {
                id: request_id.to_string(),
                how: "withdrawn".to_owned(),
            }],
            Event::Notice(notice) => vec![Entry::Notice {
                text: notice.to_string(),
            }],
            _ => vec![],
        }
    }

    /// Messages of the main conversation; those of sub-agents are not shown.
    fn message(&mut self, message: Message) -> Vec<Entry> {
        if let Some(text) = message.text_delta() {
            self.is_streaming = true;
            let text = text.to_owned();
            return vec![Entry::Text { text }];
        }
        match message {
            Message::Assistant(said) if said.parent_tool_use_id.is_none() => self.blocks(said),
            Message::User(said) if said.parent_tool_use_id.is_none() => results(&said),
            _ => vec![],
        }
    }

    fn blocks(&mut self, said: AssistantMessage) -> Vec<Entry> {
        // The result of the turn also has the error.
        if said.error.is_some() {
            return vec![];
        }
        let mut entries = vec![];
        for block in said.message.content {
            match block {
                ContentBlock::Text(block) => {
                    // Some texts come in one piece, such as the output of `/cost`.
                    if !std::mem::take(&mut self.is_streaming) {
                        entries.push(Entry::Text { text: block.text });
                    }
                    entries.push(Entry::TextEnd);
                }
                ContentBlock::ToolUse(call) => entries.push(Entry::Tool {
                    id: call.id,
                    name: call.name,
                    input: call.input.get().to_owned(),
                }),
                _ => {}
            }
        }
        entries
    }
}

fn results(said: &UserMessage) -> Vec<Entry> {
    let results = said.tool_results().map(|result| Entry::ToolResult {
        id: result.tool_use_id.clone(),
        text: result
            .content
            .as_ref()
            .map_or_else(String::new, Content::text),
        is_error: result.is_error == Some(true),
    });
    results.collect()
}

/// Returns the entry of a permission request. Questions of the model are also permission
/// requests.
fn ask(id: &str, request: &CanUseTool) -> Entry {
    let id = id.to_owned();
    if request.tool_name == "AskUserQuestion"
        && let Ok(answers) = Answers::to(request)
    {
        let questions = answers.questions().to_vec();
        return Entry::Question { id, questions };
    }
    let name = request.display_name.as_ref().unwrap_or(&request.tool_name);
    let title = request.title.clone().unwrap_or(format!("Allow {name}?"));
    // The user decides about the visible text, so characters that hide or reorder text
    // are escaped.
    Entry::Permission {
        id,
        title: visible::line(&title).into_owned(),
        detail: visible::lines(&detail(request)).into_owned(),
        reason: request
            .decision_reason
            .as_deref()
            .map(|it| visible::line(it).into_owned()),
        always: always(request),
    }
}

/// Returns the plan of the model in plan mode. In other modes, returns the tool's input.
fn detail(request: &CanUseTool) -> String {
    let plan = (request.tool_name == "ExitPlanMode")
        .then(|| request.input.member("plan")?.read().ok())
        .flatten();
    plan.unwrap_or_else(|| request.input.get().to_owned())
}

fn always(request: &CanUseTool) -> Vec<String> {
    if request.requires_human() || request.suppress_always_allow_rule == Some(true) {
        return vec![];
    }
    let suggestions = request.permission_suggestions.iter().flatten();
    suggestions
        .map(|it| visible::line(&it.to_string()).into_owned())
        .collect()
}
