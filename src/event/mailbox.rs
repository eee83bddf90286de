//! A stream of events: its two ends and the queue between them (`event/queue.rs`).
//!
//! The driver never waits: it adds the events of one read and makes them visible together, with
//! one lock and one wake-up. The consumer takes events at its own pace. Events are unchanged
//! until the stream exceeds its limit.
//!
//! A stream becomes *full* when it reaches its bound, until the consumer has read it down to
//! half of that. The driver pauses reading for streams that are full and in use
//! (`session/flow.rs`).

use super::demand::{Demand, Wanted};
use super::error::{Error, SessionEnd};
use super::queue::{Backlog, Batch, Queue};
use super::request::Unanswered;
use super::{Event, PendingRequest};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Instant;
use tokio::task::coop;

/// The consumer's end.
#[derive(Debug)]
pub struct Mailbox(Arc<Mutex<State>>);

/// The driver's end. If it is dropped without [`Sender::end`], the session's runtime was shut
/// down.
#[derive(Debug)]
pub(crate) struct Sender {
    state: Arc<Mutex<State>>,
    /// The events since the last hand-over.
    batch: Batch,
}

#[derive(Debug)]
struct State {
    unread: Queue,
    /// The size from which the stream is full.
    bound: usize,
    /// Whether the bound was reached, and half of it is still unread.
    is_full: bool,
    /// Whether the consumer reads: it was created to read, or has read before.
    in_use: bool,
    /// Exists while the consumer waits for the next event.
    wanted: Option<Wanted>,
    demand: Demand,
    /// Set once, at the end: the final error, if any.
    end: Option<Option<Error>>,
    waker: Option<Waker>,
    /// Whether the consumer was dropped.
    abandoned: bool,
    /// Whether the consumer will answer no more requests.
    refuses_requests: bool,
}

/// The size beyond which the oldest events of a stream are discarded, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// For a stream in use.
    pub(crate) in_use: usize,
    /// For an unused stream, which never pauses reading.
    pub(crate) unused: usize,
}

/// Creates a mailbox for a consumer that reads from the beginning.
pub(crate) fn mailbox(demand: &Demand) -> (Sender, Mailbox) {
    let state = Arc::new(Mutex::new(State {
        unread: Queue::default(),
        bound: usize::MAX,
        is_full: false,
        in_use: true,
        wanted: None,
        demand: demand.clone(),
        end: None,
        waker: None,
        abandoned: false,
        refuses_requests: false,
    }));
    let sender = Sender {
        state: Arc::clone(&state),
        batch: Batch::default(),
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
        state.update_fullness();
    }

    /// Adds an event that arrived at `since`. It is visible to the consumer after
    /// [`Sender::hand_over`].
    pub(crate) fn put(&mut self, event: Event, since: Instant) {
        self.batch.push(event, since);
    }

    /// Adds a request of the agent, with the action to take if it is never read.
    pub(crate) fn put_request(
        &mut self,
        request: PendingRequest,
        since: Instant,
        unanswered: Unanswered,
    ) {
        let request_id = request.request_id.clone();
        self.batch.push_request(request_id, unanswered);
        self.put(Event::Request(request), since);
    }

    /// Makes the added events visible. If there is not enough space, older events are joined or
    /// discarded.
    pub(crate) fn hand_over(&mut self, room: Room) {
        if self.batch.is_empty() {
            return;
        }
        let bytes = self.batch.bytes();
        let mut state = lock(&self.state);
        if state.abandoned || state.end.is_some() {
            drop(state);
            return self.batch.clear();
        }
        let most = if state.in_use {
            room.in_use
        } else {
            room.unused
        };
        state.unread.append(&mut self.batch, bytes, most);
        if state.refuses_requests {
            state.unread.discard_requests();
        }
        state.update_fullness();
        // The consumer has events to read before it waits again.
        state.wanted = None;
        wake(state);
    }

    /// Counts events that were discarded before the consumer was created.
    pub(crate) fn missed(&self, events: usize, bytes: usize) {
        if events > 0 {
            let mut state = lock(&self.state);
            state.unread.missed(events, bytes);
            state.wanted = None;
            wake(state);
        }
    }

    /// Returns whether the bound was reached, and half of it is still unread.
    pub(crate) fn is_full(&self) -> bool {
        lock(&self.state).is_full
    }

    /// Returns whether the consumer reads.
    pub(crate) fn is_in_use(&self) -> bool {
        lock(&self.state).in_use
    }

    /// Returns the size of the unread part.
    pub(crate) fn backlog(&self) -> Backlog {
        lock(&self.state).unread.backlog()
    }

    /// Returns whether the consumer was dropped.
    pub(crate) fn is_abandoned(&self) -> bool {
        lock(&self.state).abandoned
    }

    /// Ends the stream. Events that were not handed over are discarded.
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
    /// Returns the next event. After the last event, returns the error that ended the session,
    /// once, and then `None`.
    ///
    /// Between `Pending` and the next event, the stream counts as waiting for input, because an
    /// abandoned wait cannot be detected.
    ///
    /// An event takes one unit of the task's cooperative budget: events arrive in batches, and a
    /// consumer that never waits would not let other tasks run.
    pub(crate) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, Error>>> {
        self.poll_event(context, true)
    }

    /// Like [`Mailbox::poll_next`], for a consumer that skips requests of the agent: they do not
    /// count as delivered.
    pub(crate) fn poll_next_without_requests(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, Error>>> {
        self.poll_event(context, false)
    }

    /// Refuses requests from now on: those in this stream alone are denied.
    pub(crate) fn refuse_requests(&self) {
        let mut state = lock(&self.0);
        state.refuses_requests = true;
        state.unread.discard_requests();
    }

    fn poll_event(
        &mut self,
        context: &mut Context<'_>,
        takes_requests: bool,
    ) -> Poll<Option<Result<Event, Error>>> {
        let budget = ready!(coop::poll_proceed(context));
        let mut state = lock(&self.0);
        state.in_use = true;
        if let Some(event) = state.unread.pop(takes_requests) {
            state.update_fullness();
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
        let mut waits = NextEvent {
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
struct NextEvent<'a> {
    mailbox: &'a mut Mailbox,
    is_pending: bool,
}

impl Drop for NextEvent<'_> {
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
        state.unread = Queue::default();
        state.wanted = None;
        state.update_fullness();
    }
}

impl State {
    /// Updates whether the stream is full. Notifies the driver when it no longer is.
    fn update_fullness(&mut self) {
        let bytes = self.unread.bytes();
        if bytes > 0 && bytes >= self.bound {
            self.is_full = true;
        } else if self.is_full && bytes <= self.bound / 2 {
            self.is_full = false;
            self.demand.has_read();
        }
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

/// A panic of a consumer leaves the queue intact, because events are only moved.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::event::Notice;
    use crate::event::queue::tests::{delta, frame};
    use std::future::Future;
    use std::pin::pin;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A stream with a limit, and a bound of half of it.
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
    fn events_are_in_order_and_the_error_is_last() {
        let mut stream = stream(10_000);
        stream.put(frame("user", 1, 0));
        stream.put(frame("stream_event", 2, 0));
        let (other, _) = mailbox(&stream.demand);
        drop(std::mem::replace(&mut stream.sender, other));
        assert_eq!(
            stream.all(),
            ["1", "2", "error the session's runtime was shut down"]
        );
        assert_eq!(stream.all(), [""; 0]);
    }

    #[test]
    fn the_oldest_events_beyond_the_limit_are_discarded_with_a_notice() {
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
    fn partial_messages_below_the_limit_are_unchanged() {
        let mut stream = stream(1_000_000);
        for number in 0..1_000 {
            stream.put(delta(number, "x"));
        }
        assert_eq!(stream.text(), ("x".repeat(1_000), 1_000));
    }

    #[test]
    fn partial_messages_beyond_the_limit_are_joined() {
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
    fn a_message_larger_than_the_limit_is_delivered() {
        let mut stream = stream(1_000);
        stream.put(frame("assistant", 1, 5_000));
        assert_eq!(stream.all(), ["1"]);
        stream.put(frame("assistant", 2, 5_000));
        stream.put(frame("assistant", 3, 5_000));
        assert_eq!(stream.all(), ["lagged 1", "3"]);
    }

    #[test]
    fn a_stream_is_full_from_its_bound_down_to_half_of_it() {
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
    fn a_stream_with_a_bound_of_zero_is_full_with_one_event() {
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
        // Waiting twice counts once.
        assert!(stream.next().is_pending());
        stream.put(frame("assistant", 1, 0));
        assert!(!stream.demand.is_wanted());
        assert_eq!(stream.all(), ["1"]);
        // The last poll found nothing.
        assert!(stream.demand.is_wanted());
        stream.sender.end(None);
        assert!(!stream.demand.is_wanted());
    }

    #[test]
    fn a_dropped_future_no_longer_wants_input() {
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
    fn a_waiting_consumer_is_notified_of_missed_events() {
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
