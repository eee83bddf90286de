//! Requests about the session as a whole: its title, thinking, subscribers,
//! working directory and side questions.

use super::request::{Empty, host_requests};
use crate::json::Json;
use crate::model::ThinkingDisplay;
use crate::open::{object, open_enum};

host_requests! {
    SetMaxThinkingTokens = "set_max_thinking_tokens" => Empty,
    RenameSession = "rename_session" => Empty,
    GenerateSessionTitle = "generate_session_title" => SessionTitle,
    SideQuestion = "side_question" => SideAnswer,
    SetColor = "set_color" => Empty,
    SetHasSubscribers = "set_has_subscribers" => Empty,
    SetCwd = "set_cwd" => SetCwdAnswer,
    EndSession = "end_session" => Empty,
}

object! {
    /// Sets the thinking limit from now on.
    #[derive(Default)]
    pub struct SetMaxThinkingTokens tags("subtype" = "set_max_thinking_tokens") {
        /// The maximum number of thinking tokens. 0 disables thinking. On the
        /// wire, `null` restores the agent's default, and an absent member
        /// leaves the limit unchanged.
        pub max_thinking_tokens: Option<i64>,
        /// The display of thinking. On the wire, `null` and an absent member
        /// differ here, too.
        pub thinking_display: Option<ThinkingDisplay>,
    }
}

object! {
    /// Sets the title of the session.
    #[derive(Default)]
    pub struct RenameSession tags("subtype" = "rename_session") {
        /// The title.
        pub title: String,
        /// The origin of the title. The default is [`TitleSource::Remote`].
        pub source: Option<TitleSource>,
        /// The ID of the session to rename. The request fails if the agent is
        /// in another session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The origin of a title.
    pub enum TitleSource {
        /// A remote user.
        Remote = "remote",
        /// The user of the host.
        Host = "host",
    }
}

object! {
    /// Requests a title from the model. The request was measured; the CLI does
    /// not declare it.
    #[derive(Default)]
    pub struct GenerateSessionTitle tags("subtype" = "generate_session_title") {
        /// A description of the session.
        pub description: String,
        /// Whether to set the title as the session's title.
        pub persist: Option<bool>,
    }
}

object! {
    /// The title that the model generated.
    #[derive(Default)]
    pub struct SessionTitle {
        /// The title. `None` if the model generated none.
        pub title: Option<String>,
    }
}

object! {
    /// Asks the model a question outside the conversation. The request was
    /// measured; the CLI does not declare it.
    #[derive(Default)]
    pub struct SideQuestion tags("subtype" = "side_question") {
        /// The question.
        pub question: String,
    }
}

object! {
    /// The response to a side question.
    #[derive(Default)]
    pub struct SideAnswer {
        /// The response.
        pub response: Option<String>,
        /// Whether the agent generated the response without the model.
        pub synthetic: Option<bool>,
    }
}

object! {
    /// Sets the session's color. The CLI declares the request, but rejects it.
    #[derive(Default)]
    pub struct SetColor tags("subtype" = "set_color") {
        /// The name of the color.
        pub color: String,
    }
}

object! {
    /// Reports whether the session has subscribers.
    #[derive(Default)]
    pub struct SetHasSubscribers tags("subtype" = "set_has_subscribers") {
        /// Whether the session has subscribers. `null` counts as yes. The
        /// member is required on the wire, so `None` is only for reading. To
        /// write `null`, use [`SetHasSubscribers::unknown`].
        pub has_subscribers: Option<bool>,
    }
}

object! {
    /// Changes the session's working directory. The request was measured; the
    /// CLI does not declare it. After a change, an idle agent records it in a
    /// turn of its own, which calls no model and answers no message.
    #[derive(Default)]
    pub struct SetCwd tags("subtype" = "set_cwd") {
        /// The path of the directory.
        pub path: String,
        /// Whether the user trusts the directory.
        pub trust_accepted: Option<bool>,
        /// The directory that the user was shown: the `directory` of the
        /// response that required trust.
        pub trusted_directory: Option<String>,
    }
}

object! {
    /// The outcome of [`SetCwd`]. If the directory was not changed, the
    /// response is successful, too.
    pub struct SetCwdAnswer {
        /// The outcome.
        pub status: CwdOutcome,
        /// The current working directory.
        pub cwd: Option<String>,
        /// Whether the working directory changed.
        pub changed: Option<bool>,
        /// Whether the transcript was moved to the place where sessions of this
        /// directory are stored.
        pub transcript_relocated: Option<bool>,
        /// The directory that the user must trust first.
        pub directory: Option<String>,
        /// The repository that the user would trust with the directory.
        pub trust_root: Option<String>,
        /// The reason why the working directory was not changed.
        pub reason: Option<CwdRejection>,
        /// The reason as text.
        pub message: Option<String>,
    }
}

open_enum! {
    /// The outcome of changing the working directory.
    pub enum CwdOutcome {
        /// The working directory was changed, or was already set.
        Moved = "ok",
        /// The user must trust the directory first, with [`SetCwd::trusting`].
        NeedsTrust = "needs_trust",
        /// The working directory cannot be changed to this path.
        Rejected = "rejected",
    }
}

open_enum! {
    /// The reason why the working directory was not changed.
    pub enum CwdRejection {
        /// The path does not exist.
        NotFound = "not_found",
        /// The path is not a directory.
        NotADirectory = "not_a_directory",
        /// A rule forbids it.
        BlockedByRule = "blocked_by_rule",
        /// A turn is running.
        Busy = "busy",
        /// The path contains invisible characters.
        UnsafePath = "unsafe_path",
        /// The request came from a remote origin.
        RemoteOrigin = "remote_origin",
    }
}

object! {
    /// Ends the session. The request was measured; the CLI does not declare it.
    #[derive(Default)]
    pub struct EndSession tags("subtype" = "end_session") {}
}

impl SetMaxThinkingTokens {
    /// Sets the limit to this number of tokens.
    #[must_use]
    pub fn to(tokens: u32) -> Self {
        Self {
            max_thinking_tokens: Some(tokens.into()),
            ..Self::default()
        }
    }

    /// Restores the agent's default limit.
    #[must_use]
    pub fn reset() -> Self {
        let mut request = Self::default();
        request.extra.set("max_thinking_tokens", Json::null());
        request
    }

    /// Sets the display of thinking, and leaves the limit unchanged.
    #[must_use]
    pub fn shown(display: ThinkingDisplay) -> Self {
        Self {
            thinking_display: Some(display),
            ..Self::default()
        }
    }
}

impl RenameSession {
    /// Sets a title that the user of the host chose.
    pub fn by_user(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            source: Some(TitleSource::Host),
            ..Self::default()
        }
    }
}

impl GenerateSessionTitle {
    /// Requests a title without setting it.
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            persist: Some(false),
            ..Self::default()
        }
    }

    /// Sets the title as the session's title.
    #[must_use]
    pub fn persisted(mut self) -> Self {
        self.persist = Some(true);
        self
    }
}

impl SideQuestion {
    /// Asks this question.
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            ..Self::default()
        }
    }
}

impl SetColor {
    /// Sets this color.
    pub fn to(color: impl Into<String>) -> Self {
        Self {
            color: color.into(),
            ..Self::default()
        }
    }
}

impl SetHasSubscribers {
    /// Reports whether the session has subscribers.
    #[must_use]
    pub fn to(has_subscribers: bool) -> Self {
        Self {
            has_subscribers: Some(has_subscribers),
            ..Self::default()
        }
    }

    /// Reports that the host does not know whether there are subscribers.
    #[must_use]
    pub fn unknown() -> Self {
        let mut request = Self::default();
        request.extra.set("has_subscribers", Json::null());
        request
    }
}

impl SetCwd {
    /// Changes to this directory.
    pub fn to(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Confirms that the user trusts this directory, which is the
    /// [`SetCwdAnswer::directory`] of the previous response.
    #[must_use]
    pub fn trusting(mut self, directory: impl Into<String>) -> Self {
        self.trust_accepted = Some(true);
        self.trusted_directory = Some(directory.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_written_where_it_differs_from_absent() {
        let json = serde_json::to_string(&SetMaxThinkingTokens::reset());
        assert_eq!(
            json.expect("JSON"),
            r#"{"subtype":"set_max_thinking_tokens","max_thinking_tokens":null}"#
        );
        let json = serde_json::to_string(&SetHasSubscribers::unknown());
        assert_eq!(
            json.expect("JSON"),
            r#"{"subtype":"set_has_subscribers","has_subscribers":null}"#
        );
    }
}
