//! The message queue for agents that have none. One turn runs at a time, and
//! the other messages are queued here.

use super::Host;
use super::pending::OwnRequest;
use super::queueing::{Preemption, Queueing};
use super::turns::Stopped;
use crate::codec::encode;
use crate::content::Content;
use crate::control::Interrupt;
use crate::message::UserMessage;
use crate::outbox::{Class, Outgoing, Urgency};
use bytes::Bytes;
use std::time::{Duration, Instant};

/// The timeout for the response to an interrupt that preempts a turn. The same
/// timeout then applies to the end of the turn.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Host {
    /// Sets which side applies the priorities of user messages. Call this
    /// before the first message. The default is [`Queueing::ByAgent`].
    pub fn set_queueing(&mut self, queueing: Queueing) {
        self.queueing = queueing;
        if let Queueing::ByHost { .. } = queueing {
            self.outbox.start_backlog();
        }
    }

    /// Handles the capabilities in the `initialize` response.
    pub(super) fn handle_capabilities(&mut self, now: Instant, has_capabilities: bool) {
        if let Queueing::Auto { .. } = self.queueing
            && !has_capabilities
        {
            self.outbox.start_backlog();
            self.preempt(now);
        }
    }

    /// Records that the agent has a queue.
    pub(super) fn has_queue(&mut self) {
        if let Queueing::Auto { .. } = self.queueing {
            self.outbox.end_backlog();
            self.preemption = Preemption::No;
        }
    }

    /// Returns whether the agent is already busy.
    fn is_agent_busy(&self) -> bool {
        // An agent also reports that it is running while one of its sub-agents
        // runs in the background, which is not a turn.
        let works = self.work.agent_works(false) && !self.background.runs();
        works || self.turns.is_running() || self.submissions.are_outstanding()
    }

    /// Returns the next line to send from this queue.
    pub(super) fn next_from_backlog(&mut self) -> Option<Outgoing> {
        if self.outbox.is_gated() || self.is_agent_busy() {
            return None;
        }
        self.preemption = Preemption::No;
        let first = self.outbox.pop_backlog(|_| true)?;
        let (Queueing::ByHost { merge: true } | Queueing::Auto { merge: true }) = self.queueing
        else {
            return Some(first);
        };
        let is_alone = self.outbox.backlog_urgency() != first.urgency();
        let Some(mut joined) = (!is_alone).then(|| Joined::new(&first)).flatten() else {
            return Some(first);
        };
        let mut others = vec![];
        while let Some(next) = (self.outbox)
            .pop_backlog(|next| next.urgency() == first.urgency() && joined.takes(next))
        {
            others.push(next.id);
        }
        // Values read from JSON can always be written as JSON.
        let line = joined.line().filter(|_| !others.is_empty());
        self.submissions.join(&first.id, others);
        Some(Outgoing {
            line: line.unwrap_or(first.line),
            ..first
        })
    }

    /// Interrupts the running turn if a queued message has the priority `now`.
    /// Does so at most once in a turn.
    pub(super) fn preempt(&mut self, now: Instant) {
        if !self.is_agent_busy() {
            self.preemption = Preemption::No;
        }
        let is_needed = self.outbox.backlog_urgency() == Some(Urgency::Now) && self.is_agent_busy();
        if self.preemption != Preemption::No || !is_needed {
            return;
        }
        self.send_own_request(
            now,
            "interrupt-for-now",
            &Interrupt::default(),
            TIMEOUT,
            OwnRequest::Preempt,
        );
        self.preemption = Preemption::Sent;
    }

    /// Handles the end of the preempting interrupt, with or without success.
    pub(super) fn handle_preempt_end(&mut self, now: Instant, succeeded: bool) {
        if self.preemption == Preemption::Sent {
            self.preemption = Preemption::Answered(now.checked_add(TIMEOUT));
        }
        if succeeded {
            self.turns.stop(Stopped::Preempted);
        }
    }

    /// Returns the deadline after which the interrupted turn counts as ended.
    pub(super) fn overdue(&self) -> Option<Instant> {
        match self.preemption {
            Preemption::Answered(until) if !self.work.is_reported() => until,
            _ => None,
        }
    }
}

impl Outgoing {
    fn urgency(&self) -> Option<Urgency> {
        match self.class {
            Class::User(urgency) => Some(urgency),
            _ => None,
        }
    }
}

/// Several messages that are sent as one.
struct Joined {
    message: UserMessage,
    /// The fields that must be equal: all except for the content and the ID.
    rest: UserMessage,
}

impl Joined {
    /// Starts with one message. Returns `None` if it cannot be joined with
    /// others.
    fn new(first: &Outgoing) -> Option<Self> {
        let message = read(first)?;
        let rest = without_content(message.clone());
        Some(Self { message, rest })
    }

    /// Adds a message if it can be joined with the others. Returns whether it
    /// was added.
    fn takes(&mut self, next: &Outgoing) -> bool {
        let Some(mut next) = read(next) else {
            return false;
        };
        let content = next.message.content.take();
        if without_content(next) != self.rest {
            return false;
        }
        let all = &mut self.message.message.content;
        *all = match (all.take(), content) {
            (Some(Content::Text(mut all)), Some(Content::Text(text))) => {
                all.push('\n');
                all.push_str(&text);
                Some(Content::Text(all))
            }
            (Some(all), Some(content)) => {
                let mut blocks = all.into_blocks();
                blocks.extend(content.into_blocks());
                Some(Content::Blocks(blocks))
            }
            (all, content) => all.or(content),
        };
        true
    }

    fn line(&self) -> Option<Bytes> {
        encode(&self.message).ok()
    }
}

/// Reads a message that can be joined with others. A command cannot be joined,
/// because the agent recognizes it only in a message of its own.
fn read(line: &Outgoing) -> Option<UserMessage> {
    let message: UserMessage = serde_json::from_slice(&line.line).ok()?;
    let is_command = match &message.message.content {
        Some(Content::Text(text)) => text.trim_start().starts_with('/'),
        Some(content) => content.text().trim_start().starts_with('/'),
        None => false,
    };
    let is_verbatim = message.client_composed == Some(true);
    let incoming_requests = message.should_query != Some(false);
    (incoming_requests && (is_verbatim || !is_command)).then_some(message)
}

fn without_content(mut message: UserMessage) -> UserMessage {
    message.message.content = None;
    message.uuid = None;
    // A message without a priority has the priority `next`.
    message.priority = None;
    message
}
