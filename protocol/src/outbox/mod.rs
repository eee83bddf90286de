//! The outbound queue and its order.
//!
//! The order on the pipe matters to the agent. For example, a prompt after a
//! `set_model` runs on the new model, and an `interrupt` does not affect a
//! prompt after it. Lines are sent in call order, with two exceptions:
//!
//! - Responses, interrupts and messages of the host's MCP servers may overtake
//!   queued user messages, but not each other. The result of an MCP tool never
//!   overtakes earlier progress.
//! - User messages are ordered by class: `now`, `next`, `later` (first in,
//!   first out within a class). They do not cross a control request, which is a
//!   fence.
//!
//! While the outbox is gated (until `initialize` has a response), only the
//! greeting and responses leave it.
//!
//! A user message can be [deferred](Outbox::defer), for example until it is
//! stored. It blocks the user messages and fences behind it. Responses overtake
//! all of them.
//!
//! The size of the queue is limited in bytes, separately for user messages,
//! control requests, and responses with messages of MCP servers. Interrupts are
//! always accepted.
//!
//! For an agent without its own queue, user messages are queued separately in a
//! [backlog](Outbox::start_backlog) until the agent's turn has ended. Requests
//! are then no fences, and messages are ordered by class only.

use crate::ids::IdState;
use crate::message::Priority;
use crate::sorted::SortedMap;
use bytes::Bytes;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::time::Instant;

/// The class of an outgoing line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The request that opens the session.
    Greeting,
    /// A response to a request of the agent.
    Response,
    /// An interrupt, as urgent as a response.
    Interrupt,
    /// A message that an MCP server inside the host initiates. It is ordered
    /// with the server's responses, and is not a fence.
    Mcp,
    /// Any other control request, or a cancellation. It is a fence.
    Control,
    /// A user message.
    User(Urgency),
}

/// The priority of a user message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// The priority `now`.
    Now,
    /// The priority `next`, the default.
    Next,
    /// The priority `later`.
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

/// A queued line.
#[derive(Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The class of the line.
    pub class: Class,
    /// The `request_id` of the request, response or cancellation, or the `uuid`
    /// of the user message.
    pub id: Arc<str>,
    /// The line, including the newline.
    pub line: Bytes,
    /// The time when the line was queued, if it was recorded.
    pub since: Option<Instant>,
}

impl fmt::Debug for Outgoing {
    /// Shows only the length of a line, because lines may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("class", &self.class)
            .field("id", &self.id)
            .field("bytes", &self.line.len())
            .finish()
    }
}

/// The size limits of the outbound queue, in bytes.
///
/// A line larger than its limit is accepted if no other line of its kind is
/// queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The limit for user messages. Default: 16 MiB.
    pub users: usize,
    /// The additional limit for user messages with the priority `now`. Default:
    /// 1 MiB.
    pub reserved_for_now: usize,
    /// The limit for control requests, except interrupts. Default: 16 MiB.
    pub control: usize,
    /// The limit for responses and for messages of MCP servers inside the host.
    /// A response is always accepted, but above the limit further requests of
    /// the agent are rejected. Default: 16 MiB.
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

/// The size of the outbound queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueSize {
    /// The number of queued user messages.
    pub users: usize,
    /// The size of the queued user messages in bytes.
    pub user_bytes: usize,
    /// The size of the queued control requests in bytes, without interrupts.
    pub control_bytes: usize,
    /// The time when the oldest queued user message with the priority `later`
    /// was queued. Later messages may overtake it indefinitely.
    pub oldest_later: Option<Instant>,
}

/// The outbound queue.
#[derive(Debug, Default)]
pub struct Outbox {
    /// The segments between fences, each ordered by class. The list is never
    /// empty.
    segments: VecDeque<Segment>,
    gated: bool,
    /// User messages that are queued until the end of a turn, if the agent does
    /// not have its own queue.
    backlog: Option<Users>,
    /// The IDs of deferred user messages.
    deferred: SortedMap<Arc<str>, ()>,
    limits: Limits,
    /// The size of the queued user messages.
    user_bytes: usize,
    /// The size of the queued control requests.
    control_bytes: usize,
    /// The size of the queued responses and messages of MCP servers.
    answer_bytes: usize,
    /// The number of queued lines by the hash of their ID. It makes withdrawals
    /// cheap that find nothing, because an agent may cancel any number of
    /// requests whose responses were already sent.
    ids: HashMap<u64, usize, IdState>,
}

/// Queued user messages, by class.
type Users = [VecDeque<Outgoing>; 3];

/// The lines before a fence, and the fence.
#[derive(Debug, Default)]
struct Segment {
    urgent: VecDeque<Outgoing>,
    users: Users,
    fence: Option<Outgoing>,
}

impl Outbox {
    /// Creates an outbox that returns only the greeting and responses until
    /// [`Outbox::open`].
    #[must_use]
    pub fn gated() -> Self {
        Self {
            gated: true,
            ..Self::default()
        }
    }

    /// Sets the size limits.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Returns the size limits.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns whether there is room for a line of this class and size.
    #[must_use]
    pub fn has_room(&self, class: Class, bytes: usize) -> bool {
        let (waiting, limit) = match class {
            Class::Greeting | Class::Interrupt => return true,
            Class::Response | Class::Mcp => (self.answer_bytes, self.limits.answers),
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

    /// Returns the size of the queue.
    #[must_use]
    pub fn waiting(&self) -> QueueSize {
        let later = |users: &Users| users[Urgency::Later as usize].front()?.since;
        QueueSize {
            users: self
                .users()
                .map(|users| users.iter().map(VecDeque::len).sum::<usize>())
                .sum(),
            user_bytes: self.user_bytes,
            control_bytes: self.control_bytes,
            oldest_later: self.users().filter_map(later).min(),
        }
    }

    /// Returns all queued user messages.
    fn users(&self) -> impl Iterator<Item = &Users> {
        self.segments
            .iter()
            .map(|segment| &segment.users)
            .chain(&self.backlog)
    }

    /// Returns the size counter for lines of this class.
    fn bytes_of(&mut self, class: Class) -> Option<&mut usize> {
        match class {
            Class::Control => Some(&mut self.control_bytes),
            Class::User(_) => Some(&mut self.user_bytes),
            Class::Response | Class::Mcp => Some(&mut self.answer_bytes),
            Class::Greeting | Class::Interrupt => None,
        }
    }

    /// Removes the gate, so that all lines can be sent.
    pub fn open(&mut self) {
        self.gated = false;
    }

    /// Returns whether only the greeting and responses can be sent.
    #[must_use]
    pub fn is_gated(&self) -> bool {
        self.gated
    }

    /// Defers a queued or future user message until [`Outbox::release`].
    pub fn defer(&mut self, uuid: &str) {
        self.deferred.insert(uuid.into(), ());
    }

    /// Releases a deferred user message.
    pub fn release(&mut self, uuid: &str) {
        self.deferred.remove(uuid);
    }

    /// Returns the IDs of the deferred user messages.
    pub(crate) fn deferred(&self) -> &SortedMap<Arc<str>, ()> {
        &self.deferred
    }

    /// Moves all queued and future user messages to the backlog, until
    /// [`Outbox::end_backlog`].
    pub fn start_backlog(&mut self) {
        let mut backlog = self.backlog.take().unwrap_or_default();
        for segment in &mut self.segments {
            for (queue, users) in backlog.iter_mut().zip(&mut segment.users) {
                queue.append(users);
            }
        }
        self.segments.retain(|segment| !segment.is_empty());
        self.backlog = Some(backlog);
    }

    /// Appends the backlog to the queue, by class, and ends it.
    pub fn end_backlog(&mut self) {
        for user in self.backlog.take().into_iter().flatten().flatten() {
            self.place(user);
        }
    }

    /// Returns the most urgent class in the backlog.
    #[must_use]
    pub fn backlog_urgency(&self) -> Option<Urgency> {
        let is_there = |urgency: &Urgency| {
            (self.backlog.as_ref()).is_some_and(|backlog| !backlog[*urgency as usize].is_empty())
        };
        [Urgency::Now, Urgency::Next, Urgency::Later]
            .into_iter()
            .find(is_there)
    }

    /// Takes the first message of the backlog, if it is not deferred and
    /// `wanted` accepts it.
    pub fn pop_backlog(&mut self, wanted: impl FnOnce(&Outgoing) -> bool) -> Option<Outgoing> {
        let urgency = self.backlog_urgency()?;
        let queue = &mut self.backlog.as_mut()?[urgency as usize];
        let deferred = &self.deferred;
        let first = queue.front().filter(|it| !deferred.contains_key(&it.id));
        let is_wanted = first.is_some_and(wanted);
        let next = is_wanted.then(|| queue.pop_front()).flatten();
        self.removed(next)
    }

    /// Queues a line, even if there is no [room](Outbox::has_room).
    pub fn push(&mut self, outgoing: Outgoing) {
        if let Some(waiting) = self.bytes_of(outgoing.class) {
            *waiting += outgoing.line.len();
        }
        *self.ids.entry(self.hash_of(&outgoing.id)).or_default() += 1;
        match (&mut self.backlog, outgoing.class) {
            (Some(backlog), Class::User(urgency)) => backlog[urgency as usize].push_back(outgoing),
            _ => self.place(outgoing),
        }
    }

    /// Appends a line to the queue of its class, in the last segment.
    fn place(&mut self, outgoing: Outgoing) {
        if self.segments.back().is_none_or(|last| last.fence.is_some()) {
            self.segments.push_back(Segment::default());
        }
        let Some(last) = self.segments.back_mut() else {
            return;
        };
        match outgoing.class {
            Class::Response | Class::Interrupt | Class::Mcp => last.urgent.push_back(outgoing),
            Class::User(urgency) => last.users[urgency as usize].push_back(outgoing),
            Class::Greeting | Class::Control => last.fence = Some(outgoing),
        }
    }

    /// Returns the user messages that an interrupt would overtake if it were
    /// queued now.
    pub fn passed_by_interrupt(&self) -> impl Iterator<Item = &str> {
        let last = self.segments.back().filter(|last| last.fence.is_none());
        let users = last
            .map(|last| &last.users)
            .into_iter()
            .chain(&self.backlog);
        users.flatten().flatten().map(|user| &*user.id)
    }

    /// Returns whether a user message with this `uuid` is queued.
    #[must_use]
    pub fn has_user(&self, uuid: &str) -> bool {
        let mut users = self.users().flatten().flatten();
        users.any(|user| &*user.id == uuid)
    }

    /// Removes and returns the next line to write.
    pub fn pop(&mut self) -> Option<Outgoing> {
        let next = if self.gated {
            self.pop_gated()
        } else {
            let first = self.segments.front_mut()?.pop(&self.deferred);
            first.or_else(|| self.pop_past_deferred())
        };
        while self.segments.front().is_some_and(Segment::is_empty) {
            self.segments.pop_front();
        }
        self.removed(next)
    }

    /// Removes and returns the next line, if it is a user message of at most
    /// `bytes` bytes.
    pub fn pop_user(&mut self, bytes: usize) -> Option<Outgoing> {
        let first = self.segments.front_mut().filter(|_| !self.gated)?;
        if !first.urgent.is_empty() {
            return None;
        }
        let users = first.users.iter_mut().find(|users| !users.is_empty())?;
        let next = users.front()?;
        if next.line.len() > bytes || self.deferred.contains_key(&next.id) {
            return None;
        }
        let next = users.pop_front();
        if first.is_empty() {
            self.segments.pop_front();
        }
        self.removed(next)
    }

    fn hash_of(&self, id: &str) -> u64 {
        self.ids.hasher().hash_one(id)
    }

    /// Updates the counters for a removed line.
    fn removed(&mut self, line: Option<Outgoing>) -> Option<Outgoing> {
        let line = line?;
        if let Entry::Occupied(mut count) = self.ids.entry(self.hash_of(&line.id)) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        if let Some(waiting) = self.bytes_of(line.class) {
            *waiting -= line.line.len();
        }
        Some(line)
    }

    /// Removes and returns the next response while the first line is deferred.
    /// The response may be behind a fence.
    fn pop_past_deferred(&mut self) -> Option<Outgoing> {
        let mut urgent = self.segments.iter_mut().map(|segment| &mut segment.urgent);
        let first = urgent.find(|urgent| !urgent.is_empty())?;
        let is_response = matches!(first.front()?.class, Class::Response | Class::Mcp);
        is_response.then(|| first.pop_front()).flatten()
    }

    fn pop_gated(&mut self) -> Option<Outgoing> {
        self.segments.iter_mut().find_map(|segment| {
            let answer = segment
                .urgent
                .iter()
                .position(|line| line.class == Class::Response);
            if let Some(at) = answer {
                return segment.urgent.remove(at);
            }
            segment
                .fence
                .take_if(|fence| fence.class == Class::Greeting)
        })
    }

    /// Removes and returns the first line with this ID whose class matches.
    pub fn withdraw(&mut self, id: &str, matches: impl Fn(Class) -> bool) -> Option<Outgoing> {
        let is_only = *self.ids.get(&self.hash_of(id))? == 1;
        let matches = |line: &Outgoing| matches(line.class) && &*line.id == id;
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
        let found = found.or_else(|| self.backlog.iter_mut().flatten().find_map(take));
        // An empty segment would block the segments behind it.
        self.segments.retain(|segment| !segment.is_empty());
        self.removed(found)
    }

    /// Removes and returns all lines, in no particular order.
    pub fn drain(&mut self) -> Vec<Outgoing> {
        let mut all = Vec::new();
        (self.user_bytes, self.control_bytes, self.answer_bytes) = (0, 0, 0);
        self.ids.clear();
        for segment in self.segments.drain(..) {
            all.extend(segment.urgent);
            all.extend(segment.users.into_iter().flatten());
            all.extend(segment.fence);
        }
        all.extend((self.backlog.iter_mut().flatten()).flat_map(std::mem::take));
        all
    }

    /// Returns whether the queue is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(Segment::is_empty) && self.backlog_urgency().is_none()
    }
}

/// Finds the position of an element that occurs at most once. Most are near an
/// end, because lines are withdrawn in order, or starting with the last.
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
    fn pop(&mut self, deferred: &SortedMap<Arc<str>, ()>) -> Option<Outgoing> {
        if let Some(urgent) = self.urgent.pop_front() {
            return Some(urgent);
        }
        let mut users = self.users.iter_mut();
        match users.find(|users| !users.is_empty()) {
            Some(users) => {
                let is_free = !deferred.contains_key(&users.front()?.id);
                is_free.then(|| users.pop_front()).flatten()
            }
            None => self.fence.take(),
        }
    }

    fn is_empty(&self) -> bool {
        self.urgent.is_empty() && self.users.iter().all(VecDeque::is_empty) && self.fence.is_none()
    }
}

#[cfg(test)]
mod tests;
