//! Who sees to the order of user messages, and how far an interrupt is that was
//! made for it.

use std::time::Instant;

/// Who sees to the priorities of user messages.
///
/// An agent that has a queue of its own gets every message at once, and its
/// behaviour is honoured. For one that has none, and would run messages in
/// the order in which they come, the host keeps them: one turn runs at a
/// time, and when it has ended, the most urgent class goes. A message that is
/// for now interrupts the turn that runs, waits for its end, and goes then.
///
/// Messages that are kept do not hold control requests back, nor the other
/// way round: the agent gets a `set_model` at once, and messages that were
/// sent before it, and still wait here, run on the new model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queueing {
    /// The agent does.
    ByAgent,
    /// The host does.
    ByHost {
        /// Whether all messages of a class go as one, as an agent with a queue
        /// would run them; otherwise each has a turn of its own.
        merge: bool,
    },
    /// The agent does, if its answer to `initialize` has capabilities; if not,
    /// the host, until the agent shows that it has a queue: by the capability
    /// `msg_lifecycle_v1`, or by reporting what becomes of a message.
    Auto {
        /// Whether all messages of a class go as one, where the host does.
        merge: bool,
    },
}

/// How far an interrupt is that was made for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pressing {
    /// There is none.
    No,
    /// It was made.
    Asked,
    /// It was answered, or not in time. The turn is to be over by then, for an
    /// agent that does not say what it does.
    Answered(Option<Instant>),
}
