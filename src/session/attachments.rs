//! The optional parts of a session, and what waits for them.

use crate::attachment::{Action, Attachment, Gate, Happened};
use crate::event::Notice;
use agentwire_protocol::Frame;
use agentwire_protocol::host::{IncomingRequest, Prompt};
use agentwire_protocol::sorted::SortedMap;
use std::future::poll_fn;
use std::process::ExitStatus;
use std::task::Poll;

/// The attachments of a session, and what waits for them.
#[derive(Default)]
pub(super) struct Attachments {
    all: Vec<Box<dyn Attachment>>,
    /// `None` as long as nothing waits.
    deferred: Option<Box<Deferred>>,
}

/// What waits for attachments.
#[derive(Default)]
struct Deferred {
    /// Messages in the outbound queue, and how many attachments each waits for.
    messages: SortedMap<Box<str>, usize>,
    requests: Vec<IncomingRequest>,
    /// The result of a turn. The events behind it wait too.
    result: Option<Frame>,
}

impl Attachments {
    pub(super) fn push(&mut self, attachment: impl Attachment) {
        self.all.push(Box::new(attachment));
    }

    pub(super) fn extend(&mut self, attachments: Vec<Box<dyn Attachment>>) {
        self.all.extend(attachments);
    }

    /// Returns whether the session has attachments.
    pub(super) fn exist(&self) -> bool {
        !self.all.is_empty()
    }

    /// Whether the session may act.
    pub(super) fn may_act(&mut self) -> bool {
        self.all.iter_mut().all(|it| it.may_act())
    }

    /// Returns whether a message has to wait in the outbound queue.
    pub(super) fn defer_message(&mut self, message: &Prompt) -> bool {
        let gates = self.all.iter_mut().map(|it| it.before_message(message));
        let waits = gates.filter(|gate| *gate == Gate::Wait).count();
        if waits > 0 {
            let messages = &mut self.deferred.get_or_insert_default().messages;
            *messages.get_or_insert_with(message.uuid().into(), || 0) += waits;
        }
        waits > 0
    }

    /// Returns whether a message need not wait any more.
    pub(super) fn may_send(&mut self, uuid: &str) -> bool {
        let Some(deferred) = &mut self.deferred else {
            return false;
        };
        let Some(waits) = deferred.messages.get_mut(uuid) else {
            return false;
        };
        *waits -= 1;
        let may_send = *waits == 0;
        if may_send {
            deferred.messages.remove(uuid);
        }
        may_send
    }

    /// Returns the request, unless it has to wait.
    pub(super) fn pass_request(&mut self, ask: IncomingRequest) -> Option<IncomingRequest> {
        let mut gates = self.all.iter_mut().map(|it| it.before_callback(&ask.frame));
        if gates.any(|gate| gate == Gate::Wait) {
            let deferred = self.deferred.get_or_insert_default();
            deferred.requests.push(ask);
            return None;
        }
        Some(ask)
    }

    /// Takes the requests that wait, to ask again about them.
    pub(super) fn take_requests(&mut self) -> Vec<IncomingRequest> {
        let deferred = self.deferred.as_mut();
        deferred.map_or_else(Vec::new, |it| std::mem::take(&mut it.requests))
    }

    /// The agent has cancelled a request.
    pub(super) fn cancel_request(&mut self, request_id: &str) {
        if let Some(deferred) = &mut self.deferred {
            deferred
                .requests
                .retain(|ask| *ask.request_id != *request_id);
        }
    }

    /// Returns a message, unless an attachment takes it or it has to wait.
    pub(super) fn pass_message(&mut self, frame: Frame, is_lost: bool) -> Option<Frame> {
        if self.all.is_empty() {
            return Some(frame);
        }
        if self.all.iter_mut().any(|it| it.intercept(&frame)) {
            return None;
        }
        match frame.kind() {
            "result" => self.pass_result(frame, is_lost),
            _ => Some(frame),
        }
    }

    fn pass_result(&mut self, frame: Frame, is_lost: bool) -> Option<Frame> {
        let gates = self.all.iter_mut().map(|it| it.before_result(&frame));
        // All are asked.
        let gates: Vec<Gate> = gates.collect();
        if gates.contains(&Gate::Wait) {
            self.deferred.get_or_insert_default().result = Some(frame);
            return None;
        }
        let is_withheld = is_lost && gates.contains(&Gate::PassIfOwned);
        (!is_withheld).then_some(frame)
    }

    /// Asks again about the result that waits, and returns it if it need not.
    pub(super) fn retry_result(&mut self, is_lost: bool) -> Option<Frame> {
        let frame = self.deferred.as_mut()?.result.take()?;
        self.pass_result(frame, is_lost)
    }

    /// Takes the result that waits, without waiting any longer.
    pub(super) fn take_result(&mut self) -> Option<Frame> {
        self.deferred.as_mut()?.result.take()
    }

    /// Whether a result waits, and the events behind it.
    pub(super) fn defer_events(&self) -> bool {
        let deferred = self.deferred.as_ref();
        deferred.is_some_and(|it| it.result.is_some())
    }

    /// Reports what has happened.
    pub(super) fn observe(&mut self, happened: &Happened<'_>) {
        for attachment in &mut self.all {
            attachment.observe(happened);
        }
    }

    /// A process has exited.
    pub(super) async fn exited(&mut self, exit: Option<ExitStatus>) {
        for attachment in &mut self.all {
            if let Some(settling) = attachment.exited(exit) {
                settling.await;
            }
        }
    }

    /// Waits for what an attachment asks for; forever if there is none. Cancel safe.
    pub(super) async fn next(&mut self) -> Action {
        poll_fn(|context| {
            for attachment in &mut self.all {
                if let Poll::Ready(action) = attachment.poll(context) {
                    return Poll::Ready(action);
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Ends the attachments one after the other, at the end of the session. What they ask for
    /// is not done any more.
    pub(super) async fn end(&mut self, mut deliver: impl FnMut(Notice)) {
        for attachment in &mut self.all {
            if let Some(ending) = attachment.end() {
                ending.await.into_iter().for_each(&mut deliver);
            }
        }
        // They may report that they are gone.
        self.all.clear();
    }
}
