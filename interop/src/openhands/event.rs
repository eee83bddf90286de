//! Events of a conversation that are sent to models.

use super::{Content, Message, MessageToolCall, ReasoningItem, Role, TextContent, ThinkingBlock};
use crate::TextOr;
use agentwire_protocol::open::{object, union};

union! {
    /// An event of a conversation. Events that are not sent to models, such as state updates, are
    /// unknown.
    pub enum Event by "kind" {
        /// The system prompt.
        "SystemPromptEvent" => SystemPrompt(SystemPromptEvent),
        /// A message of the user or the model.
        "MessageEvent" => Message(Box<MessageEvent>),
        /// A tool call.
        "ActionEvent" => Action(Box<ActionEvent>),
        /// The result of a tool.
        "ObservationEvent" => Observation(ObservationEvent),
        /// The rejection of a call by the user or a hook.
        "UserRejectObservation" => UserReject(UserRejectObservation),
        /// The failure of a call before its tool ran.
        "AgentErrorEvent" => AgentError(AgentErrorEvent),
        /// The summary of events that were condensed.
        "CondensationSummaryEvent" => CondensationSummary(CondensationSummaryEvent),
    }
}

object! {
    /// The system prompt.
    pub struct SystemPromptEvent tags("kind" = "SystemPromptEvent") {
        /// The static part.
        pub system_prompt: TextContent,
        /// The part that differs between conversations.
        pub dynamic_context: Option<TextContent>,
    }
}

object! {
    /// A message of the user or the model.
    pub struct MessageEvent tags("kind" = "MessageEvent") {
        /// The message.
        pub llm_message: Message,
        /// Texts that the agent's context adds to the message.
        pub extended_content: Option<Vec<TextContent>>,
    }
}

object! {
    /// A tool call.
    pub struct ActionEvent tags("kind" = "ActionEvent") {
        /// The text before the call.
        pub thought: Vec<TextContent>,
        /// The call.
        pub tool_call: MessageToolCall,
        /// The ID of the model's response that contains the call.
        pub llm_response_id: String,
        /// The reasoning before the call.
        pub reasoning_content: Option<String>,
        /// The reasoning before the call, as blocks of the Messages API.
        pub thinking_blocks: Option<Vec<ThinkingBlock>>,
        /// The reasoning before the call, as an item of Responses.
        pub responses_reasoning_item: Option<ReasoningItem>,
    }
}

object! {
    /// The result of a tool.
    pub struct ObservationEvent tags("kind" = "ObservationEvent") {
        /// The name of the tool.
        pub tool_name: String,
        /// The ID of the call.
        pub tool_call_id: String,
        /// The result.
        pub observation: Observation,
        /// Texts that the agent's context adds to the result.
        pub extended_content: Option<Vec<TextContent>>,
    }
}

object! {
    /// The result of a tool. Each tool has its own kind, with more members.
    pub struct Observation {
        /// Texts and images.
        pub content: Option<TextOr<Vec<Content>>>,
        /// Whether the tool failed.
        pub is_error: Option<bool>,
    }
}

object! {
    /// The rejection of a call by the user or a hook.
    pub struct UserRejectObservation tags("kind" = "UserRejectObservation") {
        /// The name of the tool.
        pub tool_name: String,
        /// The ID of the call.
        pub tool_call_id: String,
        /// The reason.
        pub rejection_reason: Option<String>,
    }
}

object! {
    /// The failure of a call before its tool ran.
    pub struct AgentErrorEvent tags("kind" = "AgentErrorEvent") {
        /// The name of the tool.
        pub tool_name: String,
        /// The ID of the call.
        pub tool_call_id: String,
        /// The error.
        pub error: String,
    }
}

object! {
    /// The summary of events that were condensed.
    pub struct CondensationSummaryEvent tags("kind" = "CondensationSummaryEvent") {
        /// The summary.
        pub summary: String,
    }
}

/// The error of a call that has a thought although it is not the first call of its response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("call {0} has a thought and is not the first call of its response")]
#[non_exhaustive]
pub struct MixedThought(
    /// The ID of the call.
    pub String,
);

/// Converts events to messages, like the library's `LLMConvertibleEvent.events_to_messages`. The
/// calls of one response are one message, and so are consecutive messages of the user. Unknown
/// events are skipped.
///
/// The content of an observation is the one that the class `Observation` sends. Tools whose class
/// overrides `to_llm_content` may send more.
///
/// # Errors
///
/// [`MixedThought`] if a call that is not the first one of its response has a thought.
pub fn events_to_messages(events: &[Event]) -> Result<Vec<Message>, MixedThought> {
    let mut messages: Vec<Message> = Vec::new();
    let mut response: Option<&str> = None;
    for event in events {
        let Some(message) = event.to_llm_message() else {
            continue;
        };
        if let Event::Action(action) = event {
            let is_same = response == Some(&*action.llm_response_id);
            response = Some(&action.llm_response_id);
            if let (true, Some(before)) = (is_same, messages.last_mut()) {
                if !action.thought.is_empty() {
                    return Err(MixedThought(action.tool_call.id.clone()));
                }
                let calls = before.tool_calls.get_or_insert_default();
                calls.push(action.tool_call.clone());
                continue;
            }
        } else {
            response = None;
        }
        match messages.last_mut() {
            Some(before) if is_plain(before) && is_plain(&message) => {
                let contents = [before.contents(), message.contents()].concat();
                before.content = Some(TextOr::Other(contents));
            }
            _ => messages.push(message),
        }
    }
    Ok(messages)
}

/// Returns whether a message is a plain user message.
fn is_plain(message: &Message) -> bool {
    message.role == Role::User
        && message.tool_calls.is_none()
        && message.tool_call_id.is_none()
        && message.name.is_none()
}

/// The header of results that are errors.
const FAILED: &str = "[An error occurred during execution.]\n";

impl Event {
    /// Returns the message of this single event. Returns `None` for unknown events.
    #[must_use]
    pub fn to_llm_message(&self) -> Option<Message> {
        Some(match self {
            Self::SystemPrompt(event) => {
                let parts = [Some(&event.system_prompt), event.dynamic_context.as_ref()];
                let parts = parts.into_iter().flatten();
                message(Role::System, parts.cloned().map(Content::from).collect())
            }
            Self::Message(event) => {
                let mut message = event.llm_message.clone();
                if let Some(more) = event.extended_content.as_ref().filter(|it| !it.is_empty()) {
                    let more = more.iter().cloned().map(Content::from);
                    let contents = message.contents().iter().cloned().chain(more).collect();
                    message.content = Some(TextOr::Other(contents));
                }
                message
            }
            Self::Action(event) => {
                let thought = event.thought.iter().cloned().map(Content::from);
                let mut message = message(Role::Assistant, thought.collect());
                message.tool_calls = Some(vec![event.tool_call.clone()]);
                message
                    .reasoning_content
                    .clone_from(&event.reasoning_content);
                message.thinking_blocks.clone_from(&event.thinking_blocks);
                message
                    .responses_reasoning_item
                    .clone_from(&event.responses_reasoning_item);
                message
            }
            Self::Observation(event) => {
                let is_error = event.observation.is_error == Some(true);
                let mut contents: Vec<Content> = is_error
                    .then(|| Content::text(FAILED))
                    .into_iter()
                    .collect();
                match &event.observation.content {
                    None => {}
                    Some(TextOr::Text(text)) => contents.push(Content::text(text)),
                    Some(TextOr::Other(list)) => contents.extend(list.iter().cloned()),
                }
                let more = event.extended_content.iter().flatten();
                contents.extend(more.cloned().map(Content::from));
                result(&event.tool_name, &event.tool_call_id, contents)
            }
            Self::UserReject(event) => {
                let reason = event.rejection_reason.as_deref();
                let reason = reason.unwrap_or("User rejected the action");
                let text = Content::text(format!("Action rejected: {reason}"));
                result(&event.tool_name, &event.tool_call_id, vec![text])
            }
            Self::AgentError(event) => {
                let text = Content::text(&*event.error);
                result(&event.tool_name, &event.tool_call_id, vec![text])
            }
            Self::CondensationSummary(event) => {
                message(Role::User, vec![Content::text(&*event.summary)])
            }
            Self::Unknown(_) => return None,
        })
    }
}

fn message(role: Role, contents: Vec<Content>) -> Message {
    let mut message = Message::new(role);
    message.content = Some(TextOr::Other(contents));
    message
}

fn result(tool: &str, call: &str, contents: Vec<Content>) -> Message {
    let mut message = message(Role::Tool, contents);
    message.name = Some(tool.to_owned());
    message.tool_call_id = Some(call.to_owned());
    message
}
