//! Questions to the user, which arrive as a permission request for the tool
//! `AskUserQuestion`. Return the answers in the updated input:
//!
//! ```
//! use agentwire_protocol::Json;
//! use agentwire_protocol::permission::AskUserQuestionInput;
//!
//! let asked = Json::from(serde_json::json!({"questions": [{
//!     "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
//!     "options": [{"label": "Tea", "description": "leaf"},
//!                 {"label": "Coffee", "description": "bean"}],
//! }]}));
//! let mut input: AskUserQuestionInput = asked.read()?;
//! let question = input.questions[0].question.clone();
//! input.answers.get_or_insert_default().insert(question, "Tea".to_owned());
//! // Allow the tool with this as the updated input.
//! let updated = Json::from_value(&input)?;
//! # assert!(updated.get().contains(r#""answers":{"Tea or coffee?":"Tea"}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::json::Number;
use crate::open::{object, open_enum};
use std::collections::BTreeMap;

object! {
    /// Questions to the user, with the answers after the user has given them.
    pub struct AskUserQuestionInput {
        /// The questions, at most four.
        pub questions: Vec<Question>,
        /// The answers, by question. Commas separate multiple choices.
        pub answers: Option<BTreeMap<String, String>>,
        /// Further input of the user, by question.
        pub annotations: Option<BTreeMap<String, QuestionAnnotation>>,
        /// Data that is not displayed.
        pub metadata: Option<QuestionMetadata>,
    }
}

object! {
    /// A question to the user.
    pub struct Question {
        /// The question.
        pub question: String,
        /// A short label.
        pub header: String,
        /// The options, at most four. The user may always give a different
        /// answer.
        pub options: Vec<QuestionOption>,
        /// Whether several options can be selected.
        pub multi_select: Option<bool> = "multiSelect",
    }
}

object! {
    /// An option of a question.
    pub struct QuestionOption {
        /// The displayed text, which is also the value of the answer.
        pub label: String,
        /// An explanation.
        pub description: String,
        /// A preview of the option.
        pub preview: Option<String>,
    }
}

object! {
    /// Further input of the user about a question.
    #[derive(Default)]
    pub struct QuestionAnnotation {
        /// The preview of the selected option.
        pub preview: Option<String>,
        /// The user's notes.
        pub notes: Option<String>,
        /// The reason why there is no answer. `None` if there is one, or if the
        /// host did not give a reason.
        pub unanswered: Option<QuestionUnanswered>,
    }
}

open_enum! {
    /// The reason why a question has no answer.
    pub enum QuestionUnanswered {
        /// The user skipped the question.
        Skipped = "skipped",
        /// The user sent a message in place of an answer.
        RepliedInChat = "replied_in_chat",
        /// The user dismissed the question.
        Dismissed = "dismissed",
    }
}

object! {
    /// Data of questions that is not displayed.
    #[derive(Default)]
    pub struct QuestionMetadata {
        /// The source of the questions.
        pub source: Option<String>,
    }
}

object! {
    /// The user's answers.
    pub struct AskUserQuestionOutput {
        /// The questions.
        pub questions: Vec<Question>,
        /// The answers, by question. Commas separate multiple choices.
        pub answers: BTreeMap<String, String>,
        /// The user's reply in place of a choice.
        pub response: Option<String>,
        /// Further input of the user, by question.
        pub annotations: Option<BTreeMap<String, QuestionAnnotation>>,
        /// The time in milliseconds after which the questions timed out because
        /// the user was away.
        pub afk_timeout_ms: Option<Number> = "afkTimeoutMs",
    }
}
