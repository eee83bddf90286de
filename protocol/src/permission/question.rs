//! Questions to the user. They come as a permission ask of the tool
//! `AskUserQuestion`, and the answers go back in the input that the permission
//! is given for:
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
//! // With this as the updated input the tool may run.
//! let updated = Json::from_value(&input)?;
//! # assert!(updated.get().contains(r#""answers":{"Tea or coffee?":"Tea"}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::json::Number;
use crate::open::{object, open_enum};
use std::collections::BTreeMap;

object! {
    /// Questions to the user; with the answers, once there are some.
    pub struct AskUserQuestionInput {
        /// The questions, four at most.
        pub questions: Vec<Question>,
        /// The answers, by question. Several in one are separated by commas.
        pub answers: Option<BTreeMap<String, String>>,
        /// What the user did besides, by question.
        pub annotations: Option<BTreeMap<String, QuestionAnnotation>>,
        /// What users are not shown.
        pub metadata: Option<QuestionMetadata>,
    }
}

object! {
    /// A question to the user.
    pub struct Question {
        /// The question.
        pub question: String,
        /// A word or two for it.
        pub header: String,
        /// What can be chosen, four at most. The user may always say
        /// something else.
        pub options: Vec<QuestionOption>,
        /// Whether several can be chosen.
        pub multi_select: Option<bool> = "multiSelect",
    }
}

object! {
    /// What can be chosen as an answer.
    pub struct QuestionOption {
        /// What is shown, and is the answer.
        pub label: String,
        /// What it means.
        pub description: String,
        /// What is to be seen of it before it is chosen.
        pub preview: Option<String>,
    }
}

object! {
    /// What the user did with a question besides answering it.
    #[derive(Default)]
    pub struct QuestionAnnotation {
        /// The preview of what was chosen.
        pub preview: Option<String>,
        /// What the user noted.
        pub notes: Option<String>,
        /// Why there is no answer. Absent, when there is one or the host did
        /// not say.
        pub unanswered: Option<QuestionUnanswered>,
    }
}

open_enum! {
    /// Why a question has no answer.
    pub enum QuestionUnanswered {
        /// The user skipped it.
        Skipped = "skipped",
        /// The user sent a message instead.
        RepliedInChat = "replied_in_chat",
        /// The user closed it.
        Dismissed = "dismissed",
    }
}

object! {
    /// What users are not shown of questions.
    #[derive(Default)]
    pub struct QuestionMetadata {
        /// What they come from.
        pub source: Option<String>,
    }
}

object! {
    /// What the user answered.
    pub struct AskUserQuestionOutput {
        /// The questions.
        pub questions: Vec<Question>,
        /// The answers, by question. Several in one are separated by commas.
        pub answers: BTreeMap<String, String>,
        /// What the user said instead of choosing.
        pub response: Option<String>,
        /// What the user did besides, by question.
        pub annotations: Option<BTreeMap<String, QuestionAnnotation>>,
        /// Milliseconds after which it was given up because nobody was there.
        pub afk_timeout_ms: Option<Number> = "afkTimeoutMs",
    }
}
