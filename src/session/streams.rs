//! Where the events of a session go: to the client, and to whoever else has
//! asked for some of them.

use crate::error::Error;
use crate::event::{Event, Notice};
use crate::mailbox::Sender;
use crate::subscription::main_text;
use agentwire_protocol::host::TurnEvent;
use std::collections::HashSet;

/// What of a session somebody wants to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Interest {
    Everything,
    /// The text of the main conversation, while it is written.
    Texts,
    /// The turn that takes up this message.
    Turn(Box<str>),
}

/// The client's stream, and all others.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) own: Sender,
    subscribers: Vec<(Interest, Sender)>,
    turn: Option<RunningTurn>,
}

/// The turn that runs.
#[derive(Debug, Default)]
struct RunningTurn {
    /// The messages that it has taken up.
    messages: HashSet<Box<str>>,
    /// What it has brought so far.
    events: usize,
    bytes: usize,
}

impl Streams {
    pub(super) fn new(own: Sender) -> Self {
        Self {
            own,
            subscribers: vec![],
            turn: None,
        }
    }

    /// Whoever comes late to a turn is told how much of it is gone.
    pub(super) fn subscribe(&mut self, interest: Interest, sender: Sender) {
        self.forget_those_who_left();
        if let (Interest::Turn(uuid), Some(turn)) = (&interest, &self.turn)
            && turn.messages.contains(uuid)
            && turn.events > 0
        {
            let (events, bytes) = (turn.events, turn.bytes);
            sender.put(Event::Notice(Notice::Lagged { events, bytes }));
        }
        self.subscribers.push((interest, sender));
    }

    /// Whether the turn that runs has taken this message up.
    pub(super) fn is_in_turn(&self, uuid: &str) -> bool {
        (self.turn.as_ref()).is_some_and(|turn| turn.messages.contains(uuid))
    }

    /// Gives an event to all who want it. It waits for nobody.
    pub(super) fn put(&mut self, event: Event) {
        self.forget_those_who_left();
        match &event {
            Event::Turn(TurnEvent::Started { .. }) => self.turn = Some(RunningTurn::default()),
            Event::Turn(TurnEvent::TookUp { uuid, .. }) => {
                let turn = self.turn.get_or_insert_default();
                turn.messages.insert(uuid.clone());
            }
            Event::Frame(frame) => {
                if let Some(turn) = &mut self.turn {
                    turn.events += 1;
                    turn.bytes += frame.raw().len();
                }
            }
            _ => {}
        }
        for (interest, sender) in &self.subscribers {
            if self.wants(interest, &event) {
                sender.put(event.clone());
            }
        }
        if let Event::Turn(TurnEvent::Ended(_)) = &event {
            for uuid in self.turn.take().unwrap_or_default().messages {
                self.no_turn(&uuid);
            }
        }
        self.own.put(event);
    }

    fn wants(&self, interest: &Interest, event: &Event) -> bool {
        match interest {
            Interest::Everything => true,
            Interest::Texts => matches!(event, Event::Frame(frame) if main_text(frame).is_some()),
            Interest::Turn(uuid) => {
                self.is_in_turn(uuid) && !matches!(event, Event::Activity(_) | Event::Session(_))
            }
        }
    }

    /// No turn will take this message up, or it is over.
    pub(super) fn no_turn(&mut self, uuid: &str) {
        self.subscribers.retain(|(interest, sender)| {
            let is_it = matches!(interest, Interest::Turn(it) if **it == *uuid);
            if is_it {
                sender.end(None);
            }
            !is_it
        });
    }

    /// Nothing more will come.
    pub(super) fn end(&self, error: Option<&Error>) {
        for (_, sender) in &self.subscribers {
            sender.end(error.cloned());
        }
        self.own.end(error.cloned());
    }

    fn forget_those_who_left(&mut self) {
        self.subscribers
            .retain(|(_, sender)| !sender.is_abandoned());
    }
}
