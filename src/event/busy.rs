//! Why the agent cannot be put to sleep.

/// Why the agent cannot be put to sleep now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Busy {
    /// A turn is running, or a message waits for one.
    #[error("a turn is running, or a message waits for one")]
    Turn,
    /// A control request has no response yet.
    #[error("a control request has no response yet")]
    Request,
    /// A request of the agent is open, or a callback is running.
    #[error("a request of the agent is open, or a callback is running")]
    IncomingRequest,
    /// A background task is running.
    #[error("a background task is running")]
    Background,
    /// The agent has planned to wake up (`CronCreate`, `ScheduleWakeup`). Its
    /// plans end with its process, so they hold until then.
    #[error("the agent has planned to wake up")]
    WakeUp,
    /// The agent's process has ended, and another is about to be started.
    #[error("its process has ended, and another is about to be started")]
    Restarting,
    /// The session cannot be resumed: it is not kept
    /// ([`Options::persist_session`](crate::Options::persist_session)), or its
    /// transport does not start the agent.
    #[error("the session cannot be resumed")]
    NotResumable,
}
