//! What waits for the consumer of a session.
//!
//! The reader puts events in and never waits; the consumer takes them out at
//! its own pace. What waits is bounded in bytes. At the bound partial
//! messages go first, since whole messages follow them, then the oldest; and
//! the consumer is told how much it missed, in front of what is left.

use crate::error::Error;
use crate::event::{Event, Notice};
use agentwire_protocol::Frame;
use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// What an event weighs beside the bytes of its frame.
const OVERHEAD: usize = 256;

/// What news of the session weighs: the agent's description of itself.
const SESSION: usize = 8 * 1024;

/// The consumer's end.
#[derive(Debug)]
pub(crate) struct Mailbox(Arc<Mutex<State>>);

/// The reader's end. When it is dropped without a word, the session's runtime
/// is gone.
#[derive(Debug)]
pub(crate) struct Sender(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    waiting: VecDeque<Event>,
    bytes: usize,
    limit: usize,
    /// Set once, when nothing more will come: the error to end with.
    end: Option<Option<Error>>,
    waker: Option<Waker>,
    /// Nobody will read any more.
    abandoned: bool,
}

/// A mailbox in which `limit` bytes can wait.
pub(crate) fn mailbox(limit: usize) -> (Sender, Mailbox) {
    let state = Arc::new(Mutex::new(State {
        waiting: VecDeque::new(),
        bytes: 0,
        limit,
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
        if state.bytes > state.limit {
            state.make_room();
        }
        state.wake();
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
        if let Some(event) = state.waiting.pop_front() {
            state.bytes -= weight(&event);
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
        state.waiting.clear();
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Throws partial messages away, and if that is not enough, the oldest
    /// events, down to half of the limit: so the work is done once for many
    /// events.
    fn make_room(&mut self) {
        let (mut events, mut bytes) = (0, 0);
        let mut kept = VecDeque::new();
        for event in mem::take(&mut self.waiting) {
            match &event {
                Event::Frame(frame) if is_partial(frame) => {
                    events += 1;
                    bytes += size(&event);
                }
                Event::Notice(Notice::Lagged {
                    events: before,
                    bytes: of_them,
                }) => {
                    events += before;
                    bytes += of_them;
                }
                _ => kept.push_back(event),
            }
        }
        let mut weighs: usize = kept.iter().map(weight).sum();
        while weighs > self.limit / 2 && kept.len() > 1 {
            let Some(event) = kept.pop_front() else { break };
            weighs -= weight(&event);
            events += 1;
            bytes += size(&event);
        }
        kept.push_front(Event::Notice(Notice::Lagged { events, bytes }));
        self.bytes = weighs + OVERHEAD;
        self.waiting = kept;
    }
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
        Event::Session(_) => SESSION,
        Event::Background(tasks) => tasks.len() * OVERHEAD,
        Event::Notice(notice) => match notice {
            Notice::Wire(notice) => notice.size(),
            Notice::CallbackPanicked {
                message, tool_name, ..
            } => message.len() + tool_name.len(),
            Notice::NotSupported {
                subtype, reason, ..
            } => subtype.len() + reason.len(),
            Notice::Withdrawn { .. } | Notice::Lost { .. } | Notice::Lagged { .. } => 0,
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
            sender.put(frame("assistant", number, 100));
        }
        sender.end(None);
        let seen = all(&mut mailbox);
        let lagged: usize = seen[0].strip_prefix("lagged ").unwrap().parse().unwrap();
        assert_eq!(lagged + seen.len() - 1, 100);
        assert_eq!(seen[1], lagged.to_string());
    }
}
