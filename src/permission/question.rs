//! Questions of the model to the user, and their answers.

use super::PermissionRequest;
use crate::callback::{Responder, Response};
use agentwire_protocol::Json;
use agentwire_protocol::permission::{
    AskUserQuestionInput, CanUseTool, PermissionResult, Question, QuestionAnnotation,
    QuestionUnanswered,
};

/// A question of the model to the user, asked with its tool `AskUserQuestion`.
///
/// In the protocol it is a permission request. A plain allow would mean that the user answered
/// nothing; build the response with [`QuestionRequest::answers`] instead.
///
/// ```
/// use agentwire::Options;
///
/// let options = Options::new().on_question(|ask| async move {
///     let mut answers = ask.answers();
///     for question in ask.questions() {
///         println!("{}", question.question);
///         answers = match question.options.first() {
///             Some(option) => answers.choose(&question.question, [&option.label]),
///             None => answers.say(&question.question, "Whatever you think."),
///         };
///     }
///     answers
/// });
/// # drop(options);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct QuestionRequest {
    /// The tool's input, with the questions.
    pub input: AskUserQuestionInput,
    /// The permission request for the tool call.
    pub ask: PermissionRequest,
}

/// The answers to questions of the model, returned by the callback of
/// [`Options::on_question`](crate::Options::on_question), or created with [`Answers::to`] for a
/// request in the client's stream. Unanswered questions count as skipped.
#[derive(Debug, Clone)]
#[must_use]
pub struct Answers {
    input: AskUserQuestionInput,
}

impl QuestionRequest {
    /// Reads the questions from the permission request.
    pub(crate) fn read(ask: PermissionRequest) -> Result<Self, String> {
        match ask.request.input.read() {
            Ok(input) => Ok(Self { input, ask }),
            Err(error) => Err(format!("invalid questions: {error}")),
        }
    }

    /// Returns the questions, at most four.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.input.questions
    }

    /// Returns an empty set of answers.
    pub fn answers(&self) -> Answers {
        Answers {
            input: self.input.clone(),
        }
    }

    /// Returns a responder to answer later; see
    /// [`Request::later`](crate::callback::Request::later).
    pub fn later(&self) -> Responder<PermissionResult> {
        self.ask.later()
    }
}

impl Answers {
    /// Returns an empty set of answers to the questions of this request, for
    /// requests in the client's stream
    /// ([`Options::requests_in_stream`](crate::Options::requests_in_stream)).
    ///
    /// ```
    /// use agentwire::protocol::permission::CanUseTool;
    /// use agentwire::permission::Answers;
    /// use agentwire::{Client, Error, PermissionResult};
    ///
    /// async fn answer(client: &Client, id: &str, request: &CanUseTool) -> Result<(), Error> {
    ///     let result = match Answers::to(request) {
    ///         Ok(answers) => answers.choose("Tea or coffee?", ["Tea"]).into(),
    ///         Err(error) => PermissionResult::deny(error.to_string()),
    ///     };
    ///     client.respond(id, result).await
    /// }
    /// # drop(answer);
    /// ```
    ///
    /// # Errors
    ///
    /// If the request has no valid questions, for instance because it is for another tool.
    pub fn to(request: &CanUseTool) -> Result<Self, serde_json::Error> {
        let input = request.input.read()?;
        Ok(Self { input })
    }

    /// Returns the questions, at most four.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.input.questions
    }

    /// Answers a question, given by its text, with these options, given by
    /// their labels. Pass several labels only if the question allows it
    /// (`multi_select`).
    pub fn choose<S: AsRef<str>>(
        self,
        question: &str,
        labels: impl IntoIterator<Item = S>,
    ) -> Self {
        let labels: Vec<S> = labels.into_iter().collect();
        let labels: Vec<&str> = labels.iter().map(AsRef::as_ref).collect();
        self.say(question, labels.join(", "))
    }

    /// Answers a question, given by its text, in the user's own words.
    pub fn say(mut self, question: &str, answer: impl Into<String>) -> Self {
        let answers = self.input.answers.get_or_insert_default();
        answers.insert(question.to_owned(), answer.into());
        self
    }

    /// Adds a note to the answer to a question.
    pub fn note(mut self, question: &str, note: impl Into<String>) -> Self {
        self.annotation(question).notes = Some(note.into());
        self
    }

    /// Sets the reason why a question is unanswered.
    pub fn unanswered(mut self, question: &str, why: QuestionUnanswered) -> Self {
        self.annotation(question).unanswered = Some(why);
        self
    }

    fn annotation(&mut self, question: &str) -> &mut QuestionAnnotation {
        let annotations = self.input.annotations.get_or_insert_default();
        annotations.entry(question.to_owned()).or_default()
    }
}

impl From<Answers> for PermissionResult {
    fn from(answers: Answers) -> Self {
        let mut input = answers.input;
        // Without this member the tool would report that the questions were never answered.
        input.answers.get_or_insert_default();
        match Json::from_value(&input) {
            Ok(input) => Self::allow_with(input),
            Err(error) => Self::deny(format!("The answers cannot be serialized: {error}")),
        }
    }
}

impl From<Answers> for Response<PermissionResult> {
    fn from(answers: Answers) -> Self {
        Self::Now(answers.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn answers_are_sent_with_their_questions() {
        let questions = json!([{
            "question": "Tea or coffee?", "header": "Drink", "multiSelect": true,
            "options": [{"label": "Tea", "description": "leaf"}],
        }]);
        let request = CanUseTool::new("AskUserQuestion", json!({ "questions": questions }));
        let answers = Answers::to(&request).expect("it has questions");
        let question = answers.questions()[0].question.clone();
        let result = answers.choose(&question, ["Tea", "Water"]).into();
        let PermissionResult::Allow(allow) = result else {
            panic!("{result:?}");
        };
        let input: Value = allow.updated_input.expect("an input").read().expect("JSON");
        let answers = json!({"Tea or coffee?": "Tea, Water"});
        assert_eq!(input, json!({"questions": questions, "answers": answers}));
    }

    #[test]
    fn requests_without_questions_cannot_be_answered() {
        let request = CanUseTool::new("Bash", json!({"command": "date"}));
        let error = Answers::to(&request).expect_err("no questions");
        assert!(error.to_string().contains("questions"), "{error}");
    }
}
