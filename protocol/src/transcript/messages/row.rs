//! A record as the official SDK reads it. Any member may have any value.

use super::value::{elements, is, is_true, is_truthy, key, object, string};
use crate::{Json, Members};

/// The kinds of records that form a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    Progress,
    System,
    Attachment,
}

impl Kind {
    fn of(members: &Members) -> Option<Self> {
        Some(match &*string(members.get("type"))? {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "progress" => Self::Progress,
            "system" => Self::System,
            "attachment" => Self::Attachment,
            _ => return None,
        })
    }
}

/// A record in the tree.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) kind: Kind,
    /// The ID of the record, as [`key`].
    pub(super) uuid: Box<str>,
    /// The member `parentUuid`, as [`key`]. `None` if it is absent.
    pub(super) parent: Option<Box<str>>,
    pub(super) members: Members,
    /// The blocks of the record's message.
    pub(super) content: Vec<Json>,
}

impl Row {
    /// Reads a record. Returns `None` if it does not belong to a conversation.
    pub(super) fn of(members: Members) -> Option<Self> {
        let kind = Kind::of(&members)?;
        let uuid = members.get("uuid").filter(|it| it.get().starts_with('"'))?;
        Some(Self {
            kind,
            uuid: key(uuid),
            parent: members.get("parentUuid").map(key),
            content: match kind {
                Kind::User | Kind::Assistant => content(&members),
                _ => Vec::new(),
            },
            members,
        })
    }

    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        self.members.get(name)
    }

    pub(super) fn is_message(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }

    /// Returns whether the record belongs to another conversation, of a
    /// sub-agent or a teammate.
    pub(super) fn is_of_other_conversation(&self) -> bool {
        is_truthy(self.get("isSidechain")) || is_truthy(self.get("teamName"))
    }

    pub(super) fn is_meta(&self) -> bool {
        is_truthy(self.get("isMeta"))
    }

    /// Returns the ID of the model's message, as [`key`].
    pub(super) fn message_id(&self) -> Option<Box<str>> {
        if self.kind != Kind::Assistant {
            return None;
        }
        let id = self.get("message")?.member("id")?;
        id.get().starts_with('"').then(|| key(&id))
    }

    /// Returns the IDs in `member` of the blocks with this type, as [`key`].
    pub(super) fn ids(&self, kind: &str, member: &str) -> Vec<Box<str>> {
        let of_kind = |block: &&Json| is(block.member("type").as_ref(), kind);
        let blocks = self.content.iter().filter(of_kind);
        let ids = blocks.filter_map(|block| block.member(member));
        let ids = ids.filter(|id| id.get().starts_with('"'));
        ids.map(|id| key(&id)).collect()
    }

    pub(super) fn calls(&self) -> Vec<Box<str>> {
        self.ids("tool_use", "id")
    }

    pub(super) fn answers(&self) -> Vec<Box<str>> {
        self.ids("tool_result", "tool_use_id")
    }

    /// Returns whether the record contains a tool result.
    pub(super) fn has_result(&self) -> bool {
        self.kind == Kind::User
            && self
                .content
                .iter()
                .any(|block| is(block.member("type").as_ref(), "tool_result"))
    }

    /// Returns the attachment, if the record has one of this type.
    pub(super) fn attachment(&self, kind: &str) -> Option<&Json> {
        let attachment = self
            .get("attachment")
            .filter(|_| self.kind == Kind::Attachment)?;
        is(attachment.member("type").as_ref(), kind).then_some(attachment)
    }

    /// Returns the time when the record was written. Empty if there is none.
    pub(super) fn timestamp(&self) -> String {
        string(self.get("timestamp")).unwrap_or_default()
    }

    /// Returns whether the model ended a turn with this record and needs no
    /// reply.
    pub(super) fn is_quiet(&self) -> bool {
        if self.kind != Kind::Assistant || !is_true(self.get("closesQuietTurn")) {
            return false;
        }
        let [block] = &*self.content else {
            return false;
        };
        let text = block.member("text");
        is(block.member("type").as_ref(), "text")
            && (is(text.as_ref(), "") || is(text.as_ref(), "No response requested."))
    }
}

fn content(members: &Members) -> Vec<Json> {
    let message = members.get("message");
    elements(message.and_then(|it| it.member("content")).as_ref())
}

/// Converts a record of a voice call, which has the type `system`, to the
/// user's message or the queued prompt in it.
pub(super) fn voice_message(mut members: Members) -> Members {
    let text = members
        .get("content")
        .filter(|it| it.get().starts_with('"'));
    let origin = members.get("origin").and_then(|it| it.member("kind"));
    if !is(members.get("type"), "system")
        || !is(members.get("subtype"), "voice_call_talk")
        || !is(origin.as_ref(), "voice-call")
    {
        return members;
    }
    let Some(text) = text.cloned() else {
        return members;
    };
    let blocks = members.get("blocks").filter(|it| it.get().starts_with('['));
    let content = blocks.cloned().unwrap_or(text);
    let fold = match members.get("fold") {
        None => None,
        Some(fold) => {
            let fold = object(Some(fold));
            let command = fold.as_ref().and_then(|it| object(it.get("command")));
            match fold.zip(command) {
                None => return members,
                found => found,
            }
        }
    };
    for name in ["subtype", "level", "msgV", "content", "blocks", "fold"] {
        members.remove(name);
    }
    let Some((mut folded, mut command)) = fold else {
        let mut message = Members::default();
        message.set("role", "user");
        message.set("content", content);
        members.set("type", "user");
        members.set("message", Json::from_value(&message).unwrap_or_default());
        return members;
    };
    folded.remove("command");
    members.remove("isMeta");
    let origin = members.remove("origin").unwrap_or_default();
    for (name, value) in members.iter() {
        folded.set(name.to_owned(), value.clone());
    }
    command.set("type", "queued_command");
    command.set("prompt", content);
    command.set("origin", origin);
    folded.set("type", "attachment");
    folded.set("attachment", Json::from_value(&command).unwrap_or_default());
    folded
}
