//! The side that orders user messages, and the state of an interrupt that
//! preempts a turn.

use std::time::Instant;

/// The side that applies the priorities of user messages.
///
/// An agent with its own queue receives every message at once and orders the
/// messages itself. An agent without a queue would run messages in order of
/// arrival, so the host queues them: one turn runs at a time, and after it the
/// messages of the most urgent class are sent. A message with the priority
/// `now` interrupts the running turn and is sent after the turn has ended.
///
/// Queued messages and control requests do not wait for each other. For
/// example, a `set_model` is sent at once, and messages that were submitted
/// before it and are still queued run on the new model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queueing {
    /// The agent.
    ByAgent,
    /// The host.
    ByHost {
        /// Whether all messages of a class are sent as one, as an agent with a
        /// queue would run them. Otherwise each message has its own turn.
        merge: bool,
    },
    /// The agent, if its `initialize` response has capabilities. Otherwise the
    /// host, until the agent shows that it has a queue by the capability
    /// `msg_lifecycle_v1`, or by reporting the state of a message.
    Auto {
        /// Whether all messages of a class are sent as one when the host
        /// queues.
        merge: bool,
    },
}

/// The state of an interrupt that preempts a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preemption {
    /// There is no interrupt.
    No,
    /// The interrupt was sent.
    Sent,
    /// The interrupt has a response, or timed out. If the agent does not report
    /// its state, the turn counts as ended at this instant.
    Answered(Option<Instant>),
}
