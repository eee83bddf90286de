//! The unread events of one stream.
//!
//! The driver never waits: it puts in the events of one read and hands them
//! over together, with one lock and one wake-up. The consumer takes events out
//! at its own pace. Events are kept unchanged until the stream exceeds its
//! limit. Then partial messages are joined. If that is not enough, the oldest
//! events are dropped, and the consumer is told how many.
//!
//! A stream is *full* from when it reaches its bound until the consumer has
//! read it down to half of that. The driver pauses reading for streams that are
//! full and in use (`session/flow.rs`).

use super::demand::{Demand, Wanted};
use super::error::{Error, SessionEnd};
use super::request::Unanswered;
use super::{Event, Notice, PendingRequest};
use agentwire_protocol::message::DeltaMerger;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Instant;
use tokio::task::coop;

/// How many events are joined in one step.
const BATCH: usize = 64;

/// The largest partial message that others are joined to, in bytes: it is
/// parsed again each time.
const JOINED: usize = 16 * 1024;

/// The consumer's end.
#[derive(Debug)]
pub struct Mailbox(Arc<Mutex<State>>);

/// The driver's end. If it is dropped without [`Sender::end`], the session's
/// runtime is gone.
#[derive(Debug)]
pub(crate) struct Sender {
    state: Arc<Mutex<State>>,
    /// What was put in since the last hand-over.
    batch: Vec<Unread>,
    /// The requests among them.
    requests: Vec<(Box<str>, Unanswered)>,
}

#[derive(Debug)]
struct State {
    /// The oldest events, already joined.
    joined: VecDeque<Unread>,
    /// The events after them, as they arrived.
    waiting: VecDeque<Unread>,
    bytes: usize,
    /// The stream is full from this size on.
    bound: usize,
    /// Whether the bound was reached, and half of it not yet read.
    is_full: bool,
    /// The number and size of the events dropped in front of the remaining
    /// ones.
    dropped: (usize, usize),
    /// Whether the consumer reads: it was made to, or has read before.
    in_use: bool,
    /// The unread requests of the agent.
    requests: HashMap<Box<str>, Unanswered>,
    /// Held while the consumer waits for the next event.
    wanted: Option<Wanted>,
    demand: Demand,
    /// Set once, at the end: the error to end with.
    end: Option<Option<Error>>,
    waker: Option<Waker>,
    /// Whether the consumer was dropped.
    abandoned: bool,
}

/// An event that the consumer has not read.
#[derive(Debug)]
struct Unread {
    event: Event,
    since: Instant,
}

/// How many bytes a stream may hold before its oldest events are dropped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// For a stream in use.
    pub(crate) in_use: usize,
    /// For an unused stream, for which reading never pauses.
    pub(crate) unused: usize,
}

/// What a stream has unread.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Backlog {
    pub(crate) events: usize,
    pub(crate) bytes: usize,
    /// When the oldest event arrived.
    pub(crate) since: Option<Instant>,
}

/// Creates a mailbox for a consumer that reads from now on.
pub(crate) fn mailbox(demand: &Demand) -> (Sender, Mailbox) {
    let state = Arc::new(Mutex::new(State {
        joined: VecDeque::new(),
        waiting: VecDeque::new(),
        bytes: 0,
        bound: usize::MAX,
        is_full: false,
        dropped: (0, 0),
        in_use: true,
        requests: HashMap::new(),
        wanted: None,
        demand: demand.clone(),
        end: None,
        waker: None,
        abandoned: false,
    }));
    let sender = Sender {
        state: Arc::clone(&state),
        batch: vec![],
        requests: vec![],
    };
    (sender, Mailbox(state))
}

/// Creates a mailbox for a consumer that may never read.
pub(crate) fn unused_mailbox(demand: &Demand) -> (Sender, Mailbox) {
    let (sender, mailbox) = mailbox(demand);
    lock(&sender.state).in_use = false;
    (sender, mailbox)
}

impl Sender {
    /// Sets the size from which the stream is full.
    pub(crate) fn set_bound(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.bound = bytes;
        state.note_size();
    }

    /// Puts in an event that arrived at `since`. The consumer does not see it
    /// until [`Sender::hand_over`].
    pub(crate) fn put(&mut self, event: Event, since: Instant) {
        self.batch.push(Unread { event, since });
    }

    /// Puts in a request of the agent, and what is done if it is never read.
    pub(crate) fn put_request(
        &mut self,
        request: PendingRequest,
        since: Instant,
        unanswered: Unanswered,
    ) {
        let id = request.request_id.clone();
        self.requests.push((id, unanswered));
        self.put(Event::Request(request), since);
    }

    /// Hands over what was put in. If there is not enough space, older events
    /// are joined or dropped. The newest event stays, however large it is.
    pub(crate) fn hand_over(&mut self, room: Room) {
        if self.batch.is_empty() {
            return;
        }
        let bytes: usize = self.batch.iter().map(|it| it.event.weight()).sum();
        let mut state = lock(&self.state);
        if state.abandoned || state.end.is_some() {
            drop(state);
            self.requests.clear();
            return self.batch.clear();
        }
        state.bytes += bytes;
        state.waiting.extend(self.batch.drain(..));
        state.requests.extend(self.requests.drain(..));
        let most = if state.in_use {
            room.in_use
        } else {
            room.unused
        };
        if state.bytes > most {
            state.make_room(most);
        }
        state.note_size();
        // The consumer has something to read before it waits again.
        state.wanted = None;
        wake(state);
    }

    /// Counts events that were dropped before the consumer was created.
    pub(crate) fn missed(&self, events: usize, bytes: usize) {
        if events > 0 {
            let mut state = lock(&self.state);
            state.dropped = (events, bytes);
            state.wanted = None;
            wake(state);
        }
    }

    /// Returns whether the bound was reached, and half of it not yet read.
    pub(crate) fn is_full(&self) -> bool {
        lock(&self.state).is_full
    }

    /// Returns whether the consumer reads.
    pub(crate) fn is_in_use(&self) -> bool {
        lock(&self.state).in_use
    }

    /// Returns what the consumer has not read.
    pub(crate) fn backlog(&self) -> Backlog {
        let state = lock(&self.state);
        let oldest = state.joined.front().or(state.waiting.front());
        Backlog {
            events: state.len(),
            bytes: state.bytes,
            since: oldest.map(|it| it.since),
        }
    }

    /// Returns whether the consumer was dropped.
    pub(crate) fn is_abandoned(&self) -> bool {
        lock(&self.state).abandoned
    }

    /// Ends the stream. Events that were not handed over are lost.
    pub(crate) fn end(&self, error: Option<Error>) {
        let mut state = lock(&self.state);
        if state.end.is_none() {
            state.end = Some(error);
            state.wanted = None;
            wake(state);
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let gone = SessionEnd::runtime_gone();
        self.end(Some(Error::Ended(Arc::new(gone))));
    }
}

impl Mailbox {
    /// Returns the next event. After the last event, returns the error that
    /// ended the session, once, and then `None`.
    ///
    /// Between `Pending` and the next event, the stream counts as waiting for
    /// input, because a consumer that goes away cannot be detected.
    ///
    /// An event takes one unit of the task's cooperative budget: events arrive in
    /// batches, and a consumer that never waits would not let other tasks run.
    pub(crate) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, Error>>> {
        let budget = ready!(coop::poll_proceed(context));
        let mut state = lock(&self.0);
        state.in_use = true;
        if let Some(event) = state.pop() {
            budget.made_progress();
            return Poll::Ready(Some(Ok(event)));
        }
        if let Some(end) = &mut state.end {
            budget.made_progress();
            return Poll::Ready(end.take().map(Err));
        }
        state.waker = Some(context.waker().clone());
        if state.wanted.is_none() {
            state.wanted = Some(state.demand.want());
        }
        Poll::Pending
    }

    /// Returns the next event. When the future is dropped, the stream no longer
    /// counts as waiting for input. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.next_of(Self::poll_next).await
    }

    /// Like [`Mailbox::next`], for a stream that converts events.
    pub(crate) async fn next_of<T>(
        &mut self,
        mut poll: impl FnMut(&mut Self, &mut Context<'_>) -> Poll<T>,
    ) -> T {
        let mut waits = Waits {
            mailbox: self,
            is_pending: false,
        };
        poll_fn(|context| {
            let polled = poll(waits.mailbox, context);
            waits.is_pending = polled.is_pending();
            polled
        })
        .await
    }
}

/// A future that waits for the next event.
struct Waits<'a> {
    mailbox: &'a mut Mailbox,
    is_pending: bool,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if self.is_pending {
            lock(&self.mailbox.0).wanted = None;
        }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        state.abandoned = true;
        state.joined = VecDeque::new();
        state.waiting = VecDeque::new();
        state.requests = HashMap::new();
        state.bytes = 0;
        state.wanted = None;
        state.note_size();
    }
}

impl State {
    fn len(&self) -> usize {
        self.joined.len() + self.waiting.len()
    }

    /// Updates whether the stream is full, and notifies the driver when it no
    /// longer is.
    fn note_size(&mut self) {
        if self.bytes > 0 && self.bytes >= self.bound {
            self.is_full = true;
        } else if self.is_full && self.bytes <= self.bound / 2 {
            self.is_full = false;
            self.demand.has_read();
        }
    }

    fn pop(&mut self) -> Option<Event> {
        if let (events @ 1.., bytes) = mem::take(&mut self.dropped) {
            return Some(Event::Notice(Notice::Lagged { events, bytes }));
        }
        let event = self.pop_oldest()?;
        if let Event::Request(request) = &event
            && let Some(unanswered) = self.requests.remove(&request.request_id)
        {
            unanswered.was_read();
        }
        self.note_size();
        Some(event)
    }

    fn pop_oldest(&mut self) -> Option<Event> {
        let oldest = self.joined.pop_front();
        let Unread { event, .. } = oldest.or_else(|| self.waiting.pop_front())?;
        self.bytes -= event.weight();
        Some(event)
    }

    /// Joins partial messages in small steps, so that the driver stays
    /// responsive. If none are left, drops the oldest events.
    fn make_room(&mut self, most: usize) {
        while self.bytes > most && self.len() > 1 {
            if self.waiting.len() > 1 {
                self.join(BATCH.min(self.waiting.len()));
            } else if let Some(event) = self.pop_oldest() {
                self.dropped.0 += 1;
                self.dropped.1 += event.size();
                if let Event::Request(request) = &event {
                    // Denies it.
                    self.requests.remove(&request.request_id);
                }
            }
        }
    }

    /// Joins the oldest events that were not looked at. From then on, all of
    /// them count as old as the first.
    fn join(&mut self, mut count: usize) {
        let mut merger = DeltaMerger::default();
        let mut events = Vec::new();
        // The next events may continue the last joined one.
        if (self.joined.back()).is_some_and(|last| last.event.size() <= JOINED)
            && let Some(last) = self.joined.pop_back()
        {
            self.waiting.push_front(last);
            count += 1;
        }
        let Some(since) = self.waiting.front().map(|it| it.since) else {
            return;
        };
        for Unread { event, .. } in self.waiting.drain(..count) {
            self.bytes -= event.weight();
            match event {
                Event::Frame(frame) => events.extend(merger.push(frame).map(Event::Frame)),
                event => {
                    events.extend(merger.finish().map(Event::Frame));
                    events.push(event);
                }
            }
        }
        events.extend(merger.finish().map(Event::Frame));
        self.bytes += events.iter().map(Event::weight).sum::<usize>();
        let joined = events.into_iter().map(|event| Unread { event, since });
        self.joined.extend(joined);
    }
}

/// Wakes the consumer after unlocking the queue.
fn wake(mut state: MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// A panic of a consumer leaves the queue intact: events are only moved.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use agentwire_protocol::Frame;
    use bytes::Bytes;
    use std::future::Future;
    use std::pin::pin;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn frame(kind: &str, number: usize, padding: usize) -> Event {
        let text = format!(
            r#"{{"type":"{kind}","uuid":"{number}","x":"{}"}}"#,
            "x".repeat(padding)
        );
        Event::Frame(Frame::new(Bytes::from(text)).unwrap())
    }

    fn delta(number: usize, text: &str) -> Event {
        let text = format!(
            r#"{{"type":"stream_event","uuid":"{number}","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}}}"#
        );
        Event::Frame(Frame::new(Bytes::from(text)).unwrap())
    }

    /// A stream that may hold so many bytes, and is full with half of them.
    struct Stream {
        most: usize,
        demand: Demand,
        sender: Sender,
        mailbox: Mailbox,
    }

    fn stream(most: usize) -> Stream {
        let demand = Demand::default();
        let (sender, mailbox) = mailbox(&demand);
        sender.set_bound(most / 2);
        Stream {
            most,
            demand,
            sender,
            mailbox,
        }
    }

    impl Stream {
        fn put(&mut self, event: Event) {
            let room = Room {
                in_use: self.most,
                unused: self.most,
            };
            self.sender.put(event, Instant::now());
            self.sender.hand_over(room);
        }

        fn next(&mut self) -> Poll<Option<Result<Event, Error>>> {
            let mut context = Context::from_waker(Waker::noop());
            self.mailbox.poll_next(&mut context)
        }

        fn all(&mut self) -> Vec<String> {
            let mut seen = Vec::new();
            while let Poll::Ready(Some(item)) = self.next() {
                seen.push(match item {
                    Ok(Event::Frame(frame)) => frame.uuid().unwrap().to_owned(),
                    Ok(Event::Notice(Notice::Lagged { events, .. })) => format!("lagged {events}"),
                    Ok(event) => format!("{event:?}"),
                    Err(error) => format!("error {error}"),
                });
            }
            seen
        }

        fn text(&mut self) -> (String, usize) {
            let (mut text, mut frames) = (String::new(), 0);
            while let Poll::Ready(Some(item)) = self.next() {
                let Ok(Event::Frame(frame)) = item else {
                    panic!("{item:?}")
                };
                text += frame.message().text_delta().unwrap();
                frames += 1;
            }
            (text, frames)
        }
    }

    #[test]
    fn events_come_out_in_order_and_the_error_behind_them_once() {
        let mut stream = stream(10_000);
        stream.put(frame("user", 1, 0));
        stream.put(frame("stream_event", 2, 0));
        let (other, _) = mailbox(&stream.demand);
        drop(mem::replace(&mut stream.sender, other));
        assert_eq!(
            stream.all(),
            ["1", "2", "error the session's runtime was shut down"]
        );
        assert_eq!(stream.all(), [""; 0]);
    }

    #[test]
    fn beyond_the_limit_the_oldest_go_one_by_one_and_the_consumer_is_told() {
        let mut stream = stream(10_000);
        for number in 0..100 {
            stream.put(frame("assistant", number, 100));
            let bytes = stream.sender.backlog().bytes;
            assert!(bytes <= 10_000, "{bytes}");
            assert!(number < 30 || bytes > 9_000, "{bytes}");
        }
        stream.sender.end(None);
        let seen = stream.all();
        let lagged: usize = seen[0].strip_prefix("lagged ").unwrap().parse().unwrap();
        assert_eq!(lagged + seen.len() - 1, 100);
        assert_eq!(seen[1], lagged.to_string());
        assert_eq!(seen.last().unwrap(), "99");
    }

    #[test]
    fn below_the_limit_partial_messages_stay_as_they_came() {
        let mut stream = stream(1_000_000);
        for number in 0..1_000 {
            stream.put(delta(number, "x"));
        }
        assert_eq!(stream.text(), ("x".repeat(1_000), 1_000));
    }

    #[test]
    fn beyond_the_limit_partial_messages_are_joined_and_nothing_is_lost() {
        let mut stream = stream(10_000);
        let mut all = String::new();
        for number in 0..500 {
            let piece = format!("{number} ");
            stream.put(delta(number, &piece));
            all += &piece;
        }
        let (text, frames) = stream.text();
        assert_eq!(text, all);
        assert!(frames < 50, "{frames}");
    }

    #[test]
    fn what_is_unread_is_bounded_and_counted_whatever_comes() {
        let limit = 10_000;
        let mut stream = stream(limit);
        let mut shrunk = 0;
        for number in 0..20_000 {
            let before = stream.sender.backlog().bytes;
            let event = match number * 7 % 13 {
                0 => frame("assistant", number, number % 300),
                1 => Event::Activity(agentwire_protocol::host::Activity::Idle),
                2 => frame("stream_event", number, 0),
                3 if number % 1_000 == 3 => frame("assistant", number, 2 * limit),
                _ => delta(number, "x"),
            };
            let weighs = event.weight();
            stream.put(event);
            let state = lock(&stream.sender.state);
            let all = || state.joined.iter().chain(&state.waiting);
            assert_eq!(
                state.bytes,
                all().map(|it| it.event.weight()).sum::<usize>()
            );
            // The last event stays, however large it is.
            let is_within = state.bytes <= limit || all().count() == 1;
            assert!(is_within, "{} bytes", state.bytes);
            shrunk += usize::from(before + weighs > limit);
            drop(state);
            if number % 3 == 0 && number % 5_000 > 2_000 {
                drop(stream.next());
            }
        }
        assert!(shrunk > 10, "{shrunk}");
    }

    #[test]
    fn one_message_that_is_larger_than_the_limit_is_delivered() {
        let mut stream = stream(1_000);
        stream.put(frame("assistant", 1, 5_000));
        assert_eq!(stream.all(), ["1"]);
        stream.put(frame("assistant", 2, 5_000));
        stream.put(frame("assistant", 3, 5_000));
        assert_eq!(stream.all(), ["lagged 1", "3"]);
    }

    #[test]
    fn a_stream_is_full_from_its_bound_until_half_of_that_is_read() {
        let mut stream = stream(20_000);
        let mut number = 0;
        while !stream.sender.is_full() {
            stream.put(frame("assistant", number, 100));
            number += 1;
        }
        assert!(stream.sender.backlog().bytes >= 10_000);
        let demand = stream.demand.clone();
        let mut context = Context::from_waker(Waker::noop());
        let mut changed = pin!(demand.changed());
        assert!(changed.as_mut().poll(&mut context).is_pending());
        while changed.as_mut().poll(&mut context).is_pending() {
            assert!(stream.sender.is_full());
            drop(stream.next());
        }
        assert!(!stream.sender.is_full());
        let left = stream.sender.backlog().bytes;
        assert!((4_500..=5_000).contains(&left), "{left}");
    }

    #[test]
    fn a_stream_with_a_bound_of_nothing_is_full_with_anything() {
        let mut stream = stream(0);
        assert!(!stream.sender.is_full());
        stream.put(frame("assistant", 1, 0));
        assert!(stream.sender.is_full());
        assert_eq!(stream.all(), ["1"]);
        assert!(!stream.sender.is_full());
    }

    #[test]
    fn a_stream_wants_input_while_its_consumer_waits_for_an_event() {
        let mut stream = stream(10_000);
        assert!(stream.next().is_pending());
        assert!(stream.demand.is_wanted());
        // Waiting again is waiting once.
        assert!(stream.next().is_pending());
        stream.put(frame("assistant", 1, 0));
        assert!(!stream.demand.is_wanted());
        assert_eq!(stream.all(), ["1"]);
        // The last look found nothing.
        assert!(stream.demand.is_wanted());
        stream.sender.end(None);
        assert!(!stream.demand.is_wanted());
    }

    #[test]
    fn a_future_that_is_dropped_wants_nothing_any_more() {
        let Stream {
            demand,
            mut mailbox,
            sender,
            ..
        } = stream(10_000);
        let mut context = Context::from_waker(Waker::noop());
        {
            let mut next = pin!(mailbox.next());
            assert!(next.as_mut().poll(&mut context).is_pending());
            assert!(demand.is_wanted());
        }
        assert!(!demand.is_wanted());
        assert!(mailbox.poll_next(&mut context).is_pending());
        assert!(demand.is_wanted());
        drop(mailbox);
        assert!(!demand.is_wanted() && sender.is_abandoned());
    }

    #[test]
    fn a_consumer_that_waits_is_told_at_once_what_it_missed() {
        let mut stream = stream(10_000);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let waits = stream.mailbox.poll_next(&mut Context::from_waker(&waker));
        assert!(waits.is_pending());
        stream.sender.missed(3, 30);
        assert!(woken.0.load(Ordering::SeqCst));
        assert_eq!(stream.all(), ["lagged 3"]);
    }

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl std::task::Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_stream_that_is_never_read_is_not_in_use() {
        let demand = Demand::default();
        let (sender, mut mailbox) = unused_mailbox(&demand);
        assert!(!sender.is_in_use());
        let mut context = Context::from_waker(Waker::noop());
        assert!(mailbox.poll_next(&mut context).is_pending());
        assert!(sender.is_in_use());
    }
}
