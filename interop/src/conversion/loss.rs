//! The losses of a conversion.

use serde::Serialize;
use std::fmt;

/// A part of the input that the output lacks or has in another form.
///
/// Losses are found by converting the output back and comparing the result with the input. The
/// [`Residue`](super::Residue) restores them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The index of the message or item in the input.
    pub index: usize,
    /// The place in the message or item, as a JSON pointer (RFC 6901).
    pub path: String,
    /// The lost part.
    pub what: Lost,
    /// The reason.
    pub why: Why,
}

/// A lost part of the input.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Lost {
    /// A message or item of this kind.
    Whole(String),
    /// An item of this kind in a list, such as a content block.
    Item(String),
    /// A member of an object.
    Member(String),
    /// The original value of a changed member.
    Changed(String),
    /// The order of a list. The name is that of the list. Without a name, the position of the
    /// message or item.
    Order(String),
    /// An earlier value of a duplicate member.
    Duplicate(String),
    /// The role of this author. The message has the role of the user or the model instead, and its
    /// name or tag names the author.
    Author(String),
    /// The missing result of a call of this tool. The output has a placeholder.
    Placeholder(String),
}

/// The reason of a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The other system has no place for this part.
    NoPlace,
    /// The other system has this part in another form.
    OtherForm,
    /// This part is envelope metadata.
    Envelope,
    /// This part may not be sent to the other system.
    NotToSend,
    /// Another message superseded this one.
    Superseded,
    /// The model was cut off.
    Aborted,
    /// The part belongs to a sub-agent, which is a separate conversation.
    Subagent,
    /// The conversation continued from an earlier place.
    DeadBranch,
    /// The parent record of this record is missing.
    Unlinked,
    /// The other system has no role for the author.
    NoRole,
    /// A later record has the same ID.
    Repeated,
    /// This is a call without a result, or a result without a call.
    Unpaired,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(kind) => write!(f, "all of a piece: {kind}"),
            Self::Item(kind) => write!(f, "{kind}"),
            Self::Member(name) => write!(f, "`{name}`"),
            Self::Changed(name) => write!(f, "`{name}` as it was"),
            Self::Order(name) if name.is_empty() => f.write_str("its place among the others"),
            Self::Order(name) => write!(f, "the order in `{name}`"),
            Self::Duplicate(name) => write!(f, "an earlier value of `{name}`"),
            Self::Author(name) => write!(f, "the role of {name}"),
            Self::Placeholder(tool) => {
                write!(f, "the result of a call of {tool}, now a placeholder")
            }
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoPlace => "there is no place for it",
            Self::OtherForm => "it has another form there",
            Self::Envelope => "it is about how the message travelled",
            Self::NotToSend => "it may not be sent",
            Self::Superseded => "another message took its place",
            Self::Aborted => "the model was cut off in it",
            Self::Subagent => "it belongs to a sub-agent",
            Self::DeadBranch => "the conversation went on from an earlier place",
            Self::Unlinked => "the record before it is missing",
            Self::NoRole => "there is no role for its author",
            Self::Repeated => "a later record has the same ID",
            Self::Unpaired => "its partner is missing",
        })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            index,
            path,
            what,
            why,
        } = self;
        write!(f, "{index}{path}: {what}: {why}")
    }
}
