//! Notices for the user, outside the conversation.

use super::Agent;
use agentwire_protocol::codec::encode;
use agentwire_protocol::message::{
    Informational, InformationalLevel, NotificationMessage, NotificationPriority,
};

impl Agent {
    /// Sends the messages of hooks to the user.
    pub(super) fn send_hook_messages(&mut self, whose: &str, messages: Vec<String>) {
        for message in messages {
            let content = format!("{whose} says: {message}");
            self.send_notice(line(InformationalLevel::Notice, content));
        }
    }

    /// Sends a notice to the user.
    pub(super) fn send_notice(&mut self, line: Informational) {
        let line = wire!(Informational {
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..line
        });
        self.send(encode(&line));
    }

    /// Sends a notification to show at once.
    pub(super) fn send_notification(&mut self, key: &str, text: &str) {
        let notification = wire!(NotificationMessage {
            key: key.to_owned(),
            text: text.to_owned(),
            priority: Some(NotificationPriority::Immediate),
            color: None,
            timeout_ms: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&notification));
    }
}

/// Creates a notice for the user.
pub(super) fn line(level: InformationalLevel, content: String) -> Informational {
    wire!(Informational {
        content,
        level: Some(level),
        tool_use_id: None,
        prevent_continuation: None,
        tag: None,
        prompt_submit_outcome: None,
        uuid: None,
        session_id: None,
    })
}
