//! The agent's prompt queue, as measured. Prompts of one priority class run
//! first in, first out, and a whole class becomes one turn. An agent without
//! priorities has one class, and runs its messages one by one.

use agentwire_protocol::message::UserMessage;
use agentwire_protocol::outbox::Urgency;
use std::collections::VecDeque;

/// The queued prompts, in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct Queue {
    prompts: VecDeque<UserMessage>,
    has_priorities: bool,
}

impl Queue {
    pub(super) fn new(has_priorities: bool) -> Self {
        Self {
            has_priorities,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, message: UserMessage) {
        self.prompts.push_back(message);
    }

    fn urgency(&self, message: &UserMessage) -> Urgency {
        if self.has_priorities {
            Urgency::from(message.priority.as_ref())
        } else {
            Urgency::Later
        }
    }

    /// Removes and returns the prompts of the next turn: those of the most
    /// urgent class up to the first for which `needs_own_turn` returns `true`.
    /// Such a prompt is returned alone. Without priorities, returns a single
    /// prompt.
    pub(super) fn next_turn(
        &mut self,
        needs_own_turn: impl Fn(&UserMessage) -> bool,
    ) -> Vec<UserMessage> {
        let urgencies = self.prompts.iter().map(|it| self.urgency(it));
        let Some(most) = urgencies.min() else {
            return vec![];
        };
        let class = self.prompts.iter().filter(|it| self.urgency(it) == most);
        let count = if self.has_priorities {
            class.take_while(|it| !needs_own_turn(it)).count().max(1)
        } else {
            1
        };
        self.take(count, |queue, it| queue.urgency(it) == most)
    }

    /// Removes and returns the prompts to fold into the running turn after its
    /// tool calls. These have the priority `next`, and `needs_own_turn` returns
    /// `false` for them.
    pub(super) fn fold(
        &mut self,
        needs_own_turn: impl Fn(&UserMessage) -> bool,
    ) -> Vec<UserMessage> {
        self.take(usize::MAX, |queue, it| {
            queue.urgency(it) == Urgency::Next && !needs_own_turn(it)
        })
    }

    /// Removes and returns the first `count` prompts for which `is_wanted`
    /// returns `true`.
    fn take(
        &mut self,
        count: usize,
        is_wanted: impl Fn(&Self, &UserMessage) -> bool,
    ) -> Vec<UserMessage> {
        let mut taken = vec![];
        for prompt in std::mem::take(&mut self.prompts) {
            if taken.len() < count && is_wanted(self, &prompt) {
                taken.push(prompt);
            } else {
                self.prompts.push_back(prompt);
            }
        }
        taken
    }

    pub(super) fn withdraw(&mut self, uuid: &str) -> bool {
        let mut prompts = self.prompts.iter();
        let at = prompts.position(|message| message.uuid.as_deref() == Some(uuid));
        at.and_then(|at| self.prompts.remove(at)).is_some()
    }

    /// Puts prompts that a turn did not process in front of the queue.
    pub(super) fn put_back(&mut self, messages: impl DoubleEndedIterator<Item = UserMessage>) {
        for message in messages.rev() {
            self.prompts.push_front(message);
        }
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = UserMessage> {
        std::mem::take(&mut self.prompts).into_iter()
    }

    pub(super) fn uuids(&self) -> Vec<String> {
        let prompts = self.prompts.iter();
        prompts.filter_map(|message| message.uuid.clone()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.prompts.is_empty()
    }
}
