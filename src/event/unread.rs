//! What a session has delivered and the program has not read.

use std::time::Duration;

/// What the program has not read of a session; see
/// [`Handle::unread`](crate::Handle::unread).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unread {
    /// How long reading the agent's output has been paused for it; `None`
    /// while it is read.
    pub paused: Option<Duration>,
    /// The streams that have something unread.
    pub streams: Vec<UnreadStream>,
}

/// What one stream has unread.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadStream {
    /// The stream.
    pub stream: StreamKind,
    /// How many events.
    pub events: usize,
    /// What they count for [`Options::unread_limit`](crate::Options::unread_limit).
    pub bytes: usize,
    /// How long the oldest of them has been there.
    pub oldest: Duration,
    /// Whether reading pauses for this stream. Not for the client's own stream
    /// before it was first polled.
    pub in_use: bool,
}

/// A stream of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamKind {
    /// The [`Client`](crate::Client)'s own.
    Client,
    /// A [`Subscription`](crate::Subscription).
    Subscription,
    /// [`TextStream`](crate::TextStream).
    TextStream,
    /// The [`Turn`](crate::Turn) that takes up a message.
    Turn {
        /// The message's id.
        uuid: Box<str>,
    },
}
