//! Deliberate bugs, to check that the simulation finds them.

/// A deliberate bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Reading stays paused although a control request has no response.
    ResponseNotWanted,
    /// Reading stays paused although the pipe has not taken a line.
    WriteNotWanted,
    /// Reading stays paused although a future waits for input.
    FutureNotWanted,
    /// Events are dropped where reading should pause.
    LostAtPause,
    /// The agent falls asleep although it has something to do.
    AsleepWhileBusy,
    /// A process is started before the last one is gone.
    TwoProcesses,
}

/// Returns whether a bug is enabled: never. `tests/bugs/bugs.txt` replaces it.
#[must_use]
pub const fn is_on(_: Bug) -> bool {
    false
}
