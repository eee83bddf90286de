//! The types of messages to models (`bridgic.core.model.types`).

use agentwire_protocol::open::{object, open_enum, union};
use agentwire_protocol::{Json, Members};

object! {
    /// A message to a model.
    #[derive(Default)]
    pub struct Message {
        /// The role. Default: user.
        pub role: Option<Role>,
        /// The content. Default: empty.
        pub blocks: Option<Vec<Block>>,
        /// Members that the library adds to requests.
        pub extras: Option<Members>,
    }
}

open_enum! {
    /// The role of a message.
    pub enum Role {
        /// The system.
        System = "system",
        /// The user.
        User = "user",
        /// The model.
        Ai = "assistant",
        /// A tool.
        Tool = "tool",
    }
}

union! {
    /// A block of content.
    pub enum Block by "block_type" {
        /// Text.
        "text" => Text(TextBlock),
        /// A tool call.
        "tool_call" => ToolCall(ToolCallBlock),
        /// The result of a tool.
        "tool_result" => ToolResult(ToolResultBlock),
    }
}

object! {
    /// Text.
    pub struct TextBlock tags("block_type" = "text") {
        /// The text.
        pub text: String,
    }
}

object! {
    /// A tool call.
    pub struct ToolCallBlock tags("block_type" = "tool_call") {
        /// The ID of the call.
        pub id: String,
        /// The name of the tool.
        pub name: String,
        /// The arguments, an object.
        pub arguments: Json,
    }
}

object! {
    /// The result of a tool.
    pub struct ToolResultBlock tags("block_type" = "tool_result") {
        /// The ID of the call.
        pub id: String,
        /// The result.
        pub content: String,
    }
}

impl Message {
    /// Creates a message with all members that the library writes.
    #[must_use]
    pub fn new(role: Role, blocks: Vec<Block>) -> Self {
        Self {
            role: Some(role),
            blocks: Some(blocks),
            extras: Some(Members::default()),
            extra: Members::default(),
        }
    }

    /// Returns the role. Default: user.
    #[must_use]
    pub fn role(&self) -> &Role {
        self.role.as_ref().unwrap_or(&Role::User)
    }

    /// Returns the blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        self.blocks.as_deref().unwrap_or_default()
    }

    /// Returns the texts, joined by an empty line.
    #[must_use]
    pub fn content(&self) -> String {
        let texts = self.blocks().iter().filter_map(Block::as_text);
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

impl Block {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock {
            text: text.into(),
            extra: Members::default(),
        })
    }

    /// Creates a tool call.
    pub fn tool_call(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<Json>,
    ) -> Self {
        Self::ToolCall(ToolCallBlock {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            extra: Members::default(),
        })
    }

    /// Creates the result of a call.
    pub fn tool_result(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self::ToolResult(ToolResultBlock {
            id: id.into(),
            content: content.into(),
            extra: Members::default(),
        })
    }

    /// Returns the text, if the block is a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}
