//! Pausing and resuming reading of the agent's output.

use super::streams::Streams;
use crate::event::{Demand, Room};
use crate::options::{Backpressure, Options, UnreadLimits};
use std::time::{Duration, Instant};

/// How much one read may bring beyond a bound, besides its last line: it may
/// consist of many messages of a few bytes each.
const CHUNK: usize = 4 * 1024 * 1024;

/// How long reading may be paused before this is logged.
const LONG: Duration = Duration::from_secs(30);

/// Whether the agent's output is read.
#[derive(Debug)]
pub(super) struct Flow {
    backpressure: Backpressure,
    limits: UnreadLimits,
    /// How much a read that ends in a pause may bring beyond the hard limit.
    slack: usize,
    /// Whether callbacks or in-process servers respond to requests, which may
    /// be among the unread events.
    answers: bool,
    paused: Option<Pause>,
    /// Pending operations that wait for input.
    demand: Demand,
    /// Whether the session is closed, so that all remaining events will be read soon.
    is_closing: bool,
}

/// A pause in reading.
#[derive(Debug, Clone, Copy)]
struct Pause {
    since: Instant,
    was_reported: bool,
}

/// A change of whether output is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    Pauses,
    Resumes,
}

impl Flow {
    pub(super) fn new(options: &Options, demand: Demand) -> Self {
        Self {
            backpressure: options.backpressure,
            limits: options.unread_limits(),
            slack: options.line_limit.saturating_add(CHUNK),
            answers: options.callbacks.answer_something(),
            paused: None,
            demand,
            is_closing: false,
        }
    }

    /// Notes that the remaining events will be read soon.
    pub(super) fn is_closing(&mut self) {
        self.is_closing = true;
    }

    /// Whether the application waits for input.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_closing || self.demand.is_wanted()
    }

    /// Waits until input may be wanted, or there may be space for it. Cancel safe.
    pub(super) async fn demand_changed(&self) {
        self.demand.changed().await;
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// Returns since when reading has been paused.
    pub(super) fn paused_since(&self) -> Option<Instant> {
        self.paused.map(|it| it.since)
    }

    /// Notes that there are in-process servers, which respond to the agent too.
    #[cfg(feature = "mcp")]
    pub(super) fn has_servers(&mut self) {
        self.answers = true;
    }

    /// Returns the unread size from which a stream is full.
    pub(super) fn bound(&self) -> usize {
        match self.backpressure {
            Backpressure::DropOldest => usize::MAX,
            Backpressure::Pause if self.answers => self.limits.hard,
            Backpressure::Pause => self.limits.pause,
        }
    }

    /// Returns how much streams may hold. If reading is about to pause for a
    /// stream, everything read so far is kept.
    pub(super) fn room(&self, is_wanted: bool) -> Room {
        let unused = match self.backpressure {
            Backpressure::DropOldest => self.limits.pause,
            Backpressure::Pause => self.limits.hard,
        };
        let pauses = self.backpressure == Backpressure::Pause && !is_wanted;
        let slack = if pauses { self.slack } else { 0 };
        Room {
            in_use: unused.saturating_add(slack),
            unused,
        }
    }

    /// Decides whether to read: not while a result waits for the store; and not while a
    /// stream in use is full, unless something depends on further input.
    pub(super) fn update(
        &mut self,
        now: Instant,
        streams: &Streams,
        is_wanted: bool,
        is_result_deferred: bool,
    ) -> Option<Change> {
        let pauses = is_result_deferred || !is_wanted && streams.is_any_full();
        match (pauses, self.paused) {
            (true, None) => {
                let since = now;
                let was_reported = false;
                self.paused = Some(Pause {
                    since,
                    was_reported,
                });
                Some(Change::Pauses)
            }
            (false, Some(_)) => {
                self.paused = None;
                Some(Change::Resumes)
            }
            _ => None,
        }
    }

    /// Returns when a long pause must be logged.
    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        let pause = self.paused.filter(|it| !it.was_reported)?;
        pause.since.checked_add(LONG)
    }

    /// Logs a long pause.
    pub(super) fn handle_timeout(&mut self, now: Instant, streams: &Streams) {
        if let Some(pause) = &mut self.paused
            && !pause.was_reported
            && now.saturating_duration_since(pause.since) >= LONG
        {
            pause.was_reported = true;
            for stream in streams.unread(now) {
                tracing::warn!(
                    stream = ?stream.stream,
                    events = stream.events,
                    bytes = stream.bytes,
                    "the agent's output has not been read for {LONG:?}: \
                     a stream of the session is full and nothing reads it",
                );
            }
        }
    }
}
