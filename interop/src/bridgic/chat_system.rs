//! Converts messages to and from Bridgic's chat messages.

use super::chat::{
    Arguments, AssistantTextMessage, ChatMessage, FunctionToolCall, UserTextMessage,
};
use super::content::{self, ReplyBlock};
use crate::conversion::{Lost, System, Why};
use crate::{Calls, Message as Ours, arguments, author};
use agentwire_protocol::content::ContentBlock;

/// The system of Bridgic's chat messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct Chat;

impl System for Chat {
    type Item = ChatMessage;

    fn write(&self, _: &Calls, message: &Ours) -> Vec<ChatMessage> {
        match message {
            Ours::Instructions(instructions) => vec![ChatMessage::system(&*instructions.text)],
            Ours::User(message) => {
                let user = content::user(message.message.content.as_ref());
                let mut items: Vec<_> = user
                    .results
                    .into_iter()
                    .map(|(id, text)| ChatMessage::tool(id, text))
                    .collect();
                if !user.texts.is_empty() {
                    let mut text = UserTextMessage {
                        content: content::one_text(&user.texts),
                        ..UserTextMessage::default()
                    };
                    // The library reads the name without declaring it.
                    if let Some(name) = author::name(message) {
                        text.extra.set("name", &*name);
                    }
                    items.push(ChatMessage::User(text));
                }
                items
            }
            Ours::Assistant(message) => vec![write_assistant(&message.message.content)],
            _ => vec![],
        }
    }

    fn joins(&self, before: &[ChatMessage], item: &ChatMessage) -> bool {
        let answers = |item: &ChatMessage| matches!(item, ChatMessage::Tool(_));
        before.last().is_some_and(answers)
            && match item {
                // A message of another author stays separate.
                ChatMessage::User(message) => !author::is_author(name(message).as_deref()),
                item => answers(item),
            }
    }

    fn read(&self, _: &Calls, items: &[ChatMessage]) -> Vec<Ours> {
        let mut results = Vec::new();
        let mut texts = Vec::new();
        let mut by = None;
        for item in items {
            match item {
                ChatMessage::System(message) => return vec![Ours::instructions(&*message.content)],
                ChatMessage::Assistant(message) => return vec![read_assistant(message)],
                ChatMessage::Tool(message) => results.push(ContentBlock::tool_result(
                    &*message.tool_call_id,
                    &*message.content,
                )),
                ChatMessage::User(message) => {
                    texts.push(&*message.content);
                    by = name(message);
                }
                ChatMessage::Unknown(_) => return vec![],
            }
        }
        let is_named = results.is_empty();
        let message = content::of_user(results, texts);
        vec![author::with_author(
            message,
            by.as_deref().filter(|_| is_named),
        )]
    }

    fn note_calls(&self, calls: &mut Calls, item: &ChatMessage) {
        if let ChatMessage::Assistant(message) = item {
            for call in message.tool_calls.iter().flatten() {
                calls.note(&call.id, &call.function.name);
            }
        }
    }

    fn why(&self, path: &str, lost: &Lost) -> Why {
        match lost {
            // The text is preserved, but not its blocks.
            Lost::Item(kind) if kind == "text" => Why::OtherForm,
            _ => crate::conversion::why_of_ours(path, lost),
        }
    }
}

/// Returns the undeclared name of a user message.
fn name(message: &UserTextMessage) -> Option<String> {
    message.extra.get_str("name")
}

fn write_assistant(blocks: &[ContentBlock]) -> ChatMessage {
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for block in content::assistant(blocks) {
        match block {
            ReplyBlock::Text(text) => texts.push(text),
            ReplyBlock::Call(call) => calls.push(FunctionToolCall::new(
                &*call.id,
                &*call.name,
                arguments::arguments_as_written(&call.input),
            )),
        }
    }
    let text = content::one_text(&texts);
    ChatMessage::assistant(Some(text).filter(|text| !text.is_empty()), calls)
}

fn read_assistant(message: &AssistantTextMessage) -> Ours {
    let text = message.content.as_deref().filter(|text| !text.is_empty());
    let mut blocks: Vec<_> = text.map(ContentBlock::text).into_iter().collect();
    for call in message.tool_calls.iter().flatten() {
        let arguments = match &call.function.arguments {
            Arguments::Text(text) => text,
            Arguments::Value(value) => value.get(),
        };
        blocks.push(ContentBlock::tool_use(
            &*call.id,
            &*call.function.name,
            arguments::input_as_written(arguments),
        ));
    }
    Ours::assistant(blocks)
}
