//! Results of tools.

use crate::content::{Content, ToolResultBlock};
use crate::json::{Json, Members};
use serde_json::json;

/// The result of a tool.
#[derive(Debug)]
pub(super) struct ToolAnswer {
    pub(super) content: Content,
    /// The structured result (`tool_use_result`).
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

    /// Creates the result of the tool with this name.
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

    /// Creates the result of an allowed `AskUserQuestion`. The answers are in
    /// its input.
    pub(super) fn of_question(input: &Json) -> Self {
        if input.member("questions").is_none() {
            let why = "The host's input for AskUserQuestion is not valid: it has no `questions`.";
            return Self::error(why);
        }
        let data = Json::from(json!({
            "questions": input.member("questions"),
            "answers": input.member("answers").unwrap_or_else(|| json!({}).into()),
        }));
        let answers = input.member("answers").map(|it| it.read::<Members>());
        let answers: Vec<_> = match &answers {
            Some(Ok(answers)) => answers
                .iter()
                .map(|(question, answer)| format!("{}={answer}", Json::from(question)))
                .collect(),
            _ => vec![],
        };
        let text = if answers.is_empty() {
            "The user did not answer.".to_owned()
        } else {
            format!("The user answered: {}.", answers.join(", "))
        };
        Self {
            data,
            ..Self::text(&text, None)
        }
    }

    pub(super) fn error(text: &str) -> Self {
        Self::text(text, Some(true))
    }

    /// Returns the content block for the model, and the structured result.
    pub(super) fn into_block(self, id: &str) -> (ToolResultBlock, Json) {
        let mut block = ToolResultBlock::new(id, Some(self.content));
        block.is_error = self.is_error;
        (block, self.data)
    }
}
