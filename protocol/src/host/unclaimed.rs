//! How certain the host is that an idle agent will never acknowledge pending
//! messages.

use std::time::Instant;

/// How certain the host is that the agent will not acknowledge them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclaimed {
    /// No message is unacknowledged.
    Nothing,
    /// The agent is idle. At this instant the host sends it a request.
    Rests(Option<Instant>),
    /// The request was sent.
    Asked,
    /// The request was answered. If the agent is idle at this instant, it is
    /// done.
    Answered(Option<Instant>),
}
