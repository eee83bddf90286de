//! The command line of a session's next process.

use super::CommandLine;
use agentwire_protocol::text::contains;

/// The flags that select the conversation of a process.
const CONVERSATION: [&str; 6] = [
    "--resume",
    "--continue",
    "--fork-session",
    "--session-id",
    "--resume-session-at",
    "--resume-drops-turn",
];

/// Makes the CLI resume the interrupted turn immediately.
const RESUME_TURN: &str = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN";
/// The reason that the frames of that turn report.
const REASON: &str = "CLAUDE_CODE_RESUME_REASON";

/// The CLI's messages for a session that does not exist: by ID, by title, and by title up to
/// 2.0.77, which resumes by ID only. For the path of a transcript, the first one has a new ID.
const NOT_FOUND: [&str; 3] = [
    "No conversation found",
    "does not match any session title",
    "is not a valid UUID",
];

impl CommandLine {
    /// Returns the session to resume if the CLI exited because it does not exist. `last_words` is
    /// the CLI's standard error and the errors of its result.
    pub(crate) fn missing_session(&self, last_words: &str) -> Option<&str> {
        let mut ids = (self.arguments.iter()).filter_map(|it| it.strip_prefix("--resume="));
        let id = ids.next_back()?;
        let is_missing = NOT_FOUND.iter().any(|it| contains(last_words, it));
        is_missing.then_some(id)
    }

    /// Sets the ID of a new or forked session, unless the command line has one.
    pub(crate) fn name_session(&mut self, id: &str) {
        if self.is_new_session() || self.is_forked() && self.session_id().is_none() {
            self.arguments.push(format!("--session-id={id}"));
        }
    }

    /// Returns whether the session is a new one without an ID.
    fn is_new_session(&self) -> bool {
        let sets_conversation = |argument: &String| CONVERSATION.contains(&flag(argument));
        !self.arguments.iter().any(sets_conversation)
    }

    /// Returns whether the session is a copy of a resumed one.
    fn is_forked(&self) -> bool {
        let mut arguments = self.arguments.iter();
        arguments.any(|it| flag(it) == "--fork-session")
    }

    /// Returns the ID of a new session, if set.
    pub(crate) fn session_id(&self) -> Option<&str> {
        let mut arguments = self.arguments.iter();
        arguments.find_map(|argument| argument.strip_prefix("--session-id="))
    }

    /// Returns whether the session continues an earlier conversation.
    pub(crate) fn resumes(&self) -> bool {
        let is_earlier = |argument: &String| matches!(flag(argument), "--resume" | "--continue");
        self.arguments.iter().any(is_earlier)
    }

    /// Returns the ID of the session that the agent writes, if known.
    pub(crate) fn written_session(&self) -> Option<&str> {
        let is_forked = self.is_forked();
        let mut arguments = self.arguments.iter();
        let resumed = arguments.find_map(|argument| argument.strip_prefix("--resume="));
        self.session_id().or(resumed.filter(|_| !is_forked))
    }

    /// Returns whether the session is persisted.
    pub(crate) fn is_persisted(&self) -> bool {
        let is_not = |argument: &String| flag(argument) == "--no-session-persistence";
        !self.arguments.iter().any(is_not)
    }

    /// Returns the command line of a process that resumes this session.
    pub(crate) fn resuming(&self, id: &str) -> Self {
        self.in_conversation(format!("--resume={id}"))
    }

    /// Returns the command line of a process that creates this session, which is not on disk yet.
    pub(crate) fn beginning(&self, id: &str) -> Self {
        self.in_conversation(format!("--session-id={id}"))
    }

    fn in_conversation(&self, argument: String) -> Self {
        let mut line = self.clone();
        line.arguments
            .retain(|argument| !CONVERSATION.contains(&flag(argument)));
        line.arguments.push(argument);
        line
    }

    /// Makes the process resume the interrupted turn.
    pub(crate) fn resume_turn(&mut self, reason: &str) {
        for (name, value) in [(RESUME_TURN, "1"), (REASON, reason)] {
            self.environment.push((name.into(), value.into()));
        }
    }

    /// Returns the value of a flag.
    pub(crate) fn flag_value(&self, name: &str) -> Option<&str> {
        let mut arguments = self.arguments.iter();
        arguments.find_map(|it| it.strip_prefix(name)?.strip_prefix('='))
    }

    /// Sets a flag with a value.
    pub(crate) fn set_flag(&mut self, name: &str, value: &str) {
        self.arguments.retain(|argument| flag(argument) != name);
        self.arguments.push(format!("{name}={value}"));
    }
}

/// Returns the flag of an argument, without its value.
fn flag(argument: &str) -> &str {
    argument.split_once('=').map_or(argument, |(flag, _)| flag)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::Options;

    #[test]
    fn the_next_command_line_only_changes_the_conversation() {
        let options = Options::new().resume("a").fork_session(true).model("haiku");
        let line = options.assemble().unwrap();
        let next = line.resuming("b");
        let of_conversation = |it: &&String| {
            it.starts_with("--resume") || it.starts_with("--fork") || it.starts_with("--session")
        };
        let said: Vec<_> = next.arguments.iter().filter(of_conversation).collect();
        assert_eq!(said, ["--resume=b"]);
        assert!(next.arguments.contains(&"--model=haiku".to_owned()));
        assert!(line.resumes() && line.is_persisted() && line.session_id().is_none());
    }

    #[test]
    fn every_version_says_that_a_session_does_not_exist() {
        let id = "11111111-1111-4111-8111-111111111111";
        let by_title =
            r#"Provided value "a "title"" is not a UUID and does not match any session title."#;
        for (session, said) in [
            (
                id,
                "No conversation found with session ID: 11111111-1111-4111-8111-111111111111",
            ),
            // The CLI names a new ID for the path of a transcript.
            (
                "/a/b.jsonl",
                "No conversation found with session ID: 22222222-2222-4222-8222-222222222222",
            ),
            (r#"a "title""#, by_title),
            // 2.0.77
            (
                r#"a "title""#,
                r#"Provided value "a "title"" is not a valid UUID"#,
            ),
        ] {
            let line = Options::new().resume(session).assemble().unwrap();
            assert_eq!(line.missing_session(said), Some(session), "{said}");
            let other = "No message found with message.uuid of: 3";
            assert_eq!(line.missing_session(other), None);
            assert_eq!(
                Options::new().assemble().unwrap().missing_session(said),
                None
            );
        }
    }

    #[test]
    fn only_new_sessions_get_an_id() {
        let mut new = Options::new().assemble().unwrap();
        new.name_session("1");
        assert_eq!(new.session_id(), Some("1"));
        let mut resumed = Options::new().resume("a").assemble().unwrap();
        resumed.name_session("1");
        assert_eq!(resumed.session_id(), None);
        let options = Options::new().resume("a").fork_session(true);
        let mut fork = options.assemble().unwrap();
        fork.name_session("1");
        assert_eq!(fork.written_session(), Some("1"));
    }
}
