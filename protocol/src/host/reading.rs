//! A driver that stops reading for a while, because what it has read is not
//! wanted yet.

use super::{Event, Host, RequestFailure};
use crate::outbox::{Class, Outgoing};
use std::collections::BTreeMap;

impl Host {
    /// Whether `initialize` was answered. Before that nobody can use the
    /// session, so nobody can be too slow for it.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        !self.outbox.is_held()
    }

    /// The driver does not read the agent's output any more, until it says so
    /// with [`Host::handle_reading_resumed`].
    ///
    /// No answer would be seen, so all requests that wait for one end, and new
    /// ones are not taken. Those that have not left do not leave. Those that
    /// have are not cancelled: the agent may have done them already, and does
    /// not read either, maybe. Their answers are [`Notice::StrayAnswer`]s when
    /// they are read in the end. Messages and answers to asks still go out.
    ///
    /// [`Notice::StrayAnswer`]: super::Notice::StrayAnswer
    pub fn handle_reading_stopped(&mut self) {
        self.is_unread = true;
        // What the host has asked for itself is waited for by nobody.
        let requests = std::mem::take(&mut self.requests).into_iter();
        let (own, waited_for): (BTreeMap<_, _>, BTreeMap<_, _>) =
            requests.partition(|(_, pending)| pending.own.is_some());
        self.requests = own;
        for (request_id, pending) in waited_for {
            let is_it = |line: &Outgoing| {
                !matches!(line.class, Class::User(_) | Class::Answer) && line.id == request_id
            };
            self.outbox.withdraw(is_it);
            let subtype = pending.subtype;
            self.events.push_back(Event::Answered {
                request_id,
                outcome: Err(RequestFailure::NotRead { subtype }),
            });
        }
        self.after_change();
    }

    /// The driver reads again.
    pub fn handle_reading_resumed(&mut self) {
        self.is_unread = false;
    }
}
