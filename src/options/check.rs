//! The options of a check.

use super::Options;
use agentwire_protocol::message::UserMessage;

/// The prompt of a check, which needs no tool.
const PROMPT: &str = "Reply with the single word OK.";

/// Flags that name a session or belong to one.
const OF_A_SESSION: [&str; 7] = [
    "--resume",
    "--continue",
    "--fork-session",
    "--session-id",
    "--resume-session-at",
    "--resume-drops-turn",
    "--session-mirror",
];

impl Options {
    /// Returns these options for a separate session: without the session to resume, the store,
    /// attachments, the group and the callbacks that only observe.
    pub(crate) fn without_session(&self) -> Self {
        let mut copy = self.clone();
        for flag in OF_A_SESSION {
            copy.unset(flag);
        }
        copy.initialize.title = None;
        Self {
            stderr: None,
            on_notice: None,
            group: None,
            attachments: Vec::new(),
            store_attachment: None,
            session_store: None,
            resumes_from_store: false,
            restart: None,
            sleep_after: None,
            ..copy
        }
    }

    /// Returns these options for a single turn that leaves no transcript, and its prompt.
    pub(crate) fn for_turn(self) -> (Self, Option<UserMessage>) {
        let options = self.persist_session(false).max_turns(1);
        (options, Some(UserMessage::text(PROMPT)))
    }

    /// Removes a flag that the CLI refused. Returns whether it was set.
    pub(crate) fn remove_flag(&mut self, flag: &str) -> bool {
        let before = self.arguments.len();
        self.arguments
            .retain(|it| it.flag.split('=').next() != Some(flag));
        self.arguments.len() < before
    }
}
