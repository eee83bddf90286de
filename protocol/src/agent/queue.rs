//! The agent's prompt queue, as measured: first in, first out within a priority
//! class, and a whole class becomes one turn. An agent without priorities has
//! one class, and runs its messages one by one.

use crate::message::UserMessage;
use crate::outbox::Urgency;
use std::collections::VecDeque;

/// The queued prompts.
#[derive(Debug, Default)]
pub(super) struct Queue {
    classes: [VecDeque<UserMessage>; 3],
    minds_priorities: bool,
}

impl Queue {
    pub(super) fn new(minds_priorities: bool) -> Self {
        Self {
            minds_priorities,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, message: UserMessage) {
        let class = self.class_of(&message);
        self.classes[class].push_back(message);
    }

    fn class_of(&self, message: &UserMessage) -> usize {
        let class = if self.minds_priorities {
            Urgency::from(message.priority.as_ref())
        } else {
            Urgency::Later
        };
        class as usize
    }

    /// Removes and returns the prompts of the next turn: those of the most
    /// urgent non-empty class up to a command, or a single prompt without
    /// priorities. A command has a turn of its own.
    pub(super) fn next_turn(
        &mut self,
        is_command: impl Fn(&UserMessage) -> bool,
    ) -> Vec<UserMessage> {
        let Some(class) = self.classes.iter_mut().find(|class| !class.is_empty()) else {
            return vec![];
        };
        let count = if self.minds_priorities {
            let command = class.iter().position(is_command);
            command.unwrap_or(class.len()).max(1)
        } else {
            1
        };
        class.drain(..count).collect()
    }

    /// Removes and returns the prompts to fold into the running turn after its
    /// tool calls: those with the priority `next` that are not commands.
    pub(super) fn fold(&mut self, is_command: impl Fn(&UserMessage) -> bool) -> Vec<UserMessage> {
        let class = &mut self.classes[Urgency::Next as usize];
        let (commands, prompts): (VecDeque<_>, VecDeque<_>) = class.drain(..).partition(is_command);
        *class = commands;
        prompts.into()
    }

    pub(super) fn withdraw(&mut self, uuid: &str) -> bool {
        self.classes.iter_mut().any(|class| {
            let at = class
                .iter()
                .position(|message| message.uuid.as_deref() == Some(uuid));
            at.and_then(|at| class.remove(at)).is_some()
        })
    }

    /// Puts back prompts that a turn did not process, before the other prompts.
    pub(super) fn put_back(&mut self, messages: impl DoubleEndedIterator<Item = UserMessage>) {
        for message in messages.rev() {
            let class = self.class_of(&message);
            self.classes[class].push_front(message);
        }
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = UserMessage> {
        std::mem::take(&mut self.classes).into_iter().flatten()
    }

    pub(super) fn uuids(&self) -> Vec<String> {
        self.classes
            .iter()
            .flatten()
            .filter_map(|message| message.uuid.clone())
            .collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.classes.iter().all(VecDeque::is_empty)
    }
}
