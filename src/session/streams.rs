//! The event streams of a session: the client's, and those created by handles.

use super::notices::NoticeListener;
use crate::command::TurnEvents;
use crate::event::{
    Error, Event, PendingRequest, Room, Sender, StreamKind, Unanswered, UnreadStream,
};
use agentwire_protocol::host::TurnEvent;
use agentwire_protocol::sorted::SortedMap;
use std::time::Instant;

/// The client's stream, and all others.
#[derive(Debug)]
pub(super) struct Streams {
    own: Sender,
    others: Vec<(StreamKind, Sender)>,
    listener: Option<NoticeListener>,
    turn: Option<RunningTurn>,
    /// The unread size from which a stream is full.
    bound: usize,
    /// The capacity of streams, and the arrival time of current events.
    room: Room,
    now: Instant,
    /// The final error of each stream, once the session has ended.
    end: Option<Error>,
}

/// The events and bytes of a turn that are retained for late streams.
const RETAINED: (usize, usize) = (64, 64 * 1024);

/// The running turn.
#[derive(Debug, Default)]
struct RunningTurn {
    /// The retained events, and their size, since the first pick-up of an observed message; `None`
    /// once they exceed the limit.
    start: Option<(Vec<Event>, usize)>,
    /// The messages that the turn has picked up.
    messages: SortedMap<Box<str>, ()>,
    /// The number and size of its events so far.
    events: usize,
    bytes: usize,
}

impl Streams {
    pub(super) fn new(own: Sender, bound: usize, room: Room, now: Instant) -> Self {
        own.set_bound(bound);
        Self {
            own,
            others: vec![],
            listener: None,
            turn: None,
            bound,
            room,
            now,
            end: None,
        }
    }

    /// Sets the callback for notices.
    pub(super) fn listen(&mut self, listener: NoticeListener) {
        self.listener = Some(listener);
    }

    /// Adds a stream. A subscription starts with the pending requests. A late stream of the running
    /// turn receives the retained events, or the number of missed ones; and the pending requests.
    pub(super) fn subscribe(
        &mut self,
        stream: StreamKind,
        mut sender: Sender,
        pending: &[PendingRequest],
    ) {
        self.forget_abandoned();
        sender.set_bound(self.bound);
        let mut shown = None;
        if let (StreamKind::Turn { uuid }, Some(turn)) = (&stream, &self.turn)
            && turn.messages.contains_key(uuid)
        {
            let start = turn.start.as_ref().map_or(&[][..], |(events, _)| events);
            match start.iter().position(|event| is_pick_up(event, uuid)) {
                Some(at) => {
                    for event in &start[at..] {
                        let is_answered = matches!(
                            event,
                            Event::Request(it) if pending.iter().all(|other| other != it)
                        );
                        if !is_answered {
                            sender.put(event.clone(), self.now);
                        }
                    }
                }
                None => {
                    sender.missed(turn.events, turn.bytes);
                    shown = Some(pending);
                }
            }
        } else if stream == StreamKind::Subscription {
            shown = Some(pending);
        }
        for request in shown.unwrap_or_default() {
            sender.put(Event::Request(request.clone()), self.now);
        }
        sender.hand_over(self.room);
        self.others.push((stream, sender));
    }

    /// Retains the running turn's events from now on, for a late stream of a message that is about
    /// to be picked up.
    pub(super) fn retain_start(&mut self) {
        let turn = self.turn.get_or_insert_default();
        turn.start.get_or_insert_default();
    }

    /// Sets the unread size from which a stream is full.
    #[cfg(feature = "mcp")]
    pub(super) fn set_bound(&mut self, bytes: usize) {
        self.bound = bytes;
        for sender in self.all() {
            sender.set_bound(bytes);
        }
    }

    /// Sets the arrival time and capacity for subsequent events.
    pub(super) fn at(&mut self, now: Instant, room: Room) {
        self.now = now;
        self.room = room;
    }

    /// Returns whether a stream in use is full.
    pub(super) fn is_any_full(&self) -> bool {
        self.all()
            .any(|sender| sender.is_full() && sender.is_in_use() && !sender.is_abandoned())
    }

    /// Returns the unread events of the streams.
    pub(super) fn unread(&self, now: Instant) -> Vec<UnreadStream> {
        let others = self.others.iter().map(|(stream, sender)| (stream, sender));
        let all = std::iter::once((&StreamKind::Client, &self.own)).chain(others);
        let mut unread = Vec::new();
        for (stream, sender) in all {
            let backlog = sender.backlog();
            if let Some(since) = backlog.since {
                unread.push(UnreadStream {
                    stream: stream.clone(),
                    events: backlog.events,
                    bytes: backlog.bytes,
                    oldest: now.saturating_duration_since(since),
                    in_use: sender.is_in_use(),
                });
            }
        }
        unread
    }

    fn all(&self) -> impl Iterator<Item = &Sender> {
        std::iter::once(&self.own).chain(self.others.iter().map(|(_, sender)| sender))
    }

    /// Returns whether the running turn has picked up this message.
    pub(super) fn is_in_turn(&self, uuid: &str) -> bool {
        has_picked_up(self.turn.as_ref(), uuid)
    }

    /// Adds an event to all streams that want it. It is visible after `hand_over`.
    pub(super) fn put(&mut self, event: Event) {
        match &event {
            Event::Turn(TurnEvent::Started { .. }) => self.turn = Some(RunningTurn::default()),
            Event::Turn(TurnEvent::PickedUp { uuid, .. }) => {
                let turn = self.turn.get_or_insert_default();
                turn.messages.insert(uuid.clone(), ());
            }
            Event::Frame(frame) => {
                if let Some(turn) = &mut self.turn {
                    turn.events += 1;
                    turn.bytes += frame.raw().len();
                }
            }
            Event::Notice(notice) => {
                if let Some(listener) = &self.listener {
                    listener.notify(notice);
                }
            }
            _ => {}
        }
        if let Some(turn) = &mut self.turn
            && is_of_turn(&event)
        {
            turn.retain(&event);
        }
        for (stream, sender) in &mut self.others {
            if wants(self.turn.as_ref(), stream, &event) {
                sender.put(event.clone(), self.now);
            }
        }
        self.own.put(event, self.now);
    }

    /// Ends the streams of the running turn, which has ended. Returns its messages and its events.
    pub(super) fn end_turn(&mut self) -> (Vec<Box<str>>, TurnEvents) {
        let turn = self.turn.take().unwrap_or_default();
        let messages = turn.messages.into_entries().into_iter();
        let messages: Vec<_> = messages.map(|(uuid, ())| uuid).collect();
        for uuid in &messages {
            self.no_turn(uuid);
        }
        let events = match turn.start {
            Some((events, _)) => TurnEvents::All(events.into()),
            None => TurnEvents::Missed(turn.events, turn.bytes),
        };
        (messages, events)
    }

    /// Adds a request of the agent to all streams that want it. It is denied if none of them
    /// delivers it; an unused stream counts only if no other has the request.
    pub(super) fn put_request(&mut self, request: PendingRequest, unanswered: &Unanswered) {
        let event = Event::Request(request.clone());
        if let Some(turn) = &mut self.turn {
            turn.retain(&event);
        }
        let mut is_in_others = false;
        for (stream, sender) in &mut self.others {
            if wants(self.turn.as_ref(), stream, &event) {
                sender.put_request(request.clone(), self.now, unanswered.clone());
                is_in_others = true;
            }
        }
        match is_in_others && !self.own.is_in_use() {
            true => self.own.put(event, self.now),
            false => self.own.put_request(request, self.now, unanswered.clone()),
        }
    }

    /// Makes new events visible, with one wake-up per stream. Never waits.
    pub(super) fn hand_over(&mut self) {
        self.forget_abandoned();
        for (_, sender) in &mut self.others {
            sender.hand_over(self.room);
        }
        self.own.hand_over(self.room);
    }

    /// Ends the streams of this message: its turn has ended, or it will have none.
    pub(super) fn no_turn(&mut self, uuid: &str) {
        self.others.retain_mut(|(stream, sender)| {
            let is_it = matches!(stream, StreamKind::Turn { uuid: it } if **it == *uuid);
            if is_it {
                sender.hand_over(self.room);
                sender.end(self.end.clone());
            }
            !is_it
        });
    }

    /// Records the end of the session and its error, if any. Further events can still be added.
    pub(super) fn session_ended(&mut self, error: Option<Error>) {
        self.end = error;
    }

    /// Ends all streams, after the callback for notices.
    pub(super) async fn end(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.end().await;
        }
        self.hand_over();
        for sender in self.all() {
            sender.end(self.end.clone());
        }
    }

    fn forget_abandoned(&mut self) {
        self.others.retain(|(_, sender)| !sender.is_abandoned());
    }
}

impl RunningTurn {
    fn retain(&mut self, event: &Event) {
        if let Some((start, size)) = &mut self.start {
            start.push(event.clone());
            *size += event.size();
            if start.len() > RETAINED.0 || *size > RETAINED.1 {
                self.start = None;
            }
        }
    }
}

fn is_pick_up(event: &Event, id: &str) -> bool {
    matches!(event, Event::Turn(TurnEvent::PickedUp { uuid, .. }) if **uuid == *id)
}

/// Returns whether turn streams deliver events of this kind.
fn is_of_turn(event: &Event) -> bool {
    !matches!(event, Event::Activity(_) | Event::Session(_))
}

/// Returns whether a stream wants this event of the turn.
fn wants(turn: Option<&RunningTurn>, stream: &StreamKind, event: &Event) -> bool {
    match stream {
        StreamKind::Client | StreamKind::Subscription => true,
        StreamKind::TextStream => matches!(
            event,
            Event::Frame(frame) if matches!(frame.kind(), "stream_event" | "assistant" | "result")
        ),
        StreamKind::Turn { uuid } => has_picked_up(turn, uuid) && is_of_turn(event),
    }
}

fn has_picked_up(turn: Option<&RunningTurn>, uuid: &str) -> bool {
    turn.is_some_and(|turn| turn.messages.contains_key(uuid))
}
