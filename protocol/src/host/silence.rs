//! Whether an agent that owes something still answers.
//!
//! Silence is no sign: a tool or the model may take any time. So the host asks,
//! and only an agent that does not answer that either counts as hung.

use super::pending::OwnRequest;
use super::{Event, Host};
use crate::control::McpStatus;
use std::time::{Duration, Instant};

impl Host {
    /// Sets how long an agent that owes something may be silent before it is
    /// asked whether it still answers, and then how long it may take for that.
    /// If it does not answer, [`Event::Hung`] is delivered. Not checked by
    /// default, nor while reading is paused.
    pub fn set_silence_limit(&mut self, patience: Option<Duration>) {
        self.alive.patience = patience;
    }

    /// Whether the agent owes anything: the end of a turn, a response, or a report
    /// about a message. Responses of the host are not meant.
    fn is_owed(&self) -> bool {
        let is_owed = self.turns.is_running()
            || !self.requests.is_empty()
            || self.submissions.are_outstanding();
        is_owed && !self.is_paused
    }

    /// Notes that the agent has said something.
    pub(super) fn heard(&mut self, now: Instant) {
        if let Some(patience) = self.alive.patience {
            self.alive.is_asked = false;
            self.alive.asks_at = now.checked_add(patience);
        }
    }

    /// Starts or stops the check after a change.
    pub(super) fn watch_silence(&mut self, now: Instant) {
        let Some(patience) = self.alive.patience else {
            return;
        };
        if !self.is_owed() {
            self.alive.begin_process();
        } else if self.alive.asks_at.is_none() && !self.alive.is_asked {
            self.alive.asks_at = now.checked_add(patience);
        }
    }

    /// Asks an agent that has been silent for too long.
    pub(super) fn handle_silence(&mut self, now: Instant) {
        let Some(patience) = self.alive.patience else {
            return;
        };
        if self.alive.asks_at.is_none_or(|at| at > now) {
            return;
        }
        self.alive.asks_at = None;
        if self.is_owed() {
            self.alive.is_asked = true;
            // Any request without side effects works.
            let own = OwnRequest::Alive;
            self.ask_for_itself(now, "still-alive", &McpStatus::default(), patience, own);
        }
    }

    /// Handles the end of the question.
    pub(super) fn alive_asked(&mut self, has_answer: bool) {
        if self.alive.is_asked && !has_answer {
            self.events.push_back(Event::Hung);
        }
        self.alive.is_asked = false;
    }
}
