//! Prompts that call a command. Each has its own turn and is not passed to the
//! model.
//!
//! `/clear` and `/compact` change the conversation and are handled here. The
//! driver runs the other [declared commands](super::Declared::commands).

use super::context::Context;
use super::hooks::Occasion;
use super::{Agent, Event, Profile};
use agentwire_protocol::codec::encode;
use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::hook::{SessionEnd, SessionEndReason, SessionStart, SessionStartSource};
use agentwire_protocol::json::Json;
use agentwire_protocol::message::{
    AssistantMessage, ConversationReset, ResetTrigger, StopReason, UserMessage,
};
use serde_json::json;
use std::time::Instant;

/// The text that the host receives if there is nothing to compact.
pub(super) const NOTHING_TO_COMPACT: &str = "There is nothing to compact.";

/// The model that the agent names in messages that it writes itself.
const SYNTHETIC: &str = "<synthetic>";

/// A command in a prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// The name, without the slash.
    name: String,
    /// The text after the name.
    args: String,
}

/// The output of a command.
#[derive(Debug, Clone, Default)]
pub struct CommandOutput {
    text: String,
    run: Option<String>,
    outcome: Option<&'static str>,
    members: Vec<(&'static str, Json)>,
}

impl CommandOutput {
    /// Creates the output of a command. `run` is its name; the prompt may have
    /// called it by an alias.
    pub fn new(run: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            run: Some(run.into()),
            ..Self::default()
        }
    }

    /// Creates the output of a command that works only in a terminal.
    pub fn unavailable(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            outcome: Some("unavailable_headless"),
            ..Self::default()
        }
    }

    /// Adds a member to the message with the output.
    #[must_use]
    pub fn member(mut self, name: &'static str, value: impl Into<Json>) -> Self {
        self.members.push((name, value.into()));
        self
    }
}

impl Agent {
    /// Returns the command that a prompt calls, if it calls one.
    pub(super) fn command(&self, prompt: &UserMessage) -> Option<Command> {
        let commands = &self.config.declared.commands;
        command(prompt).filter(|it| is_own(&it.name) || commands.contains(&it.name))
    }

    pub(super) fn run_command(&mut self, now: Instant, command: Command) {
        let Command { name, args } = command;
        if let Some(turn) = &mut self.turn {
            turn.command = Some(name.clone());
        }
        match &*name {
            "clear" => {
                let event = wire!(SessionEnd {
                    reason: Some(SessionEndReason::Clear),
                });
                self.raise(now, Occasion::Clear, Some("clear"), event, None);
            }
            "compact" if self.has_history => {
                self.compact_on_command(now, (!args.is_empty()).then_some(args));
            }
            "compact" => self.report_nothing_to_compact(now, true),
            _ => {
                let called = Event::CommandCalled { name, args };
                self.events.push_back(called);
            }
        }
    }

    /// Ends the turn of a command that arrived as [`Event::CommandCalled`].
    pub fn finish_command(&mut self, now: Instant, output: CommandOutput) {
        let Some(turn) = &self.turn else { return };
        let (uuids, command) = (turn.uuids.clone(), turn.command.clone());
        let args = match &*turn.prompts {
            [prompt] => self::command(prompt).map_or_else(String::new, |it| it.args),
            _ => String::new(),
        };
        self.send_init(&uuids);
        let source = format!(
            "<local-command-stdout>{}</local-command-stdout>",
            output.text
        );
        let mut members = vec![("local_command_source", source.as_str().into())];
        if let Some(run) = &output.run {
            let run = json!({"command": run, "args": args});
            members.push(("local_command_run", run.into()));
        }
        if let Some(kind) = output.outcome {
            members.push(("local_command_outcome", json!({ "kind": kind }).into()));
        }
        members.extend(output.members);
        self.send_output(&output.text, members);
        if let Some(run) = &output.run {
            self.replay_command(run, &args);
        }
        let command = command.filter(|_| output.run.is_some());
        self.end_without_model(now, command.as_deref(), &output.text);
    }

    /// Echoes the prompt that called a command, if the host wants that.
    pub(super) fn replay_command(&mut self, run: &str, args: &str) {
        if !self.config.replays_prompts {
            return;
        }
        let echo = format!(
            "<command-name>/{run}</command-name>\n            \
             <command-message>{run}</command-message>\n            \
             <command-args>{args}</command-args>"
        );
        let mut echo = UserMessage::new(echo);
        echo.is_replay = Some(true);
        let turn = self.turn.as_ref();
        echo.uuid = turn.and_then(|turn| turn.uuids.first().cloned());
        self.send_user_message(echo);
    }

    /// Reports that there is nothing to compact. In an empty session this is a
    /// failure.
    pub(super) fn report_nothing_to_compact(&mut self, now: Instant, is_failure: bool) {
        let uuids = self.turn.as_ref().map(|turn| turn.uuids.clone());
        self.send_init(&uuids.unwrap_or_default());
        let why = NOTHING_TO_COMPACT;
        let source = format!("<local-command-stderr>{why}</local-command-stderr>");
        let mut members: Vec<(_, Json)> = vec![
            (
                "local_command_run",
                json!({"command": "compact", "args": ""}).into(),
            ),
            ("local_command_source", source.as_str().into()),
        ];
        if is_failure {
            members.push(("local_command_outcome", json!({"kind": "failed"}).into()));
        }
        self.send_output(why, members);
        self.replay_command("compact", "");
        let text = if is_failure { "" } else { why };
        self.end_without_model(now, Some("compact"), text);
    }

    /// Sends the output of a command as a message of the assistant.
    fn send_output(&mut self, text: &str, members: Vec<(&'static str, Json)>) {
        let id = (self.ids)();
        let mut body = self.body(id, vec![ContentBlock::text(text)]);
        body.model = Some(SYNTHETIC.to_owned());
        body.stop_reason = Some(StopReason::EndTurn);
        for member in [
            "container",
            "context_management",
            "diagnostics",
            "stop_details",
        ] {
            body.extra.set(member, Json::null());
        }
        let mut message = wire!(AssistantMessage {
            message: body.into(),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            timestamp: (self.config.timestamp)(),
        });
        message.extra.set("parent_tool_use_id", Json::null());
        for (member, value) in members {
            match member {
                "context_usage" => message.context_usage = value.read().ok(),
                _ => message.extra.set(member, value),
            }
        }
        self.send(encode(&message));
        self.has_history = true;
        self.context.add_output(message);
    }

    /// Starts a new session for `/clear`, after the `SessionEnd` hooks.
    pub(super) fn clear(&mut self, now: Instant) {
        let user_message_uuid = self
            .turn
            .as_ref()
            .and_then(|turn| turn.uuids.first().cloned());
        let id = (self.ids)();
        let reset = wire!(ConversationReset {
            new_conversation_id: id.clone(),
            trigger: Some(ResetTrigger::Clear),
            user_message_uuid,
            timestamp: (self.config.timestamp)(),
            uuid: Some(id),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&reset));
        self.end_all_tasks();
        let model_usage = self.model_usage();
        let id = (self.ids)();
        let session_id = std::mem::replace(&mut self.session_id, id);
        // The sums of older versions continue.
        if self.config.profile.is_none_or(Profile::stores_usage) {
            self.account.clear();
        }
        if !model_usage.is_empty() {
            self.events.push_back(Event::Cleared {
                session_id,
                model_usage,
            });
        }
        self.context = Context::default();
        // The new session keeps the title, and sends it twice.
        self.send_title();
        self.send_title();
        let event = wire!(SessionStart {
            source: Some(SessionStartSource::Clear),
            session_title: self.title.clone(),
        });
        self.raise(now, Occasion::Cleared, Some("clear"), event, None);
    }

    /// Ends the turn of a command, with a text for the user. A turn whose
    /// prompts the model does not receive ends in the same way, without a
    /// command.
    pub(super) fn end_command(&mut self, now: Instant, command: Option<&str>, outcome: &str) {
        let uuids = self.turn.as_ref().map(|turn| turn.uuids.clone());
        self.send_init(&uuids.unwrap_or_default());
        match command {
            Some(command) => self.replay_command(command, ""),
            None => self.replay_prompts(),
        }
        self.end_without_model(now, command, outcome);
    }
}

/// Returns whether this file handles the command.
fn is_own(name: &str) -> bool {
    matches!(name, "clear" | "compact")
}

/// Returns whether a prompt needs its own turn, because it has the form of a
/// command. The command need not exist, and blanks may precede it.
pub(super) fn needs_own_turn(prompt: &UserMessage) -> bool {
    typed(prompt).is_some_and(|text| text.trim_start().starts_with('/'))
}

/// Returns the text that may be a command: the last text block of the prompt,
/// or its whole text.
fn typed(prompt: &UserMessage) -> Option<&str> {
    if prompt.client_composed == Some(true) {
        return None;
    }
    match prompt.message.content.as_ref()? {
        Content::Text(text) => Some(text),
        Content::Blocks(blocks) => blocks.last()?.as_text(),
    }
}

/// Parses a prompt that has the form of a command.
fn command(prompt: &UserMessage) -> Option<Command> {
    let text = typed(prompt)?.strip_prefix('/')?;
    let (name, args) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    Some(Command {
        name: name.to_owned(),
        args: args.trim().to_owned(),
    })
}
