//! Questions of the model's to the user, and their answers.

use crate::callback::{PermissionAsk, Reply, Responder};
use agentwire_protocol::Json;
use agentwire_protocol::permission::{
    AskUserQuestionInput, PermissionResult, Question, QuestionAnnotation, QuestionUnanswered,
};

/// The model asks the user something, by its tool `AskUserQuestion`.
///
/// On the wire it is a permission ask, but to allow it plainly would tell the
/// model that nobody answered: the answers are made by
/// [`QuestionAsk::answers`].
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
pub struct QuestionAsk {
    /// The tool's input, with the questions.
    pub input: AskUserQuestionInput,
    /// The permission ask that it came as.
    pub ask: PermissionAsk,
}

/// The answers to questions of the model's: what the callback of
/// [`Options::on_question`](crate::Options::on_question) returns. A question
/// that is not answered counts as skipped.
#[derive(Debug, Clone)]
#[must_use]
pub struct Answers {
    input: AskUserQuestionInput,
}

impl QuestionAsk {
    /// Reads it out of the permission ask that it came as.
    pub(crate) fn read(ask: PermissionAsk) -> Result<Self, String> {
        match ask.request.input.read() {
            Ok(input) => Ok(Self { input, ask }),
            Err(error) => Err(format!("the questions cannot be read: {error}")),
        }
    }

    /// The questions, four at most.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.input.questions
    }

    /// The answers, none as yet.
    pub fn answers(&self) -> Answers {
        Answers {
            input: self.input.clone(),
        }
    }

    /// Takes the answering out of the callback; see
    /// [`Ask::later`](crate::Ask::later).
    pub fn later(&self) -> Responder<PermissionResult> {
        self.ask.later()
    }
}

impl Answers {
    /// Chooses these options, by their labels, for a question, by its text.
    /// Several are for questions that allow that (`multi_select`).
    pub fn choose<S: AsRef<str>>(
        self,
        question: &str,
        labels: impl IntoIterator<Item = S>,
    ) -> Self {
        let labels: Vec<S> = labels.into_iter().collect();
        let labels: Vec<&str> = labels.iter().map(AsRef::as_ref).collect();
        self.say(question, labels.join(", "))
    }

    /// Answers a question, by its text, in the user's own words.
    pub fn say(mut self, question: &str, answer: impl Into<String>) -> Self {
        let answers = self.input.answers.get_or_insert_default();
        answers.insert(question.to_owned(), answer.into());
        self
    }

    /// Notes something beside the answer to a question.
    pub fn note(mut self, question: &str, note: impl Into<String>) -> Self {
        self.annotation(question).notes = Some(note.into());
        self
    }

    /// Says why a question has no answer.
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
        // Without any the tool would be told that it was never answered.
        input.answers.get_or_insert_default();
        match Json::from_value(&input) {
            Ok(input) => Self::allow_with(input),
            Err(error) => Self::deny(format!("The answers cannot be written: {error}")),
        }
    }
}

impl From<Answers> for Reply<PermissionResult> {
    fn from(answers: Answers) -> Self {
        Self::Now(answers.into())
    }
}
