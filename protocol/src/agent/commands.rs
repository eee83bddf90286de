//! The commands `/clear` and `/compact`, which trigger hooks. They are not
//! passed to the scripted model.

use super::Agent;
use super::context::Context;
use super::hooks::Occasion;
use crate::codec::encode;
use crate::content::ContentBlock;
use crate::hook::{SessionEnd, SessionEndReason, SessionStart, SessionStartSource};
use crate::json::Json;
use crate::message::{AssistantMessage, ConversationReset, ResetTrigger, StopReason, UserMessage};
use serde_json::json;
use std::time::Instant;

/// A command in a prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// `/clear`.
    Clear,
    /// `/compact`, with the user's instructions for the summary.
    Compact(Option<String>),
}

/// Returns the command in a prompt, if it is one.
pub(super) fn command(prompt: &UserMessage) -> Option<Command> {
    if prompt.client_composed == Some(true) {
        return None;
    }
    let text = prompt.message.content.as_ref()?.text();
    let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
    match word {
        "/clear" => Some(Command::Clear),
        "/compact" => {
            let rest = rest.trim();
            Some(Command::Compact(
                (!rest.is_empty()).then(|| rest.to_owned()),
            ))
        }
        _ => None,
    }
}

impl Agent {
    pub(super) fn run_command(&mut self, now: Instant, command: Command) {
        match command {
            Command::Clear => {
                let event = SessionEnd {
                    reason: Some(SessionEndReason::Clear),
                    ..SessionEnd::default()
                };
                self.raise(now, Occasion::Clear, Some("clear"), event, None);
            }
            Command::Compact(_) if !self.has_history => self.refuse_to_compact(now),
            Command::Compact(instructions) => self.compact_by_hand(now, instructions),
        }
    }

    /// Reports that there is nothing to compact.
    fn refuse_to_compact(&mut self, now: Instant) {
        let uuids = self.turn.as_ref().map(|turn| turn.uuids.clone());
        self.send_init(&uuids.unwrap_or_default());
        let why = "There is nothing to compact.";
        let id = (self.ids)();
        let mut body = self.body(id, vec![ContentBlock::text(why)]);
        body.stop_reason = Some(StopReason::EndTurn);
        for member in ["container", "diagnostics", "stop_details"] {
            body.extra.set(member, Json::null());
        }
        let mut message = AssistantMessage {
            message: body.into(),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..AssistantMessage::default()
        };
        let source = format!("<local-command-stderr>{why}</local-command-stderr>");
        let extra = &mut message.extra;
        extra.set("parent_tool_use_id", Json::null());
        extra.set("local_command_outcome", json!({"kind": "failed"}));
        let run = json!({"command": "compact", "args": ""});
        extra.set("local_command_run", run);
        extra.set("local_command_source", source.as_str());
        self.send(encode(&message));
        self.end_without_model(now, Some("compact"), "");
    }

    /// Starts a new session for `/clear`, after the `SessionEnd` hooks.
    pub(super) fn clear(&mut self, now: Instant) {
        let user_message_uuid = self
            .turn
            .as_ref()
            .and_then(|turn| turn.uuids.first().cloned());
        let id = (self.ids)();
        let reset = ConversationReset {
            new_conversation_id: id.clone(),
            trigger: Some(ResetTrigger::Clear),
            user_message_uuid,
            timestamp: None,
            uuid: Some(id),
            session_id: Some(self.session_id.clone()),
            extra: Default::default(),
        };
        self.send(encode(&reset));
        self.end_all_tasks();
        self.session_id = (self.ids)();
        self.context = Context::default();
        let event = SessionStart {
            source: Some(SessionStartSource::Clear),
            ..SessionStart::default()
        };
        self.raise(now, Occasion::Cleared, Some("clear"), event, None);
    }

    /// Ends the turn of a command, with a text for the user. Prompts that the
    /// model is not asked about end in the same way, without a command.
    pub(super) fn end_command(&mut self, now: Instant, command: Option<&str>, outcome: &str) {
        let uuids = self.turn.as_ref().map(|turn| turn.uuids.clone());
        self.send_init(&uuids.unwrap_or_default());
        self.end_without_model(now, command, outcome);
    }
}
