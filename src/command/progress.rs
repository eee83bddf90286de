//! The delivery status of messages.

use super::turn::TurnWatch;
use crate::event::{Error, Event, Room, Sender};
use agentwire_protocol::host::{SubmissionState, TurnEvent};
use agentwire_protocol::outbox::QueueSize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The events of a turn that has ended, for late streams.
#[derive(Debug, Clone)]
pub(crate) enum TurnEvents {
    All(Arc<[Event]>),
    /// There were more than are retained: their number and size.
    Missed(usize, usize),
}

impl TurnEvents {
    /// Delivers the events since the pick-up of a message, without requests, which are over.
    pub(crate) fn deliver(self, uuid: &str, sender: &mut Sender) {
        let events = match self {
            Self::All(events) => events,
            Self::Missed(events, bytes) => return sender.missed(events, bytes),
        };
        let is_before = |event: &&Event| !matches!(event, Event::Turn(TurnEvent::PickedUp { uuid: it, .. }) if **it == *uuid);
        for event in events.iter().skip_while(is_before) {
            if !matches!(event, Event::Request(_)) {
                sender.put(event.clone(), Instant::now());
            }
        }
        sender.hand_over(Room {
            in_use: usize::MAX,
            unused: usize::MAX,
        });
    }
}

/// The delivery status of a message, and the error if delivery failed.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    pub(crate) state: SubmissionState,
    was_written: bool,
    /// The turn that picked up the message.
    pub(crate) turn: Option<TurnWatch>,
    /// The events of that turn, once it has ended.
    pub(crate) events: Option<TurnEvents>,
    pub(crate) error: Option<Error>,
}

impl Progress {
    /// Returns the status of a new message.
    pub(crate) fn new() -> Self {
        Self {
            state: SubmissionState::Waiting,
            was_written: false,
            turn: None,
            events: None,
            error: None,
        }
    }

    /// Advances the status.
    pub(crate) fn advance(&mut self, state: SubmissionState) {
        self.state = state;
        self.was_written |= !matches!(
            state,
            SubmissionState::Waiting
                | SubmissionState::Handed
                | SubmissionState::Withdrawn
                | SubmissionState::Lost
        );
    }

    /// Returns whether the message was written to the pipe.
    pub(crate) fn was_written(&self) -> bool {
        self.was_written
    }

    /// Sets the turn that picked up the message.
    pub(crate) fn taken_up(&mut self, turn: Option<TurnWatch>) {
        self.turn = turn;
    }

    /// Sets the error that ended delivery.
    pub(crate) fn end(&mut self, error: Error) {
        self.error = Some(error);
    }

    /// Returns the status of a message that was not accepted.
    pub(crate) fn failed(error: Error) -> Self {
        Self {
            state: SubmissionState::Lost,
            was_written: false,
            turn: None,
            events: None,
            error: Some(error),
        }
    }
}

/// The messages and requests in the outbound queue. They are queued while the agent does not
/// read its input, and until it has responded to the first request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutboundQueue {
    /// The number of user messages.
    pub messages: usize,
    /// Their size in bytes.
    pub message_bytes: usize,
    /// The size of the control requests in bytes, without interrupts.
    pub control_bytes: usize,
    /// How long the oldest message of priority `later` has been queued. Later messages can overtake
    /// it repeatedly.
    pub oldest_later: Option<Duration>,
}

impl OutboundQueue {
    pub(crate) fn new(waiting: QueueSize, now: Instant) -> Self {
        Self {
            messages: waiting.users,
            message_bytes: waiting.user_bytes,
            control_bytes: waiting.control_bytes,
            oldest_later: (waiting.oldest_later).map(|since| now.saturating_duration_since(since)),
        }
    }
}
