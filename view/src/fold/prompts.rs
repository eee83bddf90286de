//! Prompts, and other messages with the role of a user.

use super::agents::tag;
use crate::change::Member;
use crate::entry::{Body, Delivery, EntryId, LongText, NoticeKind, Prompt};
use crate::text::{cut, output};
use crate::view::View;
use agentwire_protocol::host::SubmissionState;
use agentwire_protocol::message::{CommandLifecycle, CommandState, UserMessage};
use agentwire_protocol::transcript::Author;

impl View {
    /// Handles a prompt that the host sends.
    pub(super) fn sent(&mut self, uuid: &str, message: &UserMessage) {
        self.prompt(uuid.into(), None, message, Delivery::Sent);
    }

    fn prompt(
        &mut self,
        id: EntryId,
        parent: Option<EntryId>,
        message: &UserMessage,
        delivery: Delivery,
    ) {
        let (mut text, attachments) = self.prompt_parts(message);
        if let Some(command) = command(&text.text) {
            text = LongText {
                text: command,
                omitted: None,
            };
        }
        let prompt = Prompt {
            text,
            attachments,
            priority: message.priority.as_ref().map(|it| it.as_str().to_owned()),
            delivery,
        };
        self.insert(id, parent, Body::Prompt(prompt));
    }

    pub(super) fn delivered(&mut self, uuid: &str, state: Delivery) {
        let id = EntryId::from(uuid);
        let Some(Body::Prompt(prompt)) = self.get(&id).map(|it| &it.body) else {
            return;
        };
        // A turn that was interrupted had picked up its prompt.
        if prompt.delivery == state || prompt.delivery == Delivery::Delivered {
            return;
        }
        if matches!(state, Delivery::Delivered | Delivery::Cancelled) {
            self.move_to_end(&id);
        }
        self.set(&id, Member::Delivery(state));
    }

    pub(super) fn submission(&mut self, uuid: &str, state: SubmissionState) {
        use SubmissionState as State;
        self.delivered(
            uuid,
            match state {
                State::Waiting | State::Handed | State::Written => Delivery::Sent,
                State::Queued => Delivery::Queued,
                State::Started | State::Completed => Delivery::Delivered,
                _ => Delivery::Cancelled,
            },
        );
    }

    pub(super) fn lifecycle(&mut self, lifecycle: &CommandLifecycle) {
        let uuid = &lifecycle.command_uuid;
        match lifecycle.state {
            CommandState::Queued => self.delivered(uuid, Delivery::Queued),
            CommandState::Started => self.delivered(uuid, Delivery::Delivered),
            CommandState::Cancelled => self.delivered(uuid, Delivery::Cancelled),
            // A turn may pick up a message and end before it reports the start.
            CommandState::Completed => self.delivered(uuid, Delivery::Delivered),
            _ => {}
        }
    }

    /// Applies a message with the role of a user.
    pub(super) fn user(&mut self, message: &UserMessage) {
        let parent = self.parent_of(
            message.parent_tool_use_id.as_deref(),
            message.subagent_type.as_deref(),
            message.task_description.as_deref(),
        );
        let author = message.author();
        if author == Author::Tool {
            return self.results(message);
        }
        let (text, _) = self.prompt_parts(message);
        let uuid = message.uuid.as_ref();
        match author {
            Author::Person if is_interruption(&text.text) => {
                let id = self.id_or_number(uuid, "interrupted");
                self.notice(
                    id,
                    parent.as_ref(),
                    NoticeKind::Interrupted,
                    "Interrupted by the user",
                    None,
                );
            }
            // The call that started the sub-agent has the prompt.
            Author::Person if parent.is_some() => {}
            Author::Person => {
                let id = self.id_or_number(uuid, "prompt");
                match self.get(&id) {
                    Some(_) => self.delivered(&id, Delivery::Delivered),
                    None => self.prompt(id, None, message, Delivery::Delivered),
                }
            }
            Author::Command => self.command(message, &text),
            Author::Notification => {
                let told = tag(&text.text, "task-notification").is_some();
                if told && self.task_told(&text.text) {
                    return;
                }
                let id = self.id_or_number(uuid, "message");
                let title = tag(&text.text, "summary").unwrap_or("A message for the agent");
                let title = title.to_owned();
                let kind = match told {
                    true => NoticeKind::Task,
                    false => NoticeKind::Message,
                };
                let detail = (!told).then_some(text);
                self.notice(id, parent.as_ref(), kind, &title, detail);
            }
            Author::Summary => {
                if let Some(id) = self.fold.compaction.take() {
                    self.set(&id, Member::Detail(Some(text)));
                }
            }
            Author::Hook => {
                let id = self.id_or_number(uuid, "hook");
                let title = text.text.lines().next().unwrap_or_default().to_owned();
                self.notice(id, parent.as_ref(), NoticeKind::Hook, &title, Some(text));
            }
            _ => {}
        }
    }

    /// Applies a command of the user, or its output, as a transcript has them.
    fn command(&mut self, message: &UserMessage, text: &LongText) {
        let uuid = message.uuid.as_ref();
        if command(&text.text).is_some() {
            let id = self.id_or_number(uuid, "prompt");
            if self.get(&id).is_none() {
                self.prompt(id, None, message, Delivery::Delivered);
            }
            return;
        }
        let printed = [
            "local-command-stdout",
            "local-command-stderr",
            "bash-stdout",
        ];
        let printed = printed.iter().find_map(|name| tag(&text.text, name));
        if let Some(printed) = printed.filter(|text| !text.trim().is_empty()) {
            let printed = printed.to_owned();
            let id = self.id_or_number(uuid, "output");
            self.command_output(id, &printed);
        }
    }

    pub(super) fn command_output(&mut self, id: EntryId, printed: &str) {
        let detail = cut(output(printed.trim()), self.limits.output);
        let kind = NoticeKind::CommandOutput;
        self.notice(id, None, kind, "Output of the command", Some(detail));
    }
}

/// Returns the command that the user typed, from the text that the agent stores.
fn command(text: &str) -> Option<String> {
    if !text.trim_start().starts_with("<command-") {
        return None;
    }
    let name = tag(text, "command-name")?.trim();
    let arguments = tag(text, "command-args").unwrap_or_default().trim();
    Some(format!("{name} {arguments}").trim_end().to_owned())
}

/// Returns whether the agent wrote this text to record an interruption.
fn is_interruption(text: &str) -> bool {
    text.starts_with("[Request interrupted by user")
}
