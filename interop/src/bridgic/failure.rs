//! Why the library's own conversions fail.

/// A message or a call cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotConvert {
    /// What a tool is given is not an object, or is a text that is none.
    #[error("the arguments of the call {call:?} are not an object")]
    Arguments {
        /// The id of the call.
        call: String,
    },
    /// A call without an id.
    #[error("a call of {tool:?} has no id")]
    NoId {
        /// The tool that is called.
        tool: String,
    },
    /// A message of a role that nobody knows.
    #[error("there is no role {0:?}")]
    UnknownRole(String),
    /// A block of a kind that nobody knows.
    #[error("there is no kind of block {0:?}")]
    UnknownBlock(String),
    /// A tool's message that answers no call.
    #[error("a tool's message has no result")]
    NoResult,
    /// A call in a message that is not the model's.
    #[error("a call of {tool:?} is not in a message of the model")]
    MisplacedCall {
        /// The tool that is called.
        tool: String,
    },
    /// `extras` have a member that the message has already.
    #[error("`extras` have a member {0:?}, which the message has already")]
    Extras(String),
    /// A tool lacks what a model has to be told.
    #[error("a tool has no {0}")]
    NotATool(&'static str),
}
