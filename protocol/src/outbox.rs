//! What waits to be written, and the order in which it goes.
//!
//! The order on the pipe has meaning to the agent: a prompt behind a
//! `set_model` runs on the new model, an `interrupt` before a prompt leaves
//! it alone. So the order of calls is the order on the wire, but for two
//! exceptions:
//!
//! - answers and interrupts may pass user messages that still wait;
//! - user messages are ordered now, next, later among themselves (first in,
//!   first out within a class), and only up to the nearest control request,
//!   which is a fence.
//!
//! While the outbox is held (until `initialize` is answered) only the
//! greeting and answers leave it.
//!
//! What waits is bounded in bytes, user messages and control requests apart.
//! Answers and interrupts always find room: somebody waits for them.

use crate::message::Priority;
use bytes::Bytes;
use std::collections::VecDeque;
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
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Self {
            users: 16 * MIB,
            reserved_for_now: MIB,
            control: 16 * MIB,
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
    limits: Limits,
    /// The bytes of user messages that wait.
    user_bytes: usize,
    /// The bytes of control requests that wait.
    control_bytes: usize,
}

/// What waits before a fence, and the fence.
#[derive(Debug, Default)]
struct Segment {
    urgent: VecDeque<Outgoing>,
    users: [VecDeque<Outgoing>; 3],
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
            Class::Greeting | Class::Answer | Class::Interrupt => return true,
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
        let users = |urgency: Urgency| {
            let queue = move |segment: &Segment| segment.users[urgency as usize].len();
            self.segments.iter().map(queue).sum::<usize>()
        };
        let later = |segment: &Segment| segment.users[Urgency::Later as usize].front()?.since;
        Waiting {
            users: users(Urgency::Now) + users(Urgency::Next) + users(Urgency::Later),
            user_bytes: self.user_bytes,
            control_bytes: self.control_bytes,
            oldest_later: self.segments.iter().filter_map(later).min(),
        }
    }

    /// The bytes that lines of this kind have, while they wait.
    fn bytes_of(&mut self, class: Class) -> Option<&mut usize> {
        match class {
            Class::Control => Some(&mut self.control_bytes),
            Class::User(_) => Some(&mut self.user_bytes),
            Class::Greeting | Class::Answer | Class::Interrupt => None,
        }
    }

    /// Lets everything go.
    pub fn release(&mut self) {
        self.held = false;
    }

    /// Puts a line in its place, whether there [is room](Outbox::has_room) or
    /// not.
    pub fn push(&mut self, outgoing: Outgoing) {
        if let Some(waiting) = self.bytes_of(outgoing.class) {
            *waiting += outgoing.line.len();
        }
        if self.segments.back().is_none_or(|last| last.fence.is_some()) {
            self.segments.push_back(Segment::default());
        }
        let Some(last) = self.segments.back_mut() else {
            return;
        };
        match outgoing.class {
            Class::Answer | Class::Interrupt => last.urgent.push_back(outgoing),
            Class::User(urgency) => last.users[urgency as usize].push_back(outgoing),
            Class::Greeting | Class::Control => last.fence = Some(outgoing),
        }
    }

    /// User messages that an interrupt would pass if it were put in now.
    pub fn passed_by_interrupt(&self) -> impl Iterator<Item = &str> {
        let last = self.segments.back().filter(|last| last.fence.is_none());
        let users = last
            .into_iter()
            .flat_map(|last| last.users.iter().flatten());
        users.map(|user| &*user.id)
    }

    /// Whether a user message waits.
    #[must_use]
    pub fn has_user(&self, uuid: &str) -> bool {
        let mut users = self
            .segments
            .iter()
            .flat_map(|segment| segment.users.iter().flatten());
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

    /// Takes a line out that must not be written any more.
    pub fn withdraw(&mut self, matches: impl Fn(&Outgoing) -> bool) -> Option<Outgoing> {
        let found = self.segments.iter_mut().find_map(|segment| {
            for queue in std::iter::once(&mut segment.urgent).chain(&mut segment.users) {
                if let Some(at) = queue.iter().position(&matches) {
                    return queue.remove(at);
                }
            }
            segment.fence.take_if(|fence| matches(fence))
        });
        // Nothing is behind what is not there.
        self.segments.retain(|segment| !segment.is_empty());
        self.gone(found)
    }

    /// Takes everything out, in no particular order.
    pub fn drain(&mut self) -> Vec<Outgoing> {
        let mut all = Vec::new();
        (self.user_bytes, self.control_bytes) = (0, 0);
        for segment in self.segments.drain(..) {
            all.extend(segment.urgent);
            all.extend(segment.users.into_iter().flatten());
            all.extend(segment.fence);
        }
        all
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(Segment::is_empty)
    }
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(class: Class, id: &str) -> Outgoing {
        Outgoing {
            class,
            id: id.into(),
            line: Bytes::new(),
            since: None,
        }
    }

    fn order(outbox: &mut Outbox) -> Vec<String> {
        std::iter::from_fn(|| outbox.pop())
            .map(|line| line.id.to_string())
            .collect()
    }

    fn filled(lines: &[(Class, &str)]) -> Outbox {
        let mut outbox = Outbox::default();
        for (class, id) in lines {
            outbox.push(line(*class, id));
        }
        outbox
    }

    use Class::{Answer, Control, Greeting, Interrupt, User};
    use Urgency::{Later, Next, Now};

    #[test]
    fn user_messages_go_now_next_later_and_in_order_within_a_class() {
        let mut outbox = filled(&[
            (User(Later), "L1"),
            (User(Next), "N1"),
            (User(Now), "W1"),
            (User(Later), "L2"),
            (User(Next), "N2"),
            (User(Now), "W2"),
        ]);
        assert_eq!(order(&mut outbox), ["W1", "W2", "N1", "N2", "L1", "L2"]);
    }

    #[test]
    fn a_control_request_is_a_fence() {
        let mut outbox = filled(&[
            (User(Later), "A"),
            (Control, "set_model"),
            (User(Now), "B"),
            (Answer, "allow"),
            (Interrupt, "stop"),
        ]);
        assert_eq!(order(&mut outbox), ["A", "set_model", "allow", "stop", "B"]);
    }

    #[test]
    fn answers_and_interrupts_pass_user_messages() {
        let mut outbox = filled(&[(User(Now), "A"), (Interrupt, "stop"), (Answer, "allow")]);
        assert_eq!(order(&mut outbox), ["stop", "allow", "A"]);
    }

    #[test]
    fn until_it_is_released_only_the_greeting_and_answers_leave() {
        let mut outbox = Outbox::held();
        for (class, id) in [
            (Interrupt, "stop"),
            (Greeting, "hello"),
            (User(Now), "A"),
            (Control, "set_model"),
            (Answer, "allow"),
        ] {
            outbox.push(line(class, id));
        }
        assert_eq!(order(&mut outbox), ["hello", "allow"]);
        outbox.release();
        assert_eq!(order(&mut outbox), ["stop", "A", "set_model"]);
        assert!(outbox.is_empty());
    }

    fn long(class: Class, id: &str, bytes: usize) -> Outgoing {
        Outgoing {
            line: vec![b'x'; bytes].into(),
            ..line(class, id)
        }
    }

    #[test]
    fn what_waits_is_bounded_and_somebody_who_waits_finds_room() {
        let mut outbox = Outbox::default();
        outbox.set_limits(Limits {
            users: 100,
            reserved_for_now: 20,
            control: 50,
        });
        // A line that is too long has room when nothing else waits.
        assert!(outbox.has_room(User(Next), 1000));
        outbox.push(long(User(Next), "A", 60));
        assert!(outbox.has_room(User(Later), 40));
        assert!(!outbox.has_room(User(Later), 41));
        assert!(outbox.has_room(User(Now), 60));
        assert!(!outbox.has_room(User(Now), 61));
        // Requests have room of their own.
        assert!(outbox.has_room(Control, 1000));
        outbox.push(long(Control, "set_model", 50));
        assert!(!outbox.has_room(Control, 1));
        for class in [Answer, Interrupt, Greeting] {
            assert!(outbox.has_room(class, 1000));
        }
        // What has left, and what was taken back, makes room.
        outbox.pop();
        assert!(outbox.has_room(User(Next), 1000));
        outbox.withdraw(|line| line.class == Control);
        assert!(outbox.has_room(Control, 1000));
        outbox.push(long(User(Next), "B", 200));
        outbox.drain();
        assert!(outbox.has_room(User(Next), 1000));
    }

    #[test]
    fn what_stood_behind_a_fence_that_was_withdrawn_goes_at_once() {
        let mut outbox = filled(&[(Control, "C"), (User(Next), "A"), (Control, "D")]);
        outbox.withdraw(|line| &*line.id == "C").unwrap();
        outbox.withdraw(|line| &*line.id == "A").unwrap();
        assert_eq!(outbox.pop().unwrap().id, "D".into());
    }

    #[test]
    fn what_waits_can_be_seen_and_since_when_the_oldest_for_later_does() {
        let start = Instant::now();
        let at = |id, seconds| Outgoing {
            since: Some(start + std::time::Duration::from_secs(seconds)),
            ..long(User(Later), id, 10)
        };
        let mut outbox = Outbox::default();
        assert_eq!(outbox.waiting(), Waiting::default());
        outbox.push(at("A", 1));
        outbox.push(long(User(Next), "B", 10));
        outbox.push(long(Control, "C", 5));
        outbox.push(at("D", 2));
        let waiting = outbox.waiting();
        assert_eq!(
            (waiting.users, waiting.user_bytes, waiting.control_bytes),
            (3, 30, 5)
        );
        assert_eq!(waiting.oldest_later, at("", 1).since);
        assert_eq!(outbox.pop().unwrap().id, "B".into());
        assert_eq!(outbox.pop().unwrap().id, "A".into());
        assert_eq!(outbox.waiting().oldest_later, at("", 2).since);
    }

    #[test]
    fn what_waits_can_be_withdrawn() {
        let mut outbox = filled(&[(User(Next), "A"), (Control, "C"), (User(Next), "B")]);
        assert_eq!(
            outbox.withdraw(|line| &*line.id == "C").unwrap().id,
            "C".into()
        );
        assert_eq!(outbox.withdraw(|line| &*line.id == "C"), None);
        assert_eq!(order(&mut outbox), ["A", "B"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_changes_sides_with_a_fence(
            classes in prop::collection::vec(
                prop_oneof![
                    Just(Answer), Just(Interrupt), Just(Control),
                    Just(User(Now)), Just(User(Next)), Just(User(Later)),
                ],
                0..40,
            ),
        ) {
            let mut outbox = Outbox::default();
            for (number, class) in classes.iter().enumerate() {
                outbox.push(line(*class, &number.to_string()));
            }
            let written: Vec<usize> =
                order(&mut outbox).iter().map(|id| id.parse().unwrap()).collect();
            let place = |number: usize| written.iter().position(|w| *w == number).unwrap();

            prop_assert_eq!(written.len(), classes.len());
            for first in 0..classes.len() {
                for second in first + 1..classes.len() {
                    let passed = place(second) < place(first);
                    let may_pass = match (classes[first], classes[second]) {
                        (User(_), Answer | Interrupt) => true,
                        (User(first), User(second)) => second < first,
                        _ => false,
                    };
                    prop_assert!(!passed || may_pass, "{second} passed {first}");
                    if classes[first] == Control || classes[second] == Control {
                        prop_assert!(!passed);
                    }
                }
            }
        }
    }
}
