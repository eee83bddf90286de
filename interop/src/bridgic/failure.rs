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
    #[error("a call of {tool:?} has no ID")]
    NoId {
        /// The tool.
        tool: String,
    },
    /// An unknown role.
    #[error("unknown role {0:?}")]
    UnknownRole(String),
    /// An unknown block.
    #[error("unknown block type {0:?}")]
    UnknownBlock(String),
    /// A message of a tool without a result.
    #[error("a message of a tool without a result")]
    NoResult,
    /// A call in a message of another role.
    #[error("a call of {tool:?} in a message that is not the model's")]
    MisplacedCall {
        /// The tool.
        tool: String,
    },
    /// `extras` have a member of the message.
    #[error("`extras` have the member {0:?} of the message")]
    Extras(String),
    /// A tool without a required member.
    #[error("a tool has no {0}")]
    NotATool(&'static str),
}
