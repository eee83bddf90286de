//! The agent's own queue of prompts, as measured: first in, first out within
//! a class, and a whole class becomes one turn.

use crate::message::UserMessage;
use crate::outbox::Urgency;
use std::collections::VecDeque;

/// Prompts that wait for a turn.
#[derive(Debug, Default)]
pub(super) struct Queue([VecDeque<UserMessage>; 3]);

impl Queue {
    pub(super) fn push(&mut self, message: UserMessage) {
        let class = Urgency::from(message.priority.as_ref());
        self.0[class as usize].push_back(message);
    }

    /// The prompts of the next turn: the most urgent class that has any.
    pub(super) fn next_turn(&mut self) -> Vec<UserMessage> {
        self.0
            .iter_mut()
            .find(|class| !class.is_empty())
            .map(|class| class.drain(..).collect())
            .unwrap_or_default()
    }

    /// The prompts that a running turn takes in when a tool is done.
    pub(super) fn fold(&mut self) -> Vec<UserMessage> {
        self.0[Urgency::Next as usize].drain(..).collect()
    }

    pub(super) fn withdraw(&mut self, uuid: &str) -> bool {
        self.0.iter_mut().any(|class| {
            let at = class
                .iter()
                .position(|message| message.uuid.as_deref() == Some(uuid));
            at.and_then(|at| class.remove(at)).is_some()
        })
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = UserMessage> {
        std::mem::take(&mut self.0).into_iter().flatten()
    }

    pub(super) fn uuids(&self) -> Vec<String> {
        self.0
            .iter()
            .flatten()
            .filter_map(|message| message.uuid.clone())
            .collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(VecDeque::is_empty)
    }
}
