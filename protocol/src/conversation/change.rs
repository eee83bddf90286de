//! What a message changed.

/// Where an entry of a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The tool call that started the sub-agent; `None` for the main agent.
    pub thread: Option<&'a str>,
    /// The entry's index in [`Conversation::thread`](super::Conversation::thread).
    pub entry: usize,
}

/// What a message changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change<'a> {
    /// There is a new entry.
    Added(Place<'a>),
    /// Something in an entry is different: a block came whole, the state
    /// changed.
    Changed(Place<'a>),
    /// A text grew.
    Text {
        /// The reply.
        at: Place<'a>,
        /// The block's index in the reply.
        block: usize,
        /// What was added.
        text: &'a str,
    },
    /// Thinking grew.
    Thinking {
        /// The reply.
        at: Place<'a>,
        /// The block's index in the reply.
        block: usize,
        /// What was added.
        thinking: &'a str,
    },
    /// A tool's input grew. [`Assembler::conversation`](super::Assembler::conversation) has it as it can be
    /// read so far.
    ToolInput {
        /// The reply.
        at: Place<'a>,
        /// The block's index in the reply.
        block: usize,
        /// What was added to its text.
        json: &'a str,
    },
    /// More than one thing is different: a reply was cut off, or entries or
    /// blocks are gone and those behind them are in other places.
    Rebuilt,
}

impl Change<'_> {
    /// What was changed, when other things went away besides.
    pub(super) fn or_rebuilt(self, rebuilt: bool) -> Self {
        if rebuilt { Self::Rebuilt } else { self }
    }
}
