//! Bugs on purpose, to see that the simulation finds them.
//!
//! They are there only in a build with `--cfg agentwire_sabotage`
//! (`scripts/simulate` makes one), and in such a build only where a test asks
//! for one, in its own thread. Everywhere else [`is_on`] is `false` as the
//! compiler sees it.

#![cfg_attr(
    not(agentwire_sabotage),
    allow(dead_code, reason = "nobody asks for a bug here")
)]

/// A bug on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Answers queue behind the user messages that wait.
    AnswerBehindMessages,
    /// What an MCP server answers passes what it has begun before.
    ResultPassesProgress,
    /// Control requests pass user messages.
    FenceIgnored,
    /// What stands behind a request that was withdrawn waits for something
    /// else to happen.
    StalledBehindWithdrawn,
    /// Bytes that have left are counted as if they waited.
    BytesCountedTwice,
    /// An answer that waits is sent although its ask was cancelled.
    LateAnswer,
    /// The host is asked once more about an ask that it knows.
    AskedTwice,
    /// A request has no deadline.
    DeadlineForgotten,
    /// A turn takes up another message than the agent says.
    WrongMessage,
    /// What becomes of a message is told in the order in which it is heard.
    StateBackwards,
    /// Messages have no end when the session has.
    MessageForgotten,
    /// A message that is kept goes while another one's turn runs.
    TwoTurns,
    /// The pipe is closed although an ask is open.
    ClosedTooEarly,
    /// Reading stays paused although a control request has no response.
    ResponseNotWanted,
    /// Reading stays paused although the pipe has not taken a line.
    WriteNotWanted,
    /// Reading stays paused although a future waits for input.
    FutureNotWanted,
    /// Events are dropped where reading should pause.
    LostAtPause,
}

impl Bug {
    /// Those of the state machines.
    #[cfg(agentwire_sabotage)]
    pub const OF_STATE_MACHINES: [Self; 13] = [
        Self::AnswerBehindMessages,
        Self::ResultPassesProgress,
        Self::FenceIgnored,
        Self::StalledBehindWithdrawn,
        Self::BytesCountedTwice,
        Self::LateAnswer,
        Self::AskedTwice,
        Self::DeadlineForgotten,
        Self::WrongMessage,
        Self::StateBackwards,
        Self::MessageForgotten,
        Self::TwoTurns,
        Self::ClosedTooEarly,
    ];

    /// Those of the driver, which is in the crate `agentwire`.
    #[cfg(agentwire_sabotage)]
    pub const OF_DRIVER: [Self; 4] = [
        Self::ResponseNotWanted,
        Self::WriteNotWanted,
        Self::FutureNotWanted,
        Self::LostAtPause,
    ];
}

#[cfg(agentwire_sabotage)]
thread_local! {
    static ON: std::cell::Cell<Option<Bug>> = const { std::cell::Cell::new(None) };
}

/// Builds a bug into everything that runs in this thread from now on.
#[cfg(agentwire_sabotage)]
pub fn switch(bug: Option<Bug>) {
    ON.set(bug);
}

/// Whether a bug is wanted.
#[cfg(agentwire_sabotage)]
#[must_use]
pub fn is_on(bug: Bug) -> bool {
    ON.get() == Some(bug)
}

/// Whether a bug is wanted: never.
#[cfg(not(agentwire_sabotage))]
#[must_use]
pub const fn is_on(_: Bug) -> bool {
    false
}
