//! The authors of messages with the role of a user.
//!
//! Many of these messages were not written by a user, such as notifications, summaries and feedback
//! of hooks. Other systems have no role for them. If a system has names, the author becomes the
//! name of the message. Otherwise, the author becomes a tag before the text. A text of the user
//! that begins like a tag gets the tag of the user, so that it is never read as another author's.

use crate::Message;
use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::message::{MessageOrigin, UserMessage};
use agentwire_protocol::transcript::Author;
use agentwire_protocol::{Json, Members};
use std::borrow::Cow;

/// The prefix of authors' names. The user has no name.
const PREFIX: &str = "agentwire-";

/// The beginning and the end of a tag, which enclose the name without the prefix.
const TAG: [&str; 2] = ["[agentwire: written by ", "]"];

/// The name in the tag of a text of the user.
const USER: &str = "user";

/// The names of authors that have no origin.
const AUTHORS: [(&str, Author); 5] = [
    ("summary", Author::Summary),
    ("hook", Author::Hook),
    ("command", Author::Command),
    ("agent", Author::Agent),
    ("notification", Author::Notification),
];

/// The maximum length of a name in Chat Completions.
const MAX_NAME: usize = 64;

/// Returns the name of a message's author. Returns `None` for the user and tools.
pub(crate) fn name(message: &UserMessage) -> Option<String> {
    Some(format!("{PREFIX}{}", author_name(message)?))
}

/// Returns the authors other than user, tool and model, with the index of their message. If the
/// agent wrote a text in place of the model, the model of the text is `<synthetic>`.
pub(crate) fn other_authors<'m>(
    messages: impl IntoIterator<Item = (usize, &'m Message)>,
) -> Vec<(usize, String)> {
    let other = |message: &Message| match message {
        Message::User(message) => author_name(message),
        Message::Assistant(message) => {
            let is_agents = message.message.model.as_deref() == Some("<synthetic>");
            is_agents.then(|| "agent".to_owned())
        }
        _ => None,
    };
    let messages = messages.into_iter();
    messages
        .filter_map(|(index, message)| Some((index, other(message)?)))
        .collect()
}

/// Returns the author's name without the prefix.
fn author_name(message: &UserMessage) -> Option<String> {
    let author = message.author();
    if author == Author::Notification {
        let origin = message.origin.as_ref();
        let Some(kind) = origin.and_then(MessageOrigin::tag) else {
            return Some("task-notification".to_owned());
        };
        let is_name = is_origin(&kind);
        return Some(if is_name { &*kind } else { "notification" }.to_owned());
    }
    let mut authors = AUTHORS.iter();
    let (name, _) = authors.find(|(_, it)| *it == author)?;
    Some((*name).to_owned())
}

/// Returns whether an origin can have this name.
fn is_origin(name: &str) -> bool {
    let is_in_names = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    let is_other = |it: &(&str, Author)| it.0 == name;
    !name.is_empty()
        && PREFIX.len() + name.len() <= MAX_NAME
        && name.chars().all(is_in_names)
        && name != USER
        && name != "human"
        && !AUTHORS.iter().any(is_other)
}

/// Returns whether an author has this name.
pub(crate) fn is_author(name: Option<&str>) -> bool {
    let name = name.and_then(|name| name.strip_prefix(PREFIX));
    name.is_some_and(|name| is_origin(name) || AUTHORS.iter().any(|(it, _)| *it == name))
}

/// Sets the author with this name.
pub(crate) fn with_author(mut message: Message, name: Option<&str>) -> Message {
    if is_author(name)
        && let Some(name) = name.and_then(|name| name.strip_prefix(PREFIX))
        && let Message::User(message) = &mut message
    {
        set(message, name);
    }
    message
}

fn set(message: &mut UserMessage, name: &str) {
    message.is_synthetic = Some(true);
    match AUTHORS.iter().find(|(it, _)| *it == name) {
        Some((_, Author::Summary)) => {
            let yes = serde_json::Value::Bool(true);
            message.extra.set("isCompactSummary", yes);
        }
        Some((_, Author::Notification)) | None => message.origin = origin(name),
        Some(_) => {}
    }
}

fn origin(kind: &str) -> Option<MessageOrigin> {
    let mut members = Members::default();
    members.set("kind", kind);
    Json::from_value(&members).ok()?.read().ok()
}

/// Adds a tag before the first text, for systems without names. A tag is needed if an author wrote
/// the message, or if the text begins like a tag.
pub(crate) fn with_tag(message: &Message) -> Cow<'_, Message> {
    let Message::User(user) = message else {
        return Cow::Borrowed(message);
    };
    let Some(content) = &user.message.content else {
        return Cow::Borrowed(message);
    };
    let first = match content {
        Content::Text(text) => Some(&**text),
        Content::Blocks(blocks) => blocks.iter().find_map(ContentBlock::as_text),
    };
    let name = author_name(user).or_else(|| tag(first?).map(|_| USER.to_owned()));
    let Some(name) = name else {
        return Cow::Borrowed(message);
    };
    let [before, after] = TAG;
    let tag = format!("{before}{name}{after}");
    let mut user = user.clone();
    match &mut user.message.content {
        Some(Content::Text(text)) => *text = format!("{tag}\n{text}"),
        Some(Content::Blocks(blocks)) => match first_text(blocks) {
            Some((_, text)) => *text = format!("{tag}\n{text}"),
            None => blocks.insert(0, ContentBlock::text(tag)),
        },
        None => {}
    }
    Cow::Owned(Message::User(user))
}

/// Removes the tag of a message and sets the author that it names.
pub(crate) fn without_tag(mut message: Message) -> Message {
    if let Message::User(user) = &mut message
        && let Some(name) = take_tag(user)
        && name != USER
    {
        set(user, &name);
    }
    message
}

fn take_tag(message: &mut UserMessage) -> Option<String> {
    let content = message.message.content.as_mut()?;
    let (index, text) = match content {
        Content::Text(text) => (None, text),
        Content::Blocks(blocks) => {
            let (index, text) = first_text(blocks)?;
            (Some(index), text)
        }
    };
    let (name, rest) = tag(text)?;
    let name = name.to_owned();
    match (rest.map(str::to_owned), index) {
        (Some(rest), _) => *text = rest,
        (None, None) => text.clear(),
        (None, Some(index)) => {
            if let Content::Blocks(blocks) = content {
                blocks.remove(index);
            }
        }
    }
    Some(name)
}

/// Returns the first text, and its index.
fn first_text(blocks: &mut [ContentBlock]) -> Option<(usize, &mut String)> {
    let mut blocks = blocks.iter_mut().enumerate();
    blocks.find_map(|(index, block)| match block {
        ContentBlock::Text(block) => Some((index, &mut block.text)),
        _ => None,
    })
}

/// Returns whether a text begins with the tag of an author.
pub(crate) fn is_tagged(text: &str) -> bool {
    tag(text).is_some_and(|(name, _)| name != USER)
}

/// Returns the name in the tag of a text, and the text after it.
fn tag(text: &str) -> Option<(&str, Option<&str>)> {
    let [before, after] = TAG;
    let (name, rest) = text.strip_prefix(before)?.split_once(after)?;
    let is_name = name == USER || is_author(Some(&format!("{PREFIX}{name}")));
    match rest.strip_prefix('\n') {
        _ if !is_name => None,
        Some(rest) => Some((name, Some(rest))),
        None => rest.is_empty().then_some((name, None)),
    }
}
