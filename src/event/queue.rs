//! The unread events of a consumer, within a limit: partial messages are joined first; if that
//! is not enough, the oldest events are discarded.

use super::request::Unanswered;
use super::{Event, Notice};
use agentwire_protocol::message::DeltaMerger;
use agentwire_protocol::sorted::SortedMap;
use std::collections::VecDeque;
use std::mem;
use std::time::Instant;

/// The number of events joined in one step.
const BATCH: usize = 64;

/// The largest partial message that others are joined to, in bytes: it is parsed again each
/// time.
const JOINED: usize = 16 * 1024;

/// The capacity that an empty queue retains, in events.
const RETAINED: usize = 32;

/// The unread events, from the oldest to the newest.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The oldest events, already joined.
    joined: VecDeque<Entry>,
    /// The later events, as they arrived.
    waiting: VecDeque<Entry>,
    bytes: usize,
    /// The number and size of the events discarded before the remaining ones.
    dropped: (usize, usize),
    /// The actions to take for requests of the agent that are never read.
    requests: SortedMap<Box<str>, Unanswered>,
}

/// An event and when it arrived.
#[derive(Debug)]
struct Entry {
    event: Event,
    since: Instant,
}

/// Events that are added to a queue together.
#[derive(Debug, Default)]
pub(super) struct Batch {
    entries: Vec<Entry>,
    requests: Vec<(Box<str>, Unanswered)>,
}

/// The size of a queue.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Backlog {
    pub(crate) events: usize,
    pub(crate) bytes: usize,
    /// When the oldest event arrived.
    pub(crate) since: Option<Instant>,
}

impl Batch {
    pub(super) fn push(&mut self, event: Event, since: Instant) {
        self.entries.push(Entry { event, since });
    }

    /// Adds the action to take if a request is never read.
    pub(super) fn push_request(&mut self, request_id: Box<str>, unanswered: Unanswered) {
        self.requests.push((request_id, unanswered));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.requests.clear();
        self.entries.clear();
    }

    /// Returns the size of its events, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.entries.iter().map(|it| it.event.weight()).sum()
    }
}

impl Queue {
    /// Adds the events of a batch, `bytes` in total. If there is not enough space, older events are
    /// joined or discarded. The newest event always remains.
    pub(super) fn append(&mut self, batch: &mut Batch, bytes: usize, most: usize) {
        self.bytes += bytes;
        if self.waiting.is_empty() {
            let entries = mem::take(&mut batch.entries);
            batch.entries = mem::replace(&mut self.waiting, entries.into()).into();
        } else {
            self.waiting.extend(batch.entries.drain(..));
        }
        self.requests.extend(batch.requests.drain(..));
        if self.bytes > most {
            self.make_room(most);
        }
    }

    /// Counts events that were discarded before the queue was created.
    pub(super) fn missed(&mut self, events: usize, bytes: usize) {
        self.dropped = (events, bytes);
    }

    /// Returns the size of its events, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Discards the unread requests: they are denied if they are in no other stream. Their events
    /// remain.
    pub(super) fn discard_requests(&mut self) {
        self.requests.clear();
    }

    pub(super) fn backlog(&self) -> Backlog {
        let oldest = self.joined.front().or(self.waiting.front());
        Backlog {
            events: self.len(),
            bytes: self.bytes,
            since: oldest.map(|it| it.since),
        }
    }

    /// Removes the oldest event, or the notice that older events were discarded. A request counts
    /// as delivered if the consumer `takes_requests`.
    pub(super) fn pop(&mut self, takes_requests: bool) -> Option<Event> {
        if let (events @ 1.., bytes) = mem::take(&mut self.dropped) {
            return Some(Event::Notice(Notice::Lagged { events, bytes }));
        }
        let event = self.pop_oldest()?;
        if let Event::Request(request) = &event
            && let Some(unanswered) = self.requests.remove(&request.request_id)
            && takes_requests
        {
            unanswered.was_read();
        }
        Some(event)
    }

    fn len(&self) -> usize {
        self.joined.len() + self.waiting.len()
    }

    fn pop_oldest(&mut self) -> Option<Event> {
        let oldest = self.joined.pop_front();
        let Entry { event, .. } = oldest.or_else(|| self.waiting.pop_front())?;
        self.bytes -= event.weight();
        if self.waiting.is_empty() && self.waiting.capacity() > RETAINED {
            self.waiting = VecDeque::new();
        }
        Some(event)
    }

    /// Joins partial messages in small steps, so that the driver stays responsive. If none remain,
    /// discards the oldest events.
    fn make_room(&mut self, most: usize) {
        while self.bytes > most && self.len() > 1 {
            if self.waiting.len() > 1 {
                self.join(BATCH.min(self.waiting.len()));
            } else if let Some(event) = self.pop_oldest() {
                self.dropped.0 += 1;
                self.dropped.1 += event.size();
                if let Event::Request(request) = &event {
                    // Denies the request if it is in no other stream.
                    self.requests.remove(&request.request_id);
                }
            }
        }
    }

    /// Joins the oldest unprocessed events. All of them then have the age of the first.
    fn join(&mut self, mut count: usize) {
        let mut frames = Vec::new();
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
        for Entry { event, .. } in self.waiting.drain(..count) {
            self.bytes -= event.weight();
            match event {
                Event::Frame(frame) => frames.push(frame),
                event => {
                    let joined = DeltaMerger::merge(mem::take(&mut frames));
                    events.extend(joined.into_iter().map(Event::Frame));
                    events.push(event);
                }
            }
        }
        let joined = DeltaMerger::merge(frames);
        events.extend(joined.into_iter().map(Event::Frame));
        self.bytes += events.iter().map(Event::weight).sum::<usize>();
        let joined = events.into_iter().map(|event| Entry { event, since });
        self.joined.extend(joined);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::*;
    use agentwire_protocol::Frame;
    use bytes::Bytes;

    pub(in crate::event) fn frame(kind: &str, number: usize, padding: usize) -> Event {
        let text = format!(
            r#"{{"type":"{kind}","uuid":"{number}","x":"{}"}}"#,
            "x".repeat(padding)
        );
        Event::Frame(Frame::new(Bytes::from(text)).unwrap())
    }

    pub(in crate::event) fn delta(number: usize, text: &str) -> Event {
        let text = format!(
            r#"{{"type":"stream_event","uuid":"{number}","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}}}"#
        );
        Event::Frame(Frame::new(Bytes::from(text)).unwrap())
    }

    #[test]
    fn unread_events_are_limited_and_counted() {
        let limit = 10_000;
        let mut queue = Queue::default();
        let mut batch = Batch::default();
        let mut shrunk = 0;
        for number in 0..20_000 {
            let before = queue.bytes();
            let event = match number * 7 % 13 {
                0 => frame("assistant", number, number % 300),
                1 => Event::Activity(agentwire_protocol::host::Activity::Idle),
                2 => frame("stream_event", number, 0),
                3 if number % 1_000 == 3 => frame("assistant", number, 2 * limit),
                _ => delta(number, "x"),
            };
            batch.push(event, Instant::now());
            let bytes = batch.bytes();
            queue.append(&mut batch, bytes, limit);
            let all = || queue.joined.iter().chain(&queue.waiting);
            let weighed: usize = all().map(|it| it.event.weight()).sum();
            assert_eq!(queue.bytes(), weighed);
            // The last event always remains.
            let is_within = queue.bytes() <= limit || all().count() == 1;
            assert!(is_within, "{} bytes", queue.bytes());
            shrunk += usize::from(before + bytes > limit);
            if number % 3 == 0 && number % 5_000 > 2_000 {
                drop(queue.pop(true));
            }
        }
        assert!(shrunk > 10, "{shrunk}");
    }
}
