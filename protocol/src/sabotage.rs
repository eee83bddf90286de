//! Deliberate bugs, to check that the simulation finds them.
//!
//! They exist only in builds with `--cfg agentwire_sabotage`, such as that of
//! `scripts/simulate`, and there only if a test enables one in its own thread.
//! In all other builds [`is_on`] is a constant `false`.

#![cfg_attr(
    not(agentwire_sabotage),
    allow(dead_code, reason = "no bug is enabled here")
)]

/// A deliberate bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Responses are queued behind user messages.
    AnswerBehindMessages,
    /// An MCP server's result overtakes its earlier progress.
    ResultPassesProgress,
    /// Control requests overtake user messages.
    FenceIgnored,
    /// Lines behind a withdrawn request stay queued until something else
    /// happens.
    StalledBehindWithdrawn,
    /// Written bytes are still counted as queued.
    BytesCountedTwice,
    /// A queued response is sent although its request was cancelled.
    LateAnswer,
    /// The host receives a known request again.
    AskedTwice,
    /// A request has no deadline.
    DeadlineForgotten,
    /// A turn picks up another message than the agent reports.
    WrongMessage,
    /// Delivery statuses are reported in order of arrival.
    StateBackwards,
    /// Messages get no final status when the session ends.
    MessageForgotten,
    /// A kept message is sent during another message's turn.
    TwoTurns,
    /// The pipe is closed although a request is pending.
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
    /// The bugs in the state machines.
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

    /// The bugs in the driver, which is in the crate `agentwire`.
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

/// Enables a bug for the current thread.
#[cfg(agentwire_sabotage)]
pub fn switch(bug: Option<Bug>) {
    ON.set(bug);
}

/// Returns whether a bug is enabled.
#[cfg(agentwire_sabotage)]
#[must_use]
pub fn is_on(bug: Bug) -> bool {
    ON.get() == Some(bug)
}

/// Returns whether a bug is enabled: never.
#[cfg(not(agentwire_sabotage))]
#[must_use]
pub const fn is_on(_: Bug) -> bool {
    false
}
