//! What a conversion loses.

use serde::Serialize;
use std::fmt;

/// Something that the other system did not get, or got in another form.
///
/// Losses are not foretold but found: what was made is converted back, and
/// whatever is then missing or different is lost. [`Residue`] has it.
///
/// [`Residue`]: super::Residue
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The index of the message, or of the item, in what was converted.
    pub index: usize,
    /// Where in it, as a JSON pointer (RFC 6901).
    pub path: String,
    /// What is lost.
    pub what: Lost,
    /// Why.
    pub why: Why,
}

/// What is lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Lost {
    /// A whole message or item of this kind.
    Whole(String),
    /// An item of a list, such as a content block, of this kind.
    Item(String),
    /// This member of an object.
    Member(String),
    /// The value is there, but is another one.
    Changed(String),
    /// The order of the items of this list. Without a name: this message or item
    /// comes after one that it came before.
    Order(String),
    /// An earlier value of this member, which occurs more than once.
    Duplicate(String),
    /// That this author wrote the message: there it is a message of the user, or of the
    /// model. A name or a tag in it says who wrote it.
    Author(String),
    /// The result of this call of a tool, which is not in what was converted: what
    /// was made has a placeholder for it.
    Placeholder(String),
}

/// Why something is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The other system has no place for it.
    NoPlace,
    /// The other system has it in another form, which does not tell how it was.
    OtherForm,
    /// It is about how the message travelled, and not about what was said.
    Envelope,
    /// It may not be sent to the other system.
    NotToSend,
    /// Another message took its place.
    Superseded,
    /// The model was cut off in it.
    Aborted,
    /// It belongs to a sub-agent, which is a conversation of its own.
    Subagent,
    /// The conversation went on from an earlier place.
    DeadBranch,
    /// The record before it is missing, although it names one.
    Unlinked,
    /// The other system has no role for its author.
    NoRole,
    /// A later record has the same ID.
    Repeated,
    /// A call without an answer, or an answer without a call.
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
