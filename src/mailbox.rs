//! What waits for the consumer of a session.
//!
//! The reader puts events in and never waits; the consumer takes them out at
//! its own pace. What waits is bounded in bytes. From half of the bound on
//! partial messages are joined, a few at a time, so that the reader is not kept
//! from control. If that is not enough they are thrown away, since whole
//! messages follow them, and then the oldest events; and the consumer is told
//! how much it missed, in front of what is left.
//!
//! A reader that would rather wait than throw away asks whether the mailbox is
//! full, and when there is room again.

use crate::callback::CallbackFailure;
use crate::error::Error;
use crate::event::{Event, Notice};
use crate::store::StoreFailure;
use agentwire_protocol::Frame;
use agentwire_protocol::host::SessionNews;
use agentwire_protocol::message::DeltaMerger;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// What an event weighs beside the bytes of its frame.
const OVERHEAD: usize = 256;

/// What news of the session weighs: the agent's description of itself.
const SESSION: usize = 8 * 1024;

/// How many events are looked at at once for what can be joined.
const BATCH: usize = 64;

/// The consumer's end.
#[derive(Debug)]
pub(crate) struct Mailbox(Arc<Mutex<State>>);

/// The reader's end. When it is dropped without a word, the session's runtime
/// is gone.
#[derive(Debug)]
pub(crate) struct Sender(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// The oldest events, in which what can be joined was joined.
    joined: VecDeque<Event>,
    /// Those behind them.
    waiting: VecDeque<Event>,
    bytes: usize,
    limit: usize,
    /// Beyond this something is thrown away: at the limit, unless the reader
    /// waits there.
    most: usize,
    /// The limit was reached, and there is not yet room for half of it.
    is_full: bool,
    /// The reader, when it waits for room.
    reader: Option<Waker>,
    /// Set once, when nothing more will come: the error to end with.
    end: Option<Option<Error>>,
    waker: Option<Waker>,
    /// Nobody will read any more.
    abandoned: bool,
}

/// A mailbox in which `limit` bytes can wait.
pub(crate) fn mailbox(limit: usize) -> (Sender, Mailbox) {
    let state = Arc::new(Mutex::new(State {
        joined: VecDeque::new(),
        waiting: VecDeque::new(),
        bytes: 0,
        limit,
        most: limit,
        is_full: false,
        reader: None,
        end: None,
        waker: None,
        abandoned: false,
    }));
    (Sender(Arc::clone(&state)), Mailbox(state))
}

impl Sender {
    /// Puts an event in. It waits for nobody.
    pub(crate) fn put(&self, event: Event) {
        let mut state = lock(&self.0);
        if state.abandoned || state.end.is_some() {
            return;
        }
        state.bytes += weight(&event);
        state.waiting.push_back(event);
        // A reader that waits rather than throw anything away passes on what
        // comes as it comes.
        if state.bytes > state.limit / 2 && state.most == state.limit {
            state.join_some();
        }
        if state.bytes > state.most {
            state.make_room();
        }
        if state.bytes >= state.limit {
            state.is_full = true;
        }
        state.wake();
    }

    /// Sets how much may wait before something is thrown away; the limit, if
    /// that is more.
    pub(crate) fn keep(&self, most: usize) {
        let mut state = lock(&self.0);
        state.most = most.max(state.limit);
    }

    /// Whether the limit was reached, and the consumer has not yet read half
    /// of that.
    pub(crate) fn is_full(&self) -> bool {
        lock(&self.0).is_full
    }

    /// Waits until it is not full. Cancel safe.
    pub(crate) async fn room(&self) {
        poll_fn(|context| {
            let mut state = lock(&self.0);
            if !state.is_full {
                return Poll::Ready(());
            }
            state.reader = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Whether nobody will read any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        lock(&self.0).abandoned
    }

    /// Nothing more will come.
    pub(crate) fn end(&self, error: Option<Error>) {
        let mut state = lock(&self.0);
        if state.end.is_none() {
            state.end = Some(error);
            state.wake();
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let gone = crate::error::SessionEnd::runtime_gone();
        self.end(Some(Error::Ended(Arc::new(gone))));
    }
}

impl Mailbox {
    /// The next event; the error that ended the session, once, behind the
    /// last one; then `None`.
    pub(crate) fn poll_next(
        &mut self,
        context: &Context<'_>,
    ) -> Poll<Option<Result<Event, Error>>> {
        let mut state = lock(&self.0);
        if let Some(event) = state.pop() {
            state.bytes -= weight(&event);
            state.tell_reader();
            return Poll::Ready(Some(Ok(event)));
        }
        if let Some(end) = &mut state.end {
            return Poll::Ready(end.take().map(Err));
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        state.abandoned = true;
        state.joined = VecDeque::new();
        state.waiting = VecDeque::new();
        state.bytes = 0;
        state.tell_reader();
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Lets a reader that waits know that there is room again.
    fn tell_reader(&mut self) {
        if self.is_full && self.bytes <= self.limit / 2 {
            self.is_full = false;
            if let Some(reader) = self.reader.take() {
                reader.wake();
            }
        }
    }

    fn pop(&mut self) -> Option<Event> {
        self.joined.pop_front().or_else(|| self.waiting.pop_front())
    }

    /// Joins partial messages among the oldest events that were not looked at.
    fn join_some(&mut self) {
        if self.waiting.len() >= BATCH {
            let batch = join(self.waiting.drain(..BATCH), &mut self.bytes);
            self.joined.extend(batch);
            self.tell_reader();
        }
    }

    /// Joins all that can be joined, and if that is not enough, throws events
    /// away, down to half of the limit: so the work is done once for many
    /// events.
    fn make_room(&mut self) {
        let all = self.take_all();
        self.joined = join(all, &mut self.bytes);
        if self.bytes > self.limit / 2 {
            self.throw_away();
        }
        self.tell_reader();
    }

    fn take_all(&mut self) -> impl Iterator<Item = Event> + use<> {
        let waiting = mem::take(&mut self.waiting);
        mem::take(&mut self.joined).into_iter().chain(waiting)
    }

    /// Throws the oldest partial messages away, and if that is not enough, the
    /// oldest events, but not the last.
    fn throw_away(&mut self) {
        let goal = self.limit / 2;
        let (mut events, mut bytes) = (0, 0);
        let mut kept = VecDeque::new();
        for event in self.take_all() {
            match &event {
                Event::Frame(frame) if self.bytes > goal && is_partial(frame) => {
                    self.bytes -= weight(&event);
                    events += 1;
                    bytes += size(&event);
                }
                Event::Notice(Notice::Lagged {
                    events: before,
                    bytes: of_them,
                }) => {
                    self.bytes -= weight(&event);
                    events += before;
                    bytes += of_them;
                }
                _ => kept.push_back(event),
            }
        }
        while self.bytes > goal && kept.len() > 1 {
            let Some(event) = kept.pop_front() else { break };
            self.bytes -= weight(&event);
            events += 1;
            bytes += size(&event);
        }
        if events > 0 {
            let lagged = Event::Notice(Notice::Lagged { events, bytes });
            self.bytes += weight(&lagged);
            kept.push_front(lagged);
        }
        self.joined = kept;
    }
}

/// Joins partial messages that follow each other, and counts what they weigh
/// anew.
fn join(events: impl Iterator<Item = Event>, bytes: &mut usize) -> VecDeque<Event> {
    let mut merger = DeltaMerger::default();
    let mut kept = VecDeque::new();
    for event in events {
        *bytes -= weight(&event);
        match event {
            Event::Frame(frame) => kept.extend(merger.push(frame).map(Event::Frame)),
            event => {
                kept.extend(merger.finish().map(Event::Frame));
                kept.push_back(event);
            }
        }
    }
    kept.extend(merger.finish().map(Event::Frame));
    *bytes += kept.iter().map(weight).sum::<usize>();
    kept
}

fn weight(event: &Event) -> usize {
    OVERHEAD + size(event)
}

/// The bytes from the wire that an event holds.
fn size(event: &Event) -> usize {
    match event {
        Event::Frame(frame) => frame.raw().len(),
        // The result has come as a frame, which shares its bytes.
        Event::Activity(_) | Event::Turn(_) => 0,
        Event::Session(SessionNews::Login(news)) => news.size(),
        Event::Session(_) => SESSION,
        Event::Background(tasks) => tasks.len() * OVERHEAD,
        Event::Notice(notice) => match notice {
            Notice::Wire(notice) => notice.size(),
            Notice::CallbackFailed { failure, .. } => match failure {
                CallbackFailure::Panicked(why) | CallbackFailure::Failed(why) => why.len(),
                CallbackFailure::Dropped => 0,
            },
            Notice::McpServerPanicked {
                during, message, ..
            } => during.len() + message.len(),
            Notice::McpServerEnded { reason, .. } => reason.len(),
            Notice::NotSupported {
                subtype, reason, ..
            } => subtype.len() + reason.len(),
            Notice::NotMirrored { failure, .. } => match failure {
                StoreFailure::Failed(why)
                | StoreFailure::Panicked(why)
                | StoreFailure::Unreadable(why) => why.len(),
                _ => 0,
            },
            Notice::Shadowed(it) => it.option.len() + it.by.len() + it.effect.len(),
            Notice::NotApplied { .. }
            | Notice::Withdrawn { .. }
            | Notice::Lost { .. }
            | Notice::Lagged { .. } => 0,
        },
    }
}

fn is_partial(frame: &Frame) -> bool {
    matches!(frame.kind(), "stream_event" | "partial_assistant")
}

/// A panic of a consumer leaves the queue as it was: it is only moved.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use std::future::Future;
    use std::pin::pin;

    fn frame(kind: &str, number: usize, padding: usize) -> Event {
        let text = format!(
            r#"{{"type":"{kind}","uuid":"{number}","x":"{}"}}"#,
            "x".repeat(padding)
        );
        Event::Frame(Frame::new(Bytes::from(text)).unwrap())
    }

    fn all(mailbox: &mut Mailbox) -> Vec<String> {
        let context = Context::from_waker(Waker::noop());
        let mut seen = Vec::new();
        while let Poll::Ready(Some(item)) = mailbox.poll_next(&context) {
            seen.push(match item {
                Ok(Event::Frame(frame)) => frame.uuid().unwrap().to_owned(),
                Ok(Event::Notice(Notice::Lagged { events, .. })) => format!("lagged {events}"),
                Ok(event) => format!("{event:?}"),
                Err(error) => format!("error {error}"),
            });
        }
        seen
    }

    #[test]
    fn events_come_out_in_order_and_the_error_behind_them_once() {
        let (sender, mut mailbox) = mailbox(10_000);
        sender.put(frame("user", 1, 0));
        sender.put(frame("stream_event", 2, 0));
        drop(sender);
        assert_eq!(
            all(&mut mailbox),
            ["1", "2", "error the session's runtime was shut down"]
        );
        assert_eq!(all(&mut mailbox), [""; 0]);
    }

    #[test]
    fn at_the_bound_partial_messages_go_first_and_the_consumer_is_told() {
        let (sender, mut mailbox) = mailbox(10_000);
        for number in 0..100 {
            let kind = if number % 10 == 0 {
                "assistant"
            } else {
                "stream_event"
            };
            sender.put(frame(kind, number, 0));
        }
        sender.end(None);
        let seen = all(&mut mailbox);
        let lagged: usize = seen[0].strip_prefix("lagged ").unwrap().parse().unwrap();
        assert_eq!(lagged + seen.len() - 1, 100);
        for number in (0..100).step_by(10) {
            assert!(seen.contains(&number.to_string()), "{number} in {seen:?}");
        }
        assert_eq!(seen.last().unwrap(), "99");
    }

    #[test]
    fn without_partial_messages_the_oldest_go() {
        let (sender, mut mailbox) = mailbox(10_000);
        for number in 0..100 {
            let before = lock(&sender.0).bytes;
            sender.put(frame("assistant", number, 100));
            // The work is done once for half of the limit.
            let bytes = lock(&sender.0).bytes;
            assert!(bytes > before || bytes <= 5_000 + OVERHEAD, "{bytes}");
        }
        sender.end(None);
        let seen = all(&mut mailbox);
        let lagged: usize = seen[0].strip_prefix("lagged ").unwrap().parse().unwrap();
        assert_eq!(lagged + seen.len() - 1, 100);
        assert_eq!(seen[1], lagged.to_string());
    }

    fn delta(number: usize, text: &str) -> Event {
        let text = format!(
            r#"{{"type":"stream_event","uuid":"{number}","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}}}"#
        );
        Event::Frame(Frame::new(Bytes::from(text)).unwrap())
    }

    fn text(mailbox: &mut Mailbox) -> (String, usize) {
        let context = Context::from_waker(Waker::noop());
        let (mut text, mut frames) = (String::new(), 0);
        while let Poll::Ready(Some(item)) = mailbox.poll_next(&context) {
            let Ok(Event::Frame(frame)) = item else {
                panic!("{item:?}")
            };
            text += frame.message().unwrap().text_delta().unwrap();
            frames += 1;
        }
        (text, frames)
    }

    #[test]
    fn at_the_bound_partial_messages_are_joined_and_nothing_is_lost() {
        let (sender, mut mailbox) = mailbox(10_000);
        let mut all = String::new();
        for number in 0..1_000 {
            let piece = format!("{number} ");
            sender.put(delta(number, &piece));
            all += &piece;
        }
        sender.end(None);
        let (text, frames) = text(&mut mailbox);
        assert_eq!(text, all);
        assert!(frames < 100, "{frames}");
    }

    #[test]
    fn when_joining_is_not_enough_the_oldest_partial_messages_go() {
        let (sender, mut mailbox) = mailbox(10_000);
        sender.put(frame("assistant", 0, 0));
        for number in 1..100 {
            // No deltas that could be joined.
            sender.put(frame("stream_event", number, 0));
        }
        sender.end(None);
        let seen = all(&mut mailbox);
        let lagged: usize = seen[0].strip_prefix("lagged ").unwrap().parse().unwrap();
        assert_eq!(lagged + seen.len() - 1, 100);
        assert_eq!(seen[1], "0");
        assert_eq!(seen[2], (lagged + 1).to_string());
    }

    #[test]
    fn what_waits_is_bounded_and_counted_whatever_comes() {
        let limit = 10_000;
        let (sender, mut mailbox) = mailbox(limit);
        let context = Context::from_waker(Waker::noop());
        let mut shrunk = 0;
        for number in 0..20_000 {
            let before = lock(&sender.0).bytes;
            let event = match number * 7 % 13 {
                0 => frame("assistant", number, number % 300),
                1 => Event::Activity(agentwire_protocol::host::Activity::Idle),
                2 => frame("stream_event", number, 0),
                3 if number % 1_000 == 3 => frame("assistant", number, 2 * limit),
                _ => delta(number, "x"),
            };
            let weighs = weight(&event);
            sender.put(event);
            let state = lock(&sender.0);
            let all = || state.joined.iter().chain(&state.waiting);
            assert_eq!(state.bytes, all().map(weight).sum::<usize>());
            // The last event stays, however large it is.
            let is_within = state.bytes <= limit || all().count() <= 2;
            assert!(is_within, "{} bytes", state.bytes);
            shrunk += usize::from(before + weighs > limit);
            drop(state);
            if number % 3 == 0 && number % 5_000 > 2_000 {
                drop(mailbox.poll_next(&context));
            }
        }
        assert!(shrunk > 10, "{shrunk}");
    }

    #[test]
    fn one_message_that_is_larger_than_the_limit_is_delivered() {
        let (sender, mut mailbox) = mailbox(1_000);
        sender.put(frame("assistant", 1, 5_000));
        assert_eq!(all(&mut mailbox), ["1"]);
        sender.put(frame("assistant", 2, 5_000));
        sender.put(frame("assistant", 3, 5_000));
        assert_eq!(all(&mut mailbox), ["lagged 1", "3"]);
    }

    #[test]
    fn a_reader_that_waits_keeps_everything_and_goes_on_at_half_of_the_limit() {
        let (sender, mut mailbox) = mailbox(10_000);
        sender.keep(1_000_000);
        let mut number = 0;
        while !sender.is_full() {
            sender.put(frame("assistant", number, 100));
            number += 1;
        }
        // What had been read by then comes as well.
        for late in number..2 * number {
            sender.put(frame("assistant", late, 100));
        }
        let mut context = Context::from_waker(Waker::noop());
        let mut read = 0;
        {
            let mut room = pin!(sender.room());
            while room.as_mut().poll(&mut context).is_pending() {
                let Poll::Ready(Some(Ok(Event::Frame(frame)))) = mailbox.poll_next(&context) else {
                    panic!()
                };
                assert_eq!(frame.uuid(), Some(&*read.to_string()));
                read += 1;
            }
        }
        let left = lock(&sender.0).bytes;
        assert!((4_500..=5_000).contains(&left), "{left}");
        assert_eq!(all(&mut mailbox).len(), 2 * number - read);
        drop(mailbox);
        assert!(sender.is_abandoned() && !sender.is_full());
    }

    #[test]
    fn a_reader_that_waits_throws_away_beyond_what_it_may_keep() {
        let (sender, mut mailbox) = mailbox(10_000);
        sender.keep(20_000);
        for number in 0..100 {
            sender.put(frame("assistant", number, 100));
            assert!(lock(&sender.0).bytes <= 20_000);
        }
        assert!(all(&mut mailbox)[0].starts_with("lagged "));
        // When it waits no more, the limit holds.
        sender.keep(0);
        for number in 0..100 {
            sender.put(frame("assistant", number, 100));
            assert!(lock(&sender.0).bytes <= 10_000);
        }
    }
}
