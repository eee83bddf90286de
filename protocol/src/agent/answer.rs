//! What tools answer.

use crate::content::{Content, ToolResultBlock};
use crate::json::Json;
use serde_json::json;

/// What a tool answered.
#[derive(Debug)]
pub(super) struct ToolAnswer {
    pub(super) content: Content,
    /// The same as data of the tool.
    pub(super) data: Json,
    pub(super) is_error: Option<bool>,
}

impl ToolAnswer {
    pub(super) fn text(text: &str, is_error: Option<bool>) -> Self {
        Self {
            content: Content::from(text),
            data: match is_error {
                Some(true) => format!("Error: {text}").as_str().into(),
                _ => text.into(),
            },
            is_error,
        }
    }

    /// What a tool of this name answered.
    pub(super) fn of_tool(name: &str, text: &str, is_error: bool) -> Self {
        let answer = Self::text(text, Some(is_error));
        match name {
            "Bash" if !is_error => Self {
                data: json!({
                    "stdout": text, "stderr": "", "interrupted": false, "isImage": false,
                    "noOutputExpected": false,
                })
                .into(),
                ..answer
            },
            _ => answer,
        }
    }

    pub(super) fn error(text: &str) -> Self {
        Self::text(text, Some(true))
    }

    /// The block that tells the model, and the data that stand beside it.
    pub(super) fn into_block(self, id: &str) -> (ToolResultBlock, Json) {
        let mut block = ToolResultBlock::new(id, Some(self.content));
        block.is_error = self.is_error;
        (block, self.data)
    }
}
