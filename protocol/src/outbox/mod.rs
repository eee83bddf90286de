//! What waits to be written, and the order in which it goes.
//!
//! The order on the pipe has meaning to the agent: a prompt behind a
//! `set_model` runs on the new model, an `interrupt` before a prompt leaves
//! it alone. So the order of calls is the order on the wire, but for two
//! exceptions:
//!
//! - answers, interrupts and what MCP servers of the host begin may pass user
//!   messages that still wait, but not one another: the result of a server's
//!   tool never passes the progress that came before it;
//! - user messages are ordered now, next, later among themselves (first in,
//!   first out within a class), and only up to the nearest control request,
//!   which is a fence.
//!
//! While the outbox is held (until `initialize` is answered) only the
//! greeting and answers leave it.
//!
//! What waits is bounded in bytes: user messages, control requests and answers
//! (with what MCP servers begin) apart. Interrupts always find room.
//!
//! For an agent that has no queue of its own user messages are
//! [kept](Outbox::keep_users) apart from everything else, until its turn has
//! ended: then a request never waits for a message, nor a message for a
//! request, and the order is by class alone.

use crate::message::Priority;
use crate::sabotage::{Bug, is_on};
use bytes::Bytes;
use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};
use std::fmt;
use std::time::Instant;

/// What an outgoing line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The request that opens the session.
    Greeting,
    /// An answer to a request of the agent's.
    Answer,
    /// An interrupt, which has as little patience as an answer.
    Interrupt,
    /// What an MCP server that runs in the host begins: it has its place among
    /// that server's answers, and is no fence.
    Mcp,
    /// Any other control request, or the cancelling of one: a fence.
    Control,
    /// A user message.
    User(Urgency),
}

/// The order of user messages among themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// `now`.
    Now,
    /// `next`, which is also what a message without a priority is.
    Next,
    /// `later`.
    Later,
}

impl From<Option<&Priority>> for Urgency {
    fn from(priority: Option<&Priority>) -> Self {
        match priority {
            Some(Priority::Now) => Self::Now,
            Some(Priority::Later) => Self::Later,
            _ => Self::Next,
        }
    }
}

/// A line that waits to be written.
#[derive(Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// What it is.
    pub class: Class,
    /// The `request_id` that it asks, answers or cancels, or the `uuid` of
    /// the user message.
    pub id: Box<str>,
    /// The line, newline included.
    pub line: Bytes,
    /// Since when it waits, where somebody wants to know.
    pub since: Option<Instant>,
}

impl fmt::Debug for Outgoing {
    /// A line may hold secrets, so its length is all that is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("class", &self.class)
            .field("id", &self.id)
            .field("bytes", &self.line.len())
            .finish()
    }
}

/// How many bytes may wait to be written.
///
/// A line that is longer than its limit is taken when nothing else of its kind
/// waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Those of user messages. 16 MiB, if not set.
    pub users: usize,
    /// What user messages that are for now may have on top of that. 1 MiB, if
    /// not set.
    pub reserved_for_now: usize,
    /// Those of control requests, interrupts excepted. 16 MiB, if not set.
    pub control: usize,
    /// Those of answers, and of what MCP servers in the host begin. An answer
    /// that is ready is taken in any case, but an agent that reads none of them
    /// gets no more asks answered. 16 MiB, if not set.
    pub answers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Self {
            users: 16 * MIB,
            reserved_for_now: MIB,
            control: 16 * MIB,
            answers: 16 * MIB,
        }
    }
}

/// What waits to be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// How many user messages wait.
    pub users: usize,
    /// The bytes that these have.
    pub user_bytes: usize,
    /// The bytes of the control requests that wait, interrupts excepted.
    pub control_bytes: usize,
    /// Since when the oldest of the user messages waits that have the priority
    /// `later`: messages that come after it may pass it for ever.
    pub oldest_later: Option<Instant>,
}

/// Lines that wait to be written.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Between two fences order is by class; never empty.
    segments: VecDeque<Segment>,
    held: bool,
    /// User messages that wait for the end of a turn, where the agent has no
    /// queue of its own.
    kept: Option<Users>,
    limits: Limits,
    /// The bytes of user messages that wait.
    user_bytes: usize,
    /// The bytes of control requests that wait.
    control_bytes: usize,
    /// The bytes of answers that wait, and of what MCP servers begin.
    answer_bytes: usize,
    /// How many lines wait with each id. An agent may cancel any number of
    /// requests whose answers have left already.
    ids: HashMap<Box<str>, usize>,
}

/// User messages, by class.
type Users = [VecDeque<Outgoing>; 3];

/// What waits before a fence, and the fence.
#[derive(Debug, Default)]
struct Segment {
    urgent: VecDeque<Outgoing>,
    users: Users,
    fence: Option<Outgoing>,
}

impl Outbox {
    /// An outbox that lets only the greeting and answers go until it is
    /// [released](Outbox::release).
    #[must_use]
    pub fn held() -> Self {
        Self {
            held: true,
            ..Self::default()
        }
    }

    /// Sets how many bytes may wait.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Whether there is room for such a line.
    #[must_use]
    pub fn has_room(&self, class: Class, bytes: usize) -> bool {
        let (waiting, limit) = match class {
            Class::Greeting | Class::Interrupt => return true,
            Class::Answer | Class::Mcp => (self.answer_bytes, self.limits.answers),
            Class::Control => (self.control_bytes, self.limits.control),
            Class::User(Urgency::Now) => {
                let limit = self
                    .limits
                    .users
                    .saturating_add(self.limits.reserved_for_now);
                (self.user_bytes, limit)
            }
            Class::User(_) => (self.user_bytes, self.limits.users),
        };
        waiting == 0 || waiting.saturating_add(bytes) <= limit
    }

    /// What waits.
    #[must_use]
    pub fn waiting(&self) -> Waiting {
        let later = |users: &Users| users[Urgency::Later as usize].front()?.since;
        Waiting {
            users: self
                .users()
                .map(|users| users.iter().map(VecDeque::len).sum::<usize>())
                .sum(),
            user_bytes: self.user_bytes,
            control_bytes: self.control_bytes,
            oldest_later: self.users().filter_map(later).min(),
        }
    }

    /// All user messages that wait.
    fn users(&self) -> impl Iterator<Item = &Users> {
        self.segments
            .iter()
            .map(|segment| &segment.users)
            .chain(&self.kept)
    }

    /// The bytes that lines of this kind have, while they wait.
    fn bytes_of(&mut self, class: Class) -> Option<&mut usize> {
        match class {
            Class::Control => Some(&mut self.control_bytes),
            Class::User(_) => Some(&mut self.user_bytes),
            Class::Answer | Class::Mcp => Some(&mut self.answer_bytes),
            Class::Greeting | Class::Interrupt => None,
        }
    }

    /// Lets everything go.
    pub fn release(&mut self) {
        self.held = false;
    }

    /// Whether only the greeting and answers leave.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Keeps user messages, those that wait already and those to come, until
    /// [`Outbox::pop_kept`] takes them.
    pub fn keep_users(&mut self) {
        let mut kept = self.kept.take().unwrap_or_default();
        for segment in &mut self.segments {
            for (kept, users) in kept.iter_mut().zip(&mut segment.users) {
                kept.append(users);
            }
        }
        self.segments.retain(|segment| !segment.is_empty());
        self.kept = Some(kept);
    }

    /// Puts the user messages that were kept behind what waits, by class, and
    /// keeps none any more.
    pub fn let_users_go(&mut self) {
        for user in self.kept.take().into_iter().flatten().flatten() {
            self.place(user);
        }
    }

    /// The most urgent class of which a message is kept.
    #[must_use]
    pub fn kept(&self) -> Option<Urgency> {
        let is_there = |urgency: &Urgency| {
            (self.kept.as_ref()).is_some_and(|kept| !kept[*urgency as usize].is_empty())
        };
        [Urgency::Now, Urgency::Next, Urgency::Later]
            .into_iter()
            .find(is_there)
    }

    /// Takes the message that is kept and goes first, if `wanted` says so.
    pub fn pop_kept(&mut self, wanted: impl FnOnce(&Outgoing) -> bool) -> Option<Outgoing> {
        let urgency = self.kept()?;
        let queue = &mut self.kept.as_mut()?[urgency as usize];
        let is_wanted = queue.front().is_some_and(wanted);
        let next = is_wanted.then(|| queue.pop_front()).flatten();
        self.gone(next)
    }

    /// Puts a line in its place, whether there [is room](Outbox::has_room) or
    /// not.
    pub fn push(&mut self, outgoing: Outgoing) {
        if let Some(waiting) = self.bytes_of(outgoing.class) {
            *waiting += outgoing.line.len();
        }
        *self.ids.entry(outgoing.id.clone()).or_default() += 1;
        match (&mut self.kept, outgoing.class) {
            (Some(kept), Class::User(urgency)) => kept[urgency as usize].push_back(outgoing),
            _ => self.place(outgoing),
        }
    }

    /// Puts a line behind what waits, as far as its class goes.
    fn place(&mut self, outgoing: Outgoing) {
        if self.segments.back().is_none_or(|last| last.fence.is_some()) {
            self.segments.push_back(Segment::default());
        }
        let Some(last) = self.segments.back_mut() else {
            return;
        };
        match outgoing.class {
            Class::Answer if is_on(Bug::AnswerBehindMessages) => {
                last.users[Urgency::Later as usize].push_back(outgoing);
            }
            Class::Control if is_on(Bug::FenceIgnored) => last.urgent.push_back(outgoing),
            Class::Mcp if is_on(Bug::ResultPassesProgress) => {
                last.users[Urgency::Now as usize].push_back(outgoing);
            }
            Class::Answer | Class::Interrupt | Class::Mcp => last.urgent.push_back(outgoing),
            Class::User(urgency) => last.users[urgency as usize].push_back(outgoing),
            Class::Greeting | Class::Control => last.fence = Some(outgoing),
        }
    }

    /// User messages that an interrupt would pass if it were put in now.
    pub fn passed_by_interrupt(&self) -> impl Iterator<Item = &str> {
        let last = self.segments.back().filter(|last| last.fence.is_none());
        let users = last.map(|last| &last.users).into_iter().chain(&self.kept);
        users.flatten().flatten().map(|user| &*user.id)
    }

    /// Whether a user message waits.
    #[must_use]
    pub fn has_user(&self, uuid: &str) -> bool {
        let mut users = self.users().flatten().flatten();
        users.any(|user| &*user.id == uuid)
    }

    /// Takes the line that is to be written next.
    pub fn pop(&mut self) -> Option<Outgoing> {
        let next = if self.held {
            self.pop_held()
        } else {
            self.segments.front_mut()?.pop()
        };
        while self.segments.front().is_some_and(Segment::is_empty) {
            self.segments.pop_front();
        }
        self.gone(next)
    }

    /// Counts a line that waits no more.
    fn gone(&mut self, line: Option<Outgoing>) -> Option<Outgoing> {
        let line = line?;
        if let Entry::Occupied(mut count) = self.ids.entry(line.id.clone()) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        if is_on(Bug::BytesCountedTwice) {
            return Some(line);
        }
        if let Some(waiting) = self.bytes_of(line.class) {
            *waiting -= line.line.len();
        }
        Some(line)
    }

    fn pop_held(&mut self) -> Option<Outgoing> {
        self.segments.iter_mut().find_map(|segment| {
            let answer = segment
                .urgent
                .iter()
                .position(|line| line.class == Class::Answer);
            if let Some(at) = answer {
                return segment.urgent.remove(at);
            }
            segment
                .fence
                .take_if(|fence| fence.class == Class::Greeting)
        })
    }

    /// Removes the first line with this id and such a class.
    pub fn withdraw(&mut self, id: &str, is_it: impl Fn(Class) -> bool) -> Option<Outgoing> {
        let is_only = *self.ids.get(id)? == 1;
        let matches = |line: &Outgoing| is_it(line.class) && &*line.id == id;
        let take = |queue: &mut VecDeque<Outgoing>| {
            let at = match is_only {
                true => position_from_both_ends(queue, matches)?,
                false => queue.iter().position(matches)?,
            };
            queue.remove(at)
        };
        let found = self.segments.iter_mut().find_map(|segment| {
            let mut queues = std::iter::once(&mut segment.urgent).chain(&mut segment.users);
            (queues.find_map(take)).or_else(|| segment.fence.take_if(|fence| matches(fence)))
        });
        let found = found.or_else(|| self.kept.iter_mut().flatten().find_map(take));
        // Nothing is behind what is not there.
        if !is_on(Bug::StalledBehindWithdrawn) {
            self.segments.retain(|segment| !segment.is_empty());
        }
        self.gone(found)
    }

    /// Takes everything out, in no particular order.
    pub fn drain(&mut self) -> Vec<Outgoing> {
        let mut all = Vec::new();
        (self.user_bytes, self.control_bytes, self.answer_bytes) = (0, 0, 0);
        self.ids.clear();
        for segment in self.segments.drain(..) {
            all.extend(segment.urgent);
            all.extend(segment.users.into_iter().flatten());
            all.extend(segment.fence);
        }
        all.extend((self.kept.iter_mut().flatten()).flat_map(std::mem::take));
        all
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(Segment::is_empty) && self.kept().is_none()
    }
}

/// Where a line is that occurs at most once. Most are near one of the ends: lines
/// are withdrawn in their order, or from the last on.
fn position_from_both_ends(
    queue: &VecDeque<Outgoing>,
    matches: impl Fn(&Outgoing) -> bool,
) -> Option<usize> {
    let pairs = queue.iter().zip(queue.iter().rev()).enumerate();
    let half = queue.len().div_ceil(2);
    pairs.take(half).find_map(|(at, (front, back))| {
        if matches(front) {
            Some(at)
        } else {
            matches(back).then(|| queue.len() - 1 - at)
        }
    })
}

impl Segment {
    fn pop(&mut self) -> Option<Outgoing> {
        self.urgent
            .pop_front()
            .or_else(|| self.users.iter_mut().find_map(VecDeque::pop_front))
            .or_else(|| self.fence.take())
    }

    fn is_empty(&self) -> bool {
        self.urgent.is_empty() && self.users.iter().all(VecDeque::is_empty) && self.fence.is_none()
    }
}

#[cfg(test)]
mod tests;
