//! Errors of the library's conversions.

/// The error of a conversion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotConvert {
    /// The arguments of a call are not an object.
    #[error("the arguments of the call {call:?} are not an object")]
    Arguments {
        /// The ID of the call.
        call: String,
    },
    /// A call has no ID.
    #[error("a call of {tool:?} has no ID")]
    NoId {
        /// The name of the tool.
        tool: String,
    },
    /// The role is unknown.
    #[error("unknown role {0:?}")]
    UnknownRole(String),
    /// A block is of an unknown kind.
    #[error("unknown block type {0:?}")]
    UnknownBlock(String),
    /// A message of a tool has no result.
    #[error("a message of a tool without a result")]
    NoResult,
    /// A message of another role contains a call.
    #[error("a call of {tool:?} in a message that is not the model's")]
    MisplacedCall {
        /// The name of the tool.
        tool: String,
    },
    /// `extras` contains a member that the message itself has.
    #[error("`extras` have the member {0:?} of the message")]
    Extras(String),
    /// A tool has no member of this name, which is required.
    #[error("a tool has no {0}")]
    NotATool(&'static str),
}
