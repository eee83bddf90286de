//! Results of tools.

use agentwire_protocol::content::{Content, ToolResultBlock};
use agentwire_protocol::json::{Json, Members};
use serde_json::json;

/// The result of a tool.
#[derive(Debug)]
pub(super) struct ToolAnswer {
    pub(super) content: Content,
    /// The structured result (`tool_use_result`).
    pub(super) data: Json,
    pub(super) is_error: Option<bool>,
}

/// The outcome of a tool.
#[derive(Debug, Clone)]
pub struct ToolOutcome {
    text: String,
    data: Option<Json>,
    is_error: Option<bool>,
}

impl ToolOutcome {
    /// Creates the outcome of a tool that succeeded, with a text for the model.
    pub fn success(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            data: None,
            is_error: None,
        }
    }

    /// Creates the outcome of a tool that failed, with a text for the model.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: Some(true),
            ..Self::success(text)
        }
    }

    /// Sets the structured result for the host (`tool_use_result`). The default
    /// is the text for the model.
    #[must_use]
    pub fn data(mut self, data: impl Into<Json>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// Sends `is_error: false` with the result. By default `is_error` is only
    /// sent for failures.
    #[must_use]
    pub fn flagged(mut self) -> Self {
        self.is_error.get_or_insert(false);
        self
    }
}

impl From<ToolOutcome> for ToolAnswer {
    fn from(outcome: ToolOutcome) -> Self {
        let answer = Self::text(&outcome.text, outcome.is_error);
        match outcome.data {
            Some(data) => Self { data, ..answer },
            None => answer,
        }
    }
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

    /// Creates the result of an allowed `AskUserQuestion`. `input` contains the
    /// answers.
    pub(super) fn for_question(input: &Json) -> Self {
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
