//! Pending operations of the host: requests, observers of messages and turns, and messages that
//! wait for space.

use super::blocked::Blocked;
use crate::command::{OpenTurn, Progress, TurnEvents};
use crate::event::{Error, SessionStatus};
use agentwire_protocol::control::Answer;
use agentwire_protocol::host::{Host, SubmissionState, TurnEvent, TurnOutcome};
use agentwire_protocol::ids::IdMap;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::{oneshot, watch};

type Reply = oneshot::Sender<Result<Answer, Error>>;

/// Pending operations of the host.
pub(super) struct Waiters {
    requests: IdMap<Reply>,
    /// Observers of messages, by message ID. A host may reuse an ID when it retries.
    submissions: IdMap<Vec<watch::Sender<Progress>>>,
    /// Observers of messages of the running turn that have their final status.
    finished: Vec<(Box<str>, watch::Sender<Progress>)>,
    /// Messages that wait for space, in order.
    blocked: VecDeque<Blocked>,
    /// Messages that were never written, until the end reason is known.
    lost: Vec<watch::Sender<Progress>>,
    /// The running turn.
    turn: Option<OpenTurn>,
    /// Has the running turn, or the last one, for observers.
    status: Arc<watch::Sender<SessionStatus>>,
    last_result_failed: bool,
}

impl Waiters {
    pub(super) fn new(
        status: Arc<watch::Sender<SessionStatus>>,
        blocked: VecDeque<Blocked>,
    ) -> Self {
        Self {
            requests: IdMap::default(),
            submissions: IdMap::default(),
            finished: vec![],
            blocked,
            lost: vec![],
            turn: None,
            status,
            last_result_failed: false,
        }
    }

    // Requests.

    pub(super) fn add_request(&mut self, request_id: Arc<str>, reply: Reply) {
        self.requests.insert(request_id, reply);
    }

    pub(super) fn take_request(&mut self, request_id: &str) -> Option<Reply> {
        self.requests.remove(request_id)
    }

    // Messages that wait for space.

    pub(super) fn block(&mut self, message: Blocked) {
        self.blocked.push_back(message);
    }

    pub(super) fn are_blocked(&self) -> bool {
        !self.blocked.is_empty()
    }

    /// Takes the first message that waits for space, if there is enough or its receiver was
    /// dropped.
    pub(super) fn take_blocked(&mut self, host: &Host) -> Option<Blocked> {
        let is_next = |first: &Blocked| first.is_unwanted() || host.has_room(&first.prompt);
        self.blocked
            .front()
            .is_some_and(is_next)
            .then(|| self.blocked.pop_front())?
    }

    // Delivery of messages.

    /// Adds an observer of a submitted message. A message with a reused ID may already have a
    /// state.
    pub(super) fn add_submission(
        &mut self,
        uuid: Arc<str>,
        state: SubmissionState,
        progress: watch::Sender<Progress>,
    ) {
        let all = self.submissions.entry(uuid).or_default();
        if let Some(earlier) = all.first() {
            let so_far = earlier.borrow().clone();
            progress.send_replace(so_far);
        } else if state > SubmissionState::Waiting {
            progress.send_modify(|it| {
                it.advance(state);
                if state == SubmissionState::Started {
                    it.taken_up(self.status.borrow().turn.clone());
                }
            });
        }
        all.push(progress);
    }

    pub(super) fn is_observed(&self, uuid: &str) -> bool {
        self.submissions.contains_key(uuid)
    }

    /// Reports the delivery status of a message to its observers. Returns whether the message was
    /// observed and now has its final status. `is_in_turn`: whether the running turn has picked it
    /// up.
    pub(super) fn advance(&mut self, uuid: &str, state: SubmissionState, is_in_turn: bool) -> bool {
        if !state.is_end() {
            for progress in self.submissions.get(uuid).into_iter().flatten() {
                update(progress, |it| it.advance(state));
            }
            return false;
        }
        let Some(all) = self.submissions.remove(uuid) else {
            return false;
        };
        for progress in all {
            update(&progress, |it| it.advance(state));
            // A written message may be lost long before the session ends, so no reason is reported.
            if state == SubmissionState::Lost && !progress.borrow().was_written() {
                self.lost.push(progress);
            } else if is_in_turn {
                self.finished.push((uuid.into(), progress));
            }
        }
        true
    }

    // Turns.

    /// Leaves the events of a turn that has ended to the observers of its messages.
    pub(super) fn end_turn(&mut self, messages: &[Box<str>], events: &TurnEvents) {
        let finished = std::mem::take(&mut self.finished);
        for uuid in messages {
            let pending = self.submissions.get(&**uuid).into_iter().flatten();
            let finished = finished.iter().filter(|(id, _)| id == uuid);
            for progress in pending.chain(finished.map(|(_, progress)| progress)) {
                progress.send_if_modified(|it| {
                    it.events = Some(events.clone());
                    false
                });
            }
        }
    }

    /// Returns whether a turn has started.
    pub(super) fn had_turn(&self) -> bool {
        self.status.borrow().turn.is_some()
    }

    /// Notifies the observers of a turn.
    pub(super) fn observe_turn(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::Started { turn } => {
                let (turn, watch) = OpenTurn::begin(*turn);
                self.turn = Some(turn);
                self.status.send_modify(|it| it.turn = Some(watch));
            }
            TurnEvent::PickedUp { uuid, .. } => {
                let turn = self.status.borrow().turn.clone();
                for progress in self.submissions.get(&**uuid).into_iter().flatten() {
                    update(progress, |it| it.taken_up(turn.clone()));
                }
            }
            TurnEvent::Ended(end) => {
                self.last_result_failed = is_failure(end.outcome);
                if let Some(turn) = self.turn.take() {
                    turn.end(end);
                }
            }
            _ => {}
        }
    }

    /// Returns whether the last turn ended with an error result.
    pub(super) fn last_result_failed(&self) -> bool {
        self.last_result_failed
    }

    /// Resets the turn for the next process.
    pub(super) fn restart(&mut self) {
        self.last_result_failed = false;
    }

    // The end of the session.

    /// Fails the messages that wait for space.
    pub(super) fn end_blocked(&mut self, ended: impl Fn() -> Error) {
        for Blocked { progress, .. } in self.blocked.drain(..) {
            progress.send_replace(Progress::failed(ended()));
        }
    }

    /// Fails all other operations.
    pub(super) fn end(&mut self, ended: impl Fn() -> Error) {
        for (_, reply) in self.requests.drain() {
            drop(reply.send(Err(ended())));
        }
        for progress in self.lost.drain(..) {
            progress.send_modify(|it| it.end(ended()));
        }
    }
}

/// Changes a status. Notifying costs the same without receivers, so it is skipped then.
fn update(progress: &watch::Sender<Progress>, change: impl FnOnce(&mut Progress)) {
    progress.send_if_modified(|it| {
        change(it);
        progress.receiver_count() > 0
    });
}

/// Returns whether a turn ended with an error result, after which a CLI may exit with a failure
/// status.
fn is_failure(outcome: TurnOutcome) -> bool {
    matches!(
        outcome,
        TurnOutcome::Failed | TurnOutcome::ApiError | TurnOutcome::Interrupted
    )
}
