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
    /// A new process is not told what was set.
    SettingsForgotten,
    /// Messages that had left are not sent to the next process.
    NotCarried,
    /// They are sent behind those that had not left.
    CarriedLast,
    /// Messages reach a new process before the settings.
    ReleasedEarly,
    /// Requests of a process that has ended stay open.
    AsksKept,
    /// Requests to a process that has ended get no end.
    RequestsKept,
    /// Messages of a turn that goes on are sent again.
    StartedAgain,
    /// A message that the agent knew counts as over at once.
    KnownIsOver,
    /// The outbound queue is lost with the pipe, although another process follows.
    LostWithPipe,
    /// Requests that only read are not made again.
    ReadsNotAgain,
    /// Messages that are handed back are sent again.
    HandedBackAgain,
    /// The agent falls asleep although it has something to do.
    AsleepWhileBusy,
    /// A process is started before the last one is gone.
    TwoProcesses,
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

    /// The bugs in how a session goes on in another process.
    #[cfg(agentwire_sabotage)]
    pub const OF_SUCCESSION: [Self; 13] = [
        Self::SettingsForgotten,
        Self::NotCarried,
        Self::CarriedLast,
        Self::ReleasedEarly,
        Self::AsksKept,
        Self::RequestsKept,
        Self::StartedAgain,
        Self::KnownIsOver,
        Self::LostWithPipe,
        Self::ReadsNotAgain,
        Self::HandedBackAgain,
        Self::AsleepWhileBusy,
        Self::TwoProcesses,
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
