//! The reason why the agent cannot be put to sleep.

/// The reason why the agent cannot be put to sleep now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Busy {
    /// A turn is running, or a message waits for one.
    #[error("a turn is running, or a message waits for one")]
    Turn,
    /// A control request has no response yet.
    #[error("a control request has no response yet")]
    Request,
    /// A request of the agent is pending, or a callback is running.
    #[error("a request of the agent is pending, or a callback is running")]
    IncomingRequest,
    /// A background task is running.
    #[error("a background task is running")]
    Background,
    /// The agent has scheduled a wake-up (`CronCreate`, `ScheduleWakeup`). Schedules end with the
    /// agent's process.
    #[error("the agent has scheduled a wake-up")]
    WakeUp,
    /// The agent's process has exited, and another is about to be started.
    #[error("its process has exited, and another is about to be started")]
    Restarting,
    /// The session cannot be resumed: it is not persisted
    /// ([`Options::persist_session`](crate::Options::persist_session)), or its transport does not
    /// start the agent.
    #[error("the session cannot be resumed")]
    NotResumable,
}
