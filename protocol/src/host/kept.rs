//! The queue for an agent that has none: one turn at a time, and everything
//! else waits here.

use super::Host;
use super::pending::OwnRequest;
use super::queueing::{Pressing, Queueing};
use super::turns::Stopped;
use crate::codec::encode;
use crate::content::{Content, ContentBlock};
use crate::control::Interrupt;
use crate::message::UserMessage;
use crate::outbox::{Class, Outgoing, Urgency};
use crate::sabotage::{Bug, is_on};
use bytes::Bytes;
use std::time::{Duration, Instant};

/// How long the agent may take to answer an interrupt that was made for a
/// message, and to stop after it has.
const PATIENCE: Duration = Duration::from_secs(60);

impl Host {
    /// Sets who sees to the priorities of user messages. It is
    /// [`Queueing::ByAgent`] if this is never called, which it is to be before
    /// the first message.
    pub fn set_queueing(&mut self, queueing: Queueing) {
        self.queueing = queueing;
        if let Queueing::ByHost { .. } = queueing {
            self.outbox.keep_users();
        }
    }

    /// The agent has said what it can do, in its answer to `initialize`.
    pub(super) fn introduced(&mut self, now: Instant, has_capabilities: bool) {
        if let Queueing::Auto { .. } = self.queueing
            && !has_capabilities
        {
            self.outbox.keep_users();
            self.press(now);
        }
    }

    /// The agent has shown that it has a queue.
    pub(super) fn has_queue(&mut self) {
        if let Queueing::Auto { .. } = self.queueing {
            self.outbox.let_users_go();
            self.pressing = Pressing::No;
        }
    }

    /// Whether the agent has something to do already.
    fn is_agent_busy(&self) -> bool {
        // An agent says that it works as long as a sub-agent of its does, in
        // the background: that is no turn.
        let works = self.work.agent_works(false) && !self.background.runs();
        works || self.turns.is_running() || self.submissions.are_outstanding()
    }

    /// The line that goes next of those that are kept here.
    pub(super) fn next_kept(&mut self) -> Option<Outgoing> {
        let must_wait = self.is_agent_busy() && !is_on(Bug::TwoTurns);
        if self.outbox.is_held() || must_wait {
            return None;
        }
        self.pressing = Pressing::No;
        let first = self.outbox.pop_kept(|_| true)?;
        let (Queueing::ByHost { merge: true } | Queueing::Auto { merge: true }) = self.queueing
        else {
            return Some(first);
        };
        let is_alone = self.outbox.kept() != first.urgency();
        let Some(mut joined) = (!is_alone).then(|| Joined::new(&first)).flatten() else {
            return Some(first);
        };
        let mut others = vec![];
        while let Some(next) =
            (self.outbox).pop_kept(|next| next.urgency() == first.urgency() && joined.takes(next))
        {
            others.push(next.id);
        }
        // What was read from JSON is always JSON.
        let line = joined.line().filter(|_| !others.is_empty());
        self.submissions.join(&first.id, others);
        Some(Outgoing {
            line: line.unwrap_or(first.line),
            ..first
        })
    }

    /// Interrupts the turn that runs, once, when a message is kept that is for
    /// now.
    pub(super) fn press(&mut self, now: Instant) {
        if !self.is_agent_busy() {
            self.pressing = Pressing::No;
        }
        let is_needed = self.outbox.kept() == Some(Urgency::Now) && self.is_agent_busy();
        if self.pressing != Pressing::No || !is_needed {
            return;
        }
        self.ask_for_itself(
            now,
            "interrupt-for-now",
            &Interrupt::default(),
            PATIENCE,
            OwnRequest::Press,
        );
        self.pressing = Pressing::Asked;
    }

    /// The interrupt was answered, or will not be.
    pub(super) fn pressed(&mut self, now: Instant, succeeded: bool) {
        if self.pressing == Pressing::Asked {
            self.pressing = Pressing::Answered(now.checked_add(PATIENCE));
        }
        if succeeded {
            self.turns.stop(Stopped::Preempted);
        }
    }

    /// When the turn that was interrupted is taken to be over.
    pub(super) fn overdue(&self) -> Option<Instant> {
        match self.pressing {
            Pressing::Answered(until) if !self.work.is_reported() => until,
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

/// Several messages as one.
struct Joined {
    message: UserMessage,
    /// What has to be the same: everything but the content and the id.
    rest: UserMessage,
}

impl Joined {
    /// `None` for a message that has to stay alone.
    fn new(first: &Outgoing) -> Option<Self> {
        let message = read(first)?;
        let rest = without_content(message.clone());
        Some(Self { message, rest })
    }

    /// Takes a message in, if it can be said in one breath with the others.
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
                let mut blocks = blocks(all);
                blocks.extend(self::blocks(content));
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

/// A message that may be one of several. A command is read only where it
/// stands alone.
fn read(line: &Outgoing) -> Option<UserMessage> {
    let message: UserMessage = serde_json::from_slice(&line.line).ok()?;
    let is_command = match &message.message.content {
        Some(Content::Text(text)) => text.trim_start().starts_with('/'),
        Some(content) => content.text().trim_start().starts_with('/'),
        None => false,
    };
    let is_verbatim = message.client_composed == Some(true);
    let asks = message.should_query != Some(false);
    (asks && (is_verbatim || !is_command)).then_some(message)
}

fn without_content(mut message: UserMessage) -> UserMessage {
    message.message.content = None;
    message.uuid = None;
    // `next` is what a message without a priority is.
    message.priority = None;
    message
}

fn blocks(content: Content) -> Vec<ContentBlock> {
    match content {
        Content::Blocks(blocks) => blocks,
        Content::Text(text) => vec![ContentBlock::text(text)],
    }
}
