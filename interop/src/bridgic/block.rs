//! The messages that Bridgic gives to models: `bridgic.core.model.types`.

use agentwire_protocol::open::{object, open_enum, union};
use agentwire_protocol::{Json, Members};

object! {
    /// A message as Bridgic gives it to a model: a role, and blocks.
    #[derive(Default)]
    pub struct Message {
        /// Who says it; the user, when it is absent.
        pub role: Option<Role>,
        /// What is said; nothing, when it is absent.
        pub blocks: Option<Vec<Block>>,
        /// Members that the library adds to requests as they are.
        pub extras: Option<Members>,
    }
}

open_enum! {
    /// Who says a message.
    pub enum Role {
        /// The host, beside the conversation.
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
    /// A piece of what is said.
    pub enum Block by "block_type" {
        /// Text.
        "text" => Text(TextBlock),
        /// The model calls a tool.
        "tool_call" => ToolCall(ToolCallBlock),
        /// What a tool answered.
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
    /// The model calls a tool.
    pub struct ToolCallBlock tags("block_type" = "tool_call") {
        /// The id that the answer refers to.
        pub id: String,
        /// The tool.
        pub name: String,
        /// What it is given, an object.
        pub arguments: Json,
    }
}

object! {
    /// What a tool answered.
    pub struct ToolResultBlock tags("block_type" = "tool_result") {
        /// The call that it answers.
        pub id: String,
        /// The answer.
        pub content: String,
    }
}

impl Message {
    /// A message of these blocks, as the library writes it: with all members.
    #[must_use]
    pub fn new(role: Role, blocks: Vec<Block>) -> Self {
        Self {
            role: Some(role),
            blocks: Some(blocks),
            extras: Some(Members::default()),
            extra: Members::default(),
        }
    }

    /// Who says it: the user, unless it says otherwise.
    #[must_use]
    pub fn role(&self) -> &Role {
        self.role.as_ref().unwrap_or(&Role::User)
    }

    /// What is said.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        self.blocks.as_deref().unwrap_or_default()
    }

    /// The texts in it, an empty line between them.
    #[must_use]
    pub fn content(&self) -> String {
        let texts = self.blocks().iter().filter_map(Block::as_text);
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

impl Block {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock {
            text: text.into(),
            extra: Members::default(),
        })
    }

    /// A call of a tool.
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

    /// What a tool answered to the call with this id.
    pub fn tool_result(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self::ToolResult(ToolResultBlock {
            id: id.into(),
            content: content.into(),
            extra: Members::default(),
        })
    }

    /// The text, when it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}
