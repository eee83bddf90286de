//! Errors of the library's conversions.

/// The error of a conversion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotConvert {
    /// Arguments are not an object.
    #[error("the arguments of the call {call:?} are not an object")]
    Arguments {
        /// The ID of the call.
        call: String,
    },
    /// A call without an ID.
    #[error("a call of {tool:?} has no id")]
    NoId {
        /// The tool.
        tool: String,
    },
    /// An unknown role.
    #[error("there is no role {0:?}")]
    UnknownRole(String),
    /// An unknown block.
    #[error("there is no kind of block {0:?}")]
    UnknownBlock(String),
    /// A message of a tool without a result.
    #[error("a tool's message has no result")]
    NoResult,
    /// A call in a message of another role.
    #[error("a call of {tool:?} is not in a message of the model")]
    MisplacedCall {
        /// The tool.
        tool: String,
    },
    /// `extras` have a member of the message.
    #[error("`extras` have a member {0:?}, which the message has already")]
    Extras(String),
    /// A tool without a required member.
    #[error("a tool has no {0}")]
    NotATool(&'static str),
}
