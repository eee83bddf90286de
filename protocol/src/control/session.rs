//! Requests about the session as a whole: its name, its thinking, who watches
//! it, and what can be asked on the side.

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
    /// Sets how much the model may think from now on.
    #[derive(Default)]
    pub struct SetMaxThinkingTokens tags("subtype" = "set_max_thinking_tokens") {
        /// The most tokens of a thought; 0 is none. `null` on the wire is
        /// the agent's default, and absent leaves it as it is.
        pub max_thinking_tokens: Option<i64>,
        /// How thinking is shown. Here, too, `null` is not absent.
        pub thinking_display: Option<ThinkingDisplay>,
    }
}

object! {
    /// Gives the session a title.
    #[derive(Default)]
    pub struct RenameSession tags("subtype" = "rename_session") {
        /// The title.
        pub title: String,
        /// Who chose it; [`TitleSource::Remote`], when absent.
        pub source: Option<TitleSource>,
        /// The session that is meant. The agent refuses when it is in
        /// another one by then.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// Who chose a title.
    pub enum TitleSource {
        /// Somebody far away, whose choice is passed on.
        Remote = "remote",
        /// The user of the host.
        Host = "host",
    }
}

object! {
    /// Asks the model for a title. Measured, not declared.
    #[derive(Default)]
    pub struct GenerateSessionTitle tags("subtype" = "generate_session_title") {
        /// What the session is about.
        pub description: String,
        /// Whether the title is given to the session as well.
        pub persist: Option<bool>,
    }
}

object! {
    /// The title that the model found.
    #[derive(Default)]
    pub struct SessionTitle {
        /// The title; `null`, when there is none.
        pub title: Option<String>,
    }
}

object! {
    /// Asks the model something that stays out of the conversation.
    /// Measured, not declared.
    #[derive(Default)]
    pub struct SideQuestion tags("subtype" = "side_question") {
        /// The question.
        pub question: String,
    }
}

object! {
    /// What the model answered on the side.
    #[derive(Default)]
    pub struct SideAnswer {
        /// The answer.
        pub response: Option<String>,
        /// Whether the agent made it up without the model.
        pub synthetic: Option<bool>,
    }
}

object! {
    /// Sets the session's colour. Declared, but agents refuse it.
    #[derive(Default)]
    pub struct SetColor tags("subtype" = "set_color") {
        /// The colour's name.
        pub color: String,
    }
}

object! {
    /// Says whether anybody watches the session.
    #[derive(Default)]
    pub struct SetHasSubscribers tags("subtype" = "set_has_subscribers") {
        /// Whether somebody does; assumed, where it is `null`. It must not
        /// be absent, so `None` is for reading: to write `null`, use
        /// [`SetHasSubscribers::unknown`].
        pub has_subscribers: Option<bool>,
    }
}

object! {
    /// Moves the session to another working directory. Measured, not
    /// declared.
    #[derive(Default)]
    pub struct SetCwd tags("subtype" = "set_cwd") {
        /// The directory.
        pub path: String,
        /// Whether the user has said that it can be trusted.
        pub trust_accepted: Option<bool>,
        /// What the user was shown then: the `directory` of the answer that
        /// asked for it.
        pub trusted_directory: Option<String>,
    }
}

object! {
    /// What became of moving a session. A move that was not made is an answer
    /// like any other, and no error.
    pub struct SetCwdAnswer {
        /// Whether it was moved.
        pub status: CwdOutcome,
        /// Where the session is now.
        pub cwd: Option<String>,
        /// Whether it was elsewhere before.
        pub changed: Option<bool>,
        /// Whether the transcript is where a session of this directory has
        /// it.
        pub transcript_relocated: Option<bool>,
        /// The directory that the user has to trust first.
        pub directory: Option<String>,
        /// The repository that is trusted with it.
        pub trust_root: Option<String>,
        /// Why it was not moved.
        pub reason: Option<CwdRejection>,
        /// The same in words.
        pub message: Option<String>,
    }
}

open_enum! {
    /// Whether a session was moved.
    pub enum CwdOutcome {
        /// It is there now.
        Moved = "ok",
        /// The user has to trust the directory first; see
        /// [`SetCwd::trusting`].
        NeedsTrust = "needs_trust",
        /// It cannot be moved there.
        Rejected = "rejected",
    }
}

open_enum! {
    /// Why a session was not moved.
    pub enum CwdRejection {
        /// There is nothing there.
        NotFound = "not_found",
        /// It is something else than a directory.
        NotADirectory = "not_a_directory",
        /// A rule does not allow it.
        BlockedByRule = "blocked_by_rule",
        /// A turn runs.
        Busy = "busy",
        /// The path has characters that cannot be seen.
        UnsafePath = "unsafe_path",
        /// Somebody far away asked for it.
        RemoteOrigin = "remote_origin",
    }
}

object! {
    /// Ends the session. Measured, not declared.
    #[derive(Default)]
    pub struct EndSession tags("subtype" = "end_session") {}
}

impl SetMaxThinkingTokens {
    /// Sets this limit.
    #[must_use]
    pub fn to(tokens: u32) -> Self {
        Self {
            max_thinking_tokens: Some(tokens.into()),
            ..Self::default()
        }
    }

    /// Goes back to the agent's own limit.
    #[must_use]
    pub fn reset() -> Self {
        let mut request = Self::default();
        request.extra.set("max_thinking_tokens", Json::null());
        request
    }

    /// Sets how thinking is shown, and leaves the limit as it is.
    #[must_use]
    pub fn shown(display: ThinkingDisplay) -> Self {
        Self {
            thinking_display: Some(display),
            ..Self::default()
        }
    }
}

impl RenameSession {
    /// A title that the user of the host chose.
    pub fn by_user(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            source: Some(TitleSource::Host),
            ..Self::default()
        }
    }
}

impl GenerateSessionTitle {
    /// A title for this, which the session does not get.
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            persist: Some(false),
            ..Self::default()
        }
    }

    /// Gives it to the session as well.
    #[must_use]
    pub fn persisted(mut self) -> Self {
        self.persist = Some(true);
        self
    }
}

impl SideQuestion {
    /// Asks this.
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            ..Self::default()
        }
    }
}

impl SetColor {
    /// Sets this colour.
    pub fn to(color: impl Into<String>) -> Self {
        Self {
            color: color.into(),
            ..Self::default()
        }
    }
}

impl SetHasSubscribers {
    /// Somebody watches, or nobody does.
    #[must_use]
    pub fn to(has_subscribers: bool) -> Self {
        Self {
            has_subscribers: Some(has_subscribers),
            ..Self::default()
        }
    }

    /// The host cannot tell.
    #[must_use]
    pub fn unknown() -> Self {
        let mut request = Self::default();
        request.extra.set("has_subscribers", Json::null());
        request
    }
}

impl SetCwd {
    /// Moves there.
    pub fn to(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Says that the user trusts this directory, which is what the answer
    /// before named in [`SetCwdAnswer::directory`].
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
    fn null_is_written_where_it_says_something() {
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
