//! The unread events of a session.

use std::time::Duration;

/// The unread events of a session, returned by
/// [`Handle::unread`](crate::Handle::unread).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unread {
    /// How long reading the agent's output has been paused; `None` if it is not paused.
    pub paused: Option<Duration>,
    /// The streams with unread events.
    pub streams: Vec<UnreadStream>,
}

/// The unread events of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadStream {
    /// The stream.
    pub stream: StreamKind,
    /// The number of events.
    pub events: usize,
    /// The size of the events, as counted for
    /// [`Options::unread_limit`](crate::Options::unread_limit).
    pub bytes: usize,
    /// The age of the oldest event.
    pub oldest: Duration,
    /// Whether reading pauses for this stream. `false` for the client's own
    /// stream before its first poll.
    pub in_use: bool,
}

/// A stream of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamKind {
    /// The stream of the [`Client`](crate::Client).
    Client,
    /// A [`Subscription`](crate::Subscription).
    Subscription,
    /// A [`TextStream`](crate::TextStream).
    TextStream,
    /// The [`Turn`](crate::Turn) of a message.
    Turn {
        /// The message's ID.
        uuid: Box<str>,
    },
}
