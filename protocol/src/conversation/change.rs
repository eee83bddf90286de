//! Changes to a conversation.

/// The position of an entry in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The ID of the tool call that started the sub-agent. `None` for the main
    /// agent.
    pub thread: Option<&'a str>,
    /// The index of the entry in
    /// [`Conversation::thread`](super::Conversation::thread).
    pub entry: usize,
}

/// The change that a message made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change<'a> {
    /// A new entry was added.
    Added(Place<'a>),
    /// An entry changed, because a block was completed or the state changed.
    Changed(Place<'a>),
    /// Text was appended.
    Text {
        /// The position of the reply.
        at: Place<'a>,
        /// The index of the block in the reply.
        block: usize,
        /// The appended text.
        text: &'a str,
    },
    /// Thinking was appended.
    Thinking {
        /// The position of the reply.
        at: Place<'a>,
        /// The index of the block in the reply.
        block: usize,
        /// The appended thinking.
        thinking: &'a str,
    },
    /// The input of a tool grew.
    /// [`Assembler::conversation`](super::Assembler::conversation) returns its
    /// current value.
    ToolInput {
        /// The position of the reply.
        at: Place<'a>,
        /// The index of the block in the reply.
        block: usize,
        /// The appended JSON text.
        json: &'a str,
    },
    /// The message was omitted, because the conversation already has 4,096
    /// other sub-agents, or because the ID of the parent tool call is longer
    /// than 4,096 bytes.
    Omitted {
        /// The ID of the tool call that started the sub-agent.
        thread: &'a str,
    },
    /// Several entries changed: a reply was cut off, or entries or blocks were
    /// removed and later ones moved.
    Rebuilt,
}

impl Change<'_> {
    /// Returns the change, or `Rebuilt` if other parts were removed, too.
    pub(super) fn or_rebuilt(self, rebuilt: bool) -> Self {
        if rebuilt { Self::Rebuilt } else { self }
    }
}
