//! How sure the host is that an agent that rests will say nothing of messages
//! that it was sent.

use std::time::Instant;

/// How sure the host is that the agent will say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclaimed {
    /// There is nothing of which it should say something.
    Nothing,
    /// It rests; then it is asked.
    Rests(Option<Instant>),
    /// It was asked.
    Asked,
    /// It has answered. When it rests until then, it is done.
    Answered(Option<Instant>),
}
