//! Pausing and resuming reading of the agent's output.

use super::streams::Streams;
use crate::event::{Demand, Room};
use crate::options::{Backpressure, Options, UnreadLimits};
use std::time::{Duration, Instant};

/// The most that one read may add beyond a bound, except its last line: it may consist of many
/// messages of a few bytes each.
const CHUNK: usize = 4 * 1024 * 1024;

/// A pause longer than this is logged.
const LONG: Duration = Duration::from_secs(30);

/// Decides whether to read the agent's output.
#[derive(Debug)]
pub(super) struct Flow {
    backpressure: Backpressure,
    limits: UnreadLimits,
    /// The most that the read before a pause may add beyond the hard limit.
    slack: usize,
    /// Whether callbacks or in-process servers respond to requests, which may be among the unread
    /// events.
    answers: bool,
    paused: Option<Pause>,
    /// Operations of the application that need input.
    demand: Demand,
    /// Whether the session is being closed, so that all remaining events will be read soon.
    is_closing: bool,
}

/// A pause in reading.
#[derive(Debug, Clone, Copy)]
struct Pause {
    since: Instant,
    was_reported: bool,
}

/// A change of the reading state.
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
            answers: options.callbacks.are_set(),
            paused: None,
            demand,
            is_closing: false,
        }
    }

    /// Sets that the session is being closed.
    pub(super) fn is_closing(&mut self) {
        self.is_closing = true;
    }

    /// Returns whether the application needs input.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_closing || self.demand.is_wanted()
    }

    /// Waits until input may be needed, or streams may have space. Cancel safe.
    pub(super) async fn demand_changed(&self) {
        self.demand.changed().await;
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// Returns the start of the current pause.
    pub(super) fn paused_since(&self) -> Option<Instant> {
        self.paused.map(|it| it.since)
    }

    /// Sets that there are in-process servers, which respond to the agent too.
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

    /// Returns the capacity of streams. If reading is about to pause for a stream, it includes
    /// everything read so far.
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

    /// Pauses reading while a result is deferred, and while a stream in use is full unless
    /// something depends on further input.
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

    /// Returns when to log the current pause.
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
