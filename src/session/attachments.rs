//! The attachments of a session, and what is deferred for them.

use crate::attachment::{Action, Attachment, AttachmentEvent, Boxed, Gate, NextProcess};
use crate::event::Notice;
use agentwire_protocol::Frame;
use agentwire_protocol::host::{IncomingRequest, Prompt};
use agentwire_protocol::sorted::SortedMap;
use std::future::poll_fn;
use std::process::ExitStatus;
use std::task::Poll;

/// The attachments of a session.
#[derive(Default)]
pub(super) struct Attachments {
    all: Vec<Box<dyn Attachment>>,
    /// `None` if nothing is deferred.
    deferred: Option<Box<Deferred>>,
}

/// Messages, requests and the result that are deferred for attachments.
#[derive(Default)]
struct Deferred {
    /// Messages in the outbound queue, with the number of attachments that defer each.
    messages: SortedMap<Box<str>, usize>,
    requests: Vec<IncomingRequest>,
    /// The result of a turn. Later events are deferred too.
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

    /// Returns whether the session may act.
    pub(super) fn may_act(&mut self) -> bool {
        self.all.iter_mut().all(|it| it.may_act())
    }

    /// Offers a message to the attachments. Returns whether one of them defers it.
    pub(super) fn defer_message(&mut self, message: &Prompt) -> bool {
        let gates = self.all.iter_mut().map(|it| it.before_message(message));
        let waits = gates.filter(|gate| *gate == Gate::Wait).count();
        if waits > 0 {
            let messages = &mut self.deferred.get_or_insert_default().messages;
            *messages.get_or_insert_with(message.uuid().into(), || 0) += waits;
        }
        waits > 0
    }

    /// Releases a message for one attachment. Returns whether no other one defers it.
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

    /// Returns the request, unless an attachment defers it.
    pub(super) fn pass_request(&mut self, ask: IncomingRequest) -> Option<IncomingRequest> {
        let mut gates = self.all.iter_mut().map(|it| it.before_callback(&ask.frame));
        if gates.any(|gate| gate == Gate::Wait) {
            let deferred = self.deferred.get_or_insert_default();
            deferred.requests.push(ask);
            return None;
        }
        Some(ask)
    }

    /// Takes the deferred requests, to offer them again.
    pub(super) fn take_deferred_requests(&mut self) -> Vec<IncomingRequest> {
        let deferred = self.deferred.as_mut();
        deferred.map_or_else(Vec::new, |it| std::mem::take(&mut it.requests))
    }

    /// Removes a cancelled request.
    pub(super) fn cancel_request(&mut self, request_id: &str) {
        if let Some(deferred) = &mut self.deferred {
            deferred
                .requests
                .retain(|ask| *ask.request_id != *request_id);
        }
    }

    /// Returns a message, unless an attachment intercepts or defers it.
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
        // Each attachment must see the result.
        let gates: Vec<Gate> = gates.collect();
        if gates.contains(&Gate::Wait) {
            self.deferred.get_or_insert_default().result = Some(frame);
            return None;
        }
        let is_withheld = is_lost && gates.contains(&Gate::PassIfOwned);
        (!is_withheld).then_some(frame)
    }

    /// Offers the deferred result again. Returns it if no attachment defers it any more.
    pub(super) fn retry_deferred_result(&mut self, is_lost: bool) -> Option<Frame> {
        let frame = self.deferred.as_mut()?.result.take()?;
        self.pass_result(frame, is_lost)
    }

    /// Takes the deferred result unconditionally.
    pub(super) fn take_deferred_result(&mut self) -> Option<Frame> {
        self.deferred.as_mut()?.result.take()
    }

    /// Returns whether a result, and so each later event, is deferred.
    pub(super) fn defer_events(&self) -> bool {
        let deferred = self.deferred.as_ref();
        deferred.is_some_and(|it| it.result.is_some())
    }

    /// Notifies the attachments.
    pub(super) fn observe(&mut self, happened: &AttachmentEvent<'_>) {
        if let AttachmentEvent::Delivery { uuid, state, .. } = happened
            && state.is_end()
            && let Some(deferred) = &mut self.deferred
        {
            // It was withdrawn.
            deferred.messages.remove(*uuid);
        }
        for attachment in &mut self.all {
            attachment.observe(happened);
        }
    }

    /// Notifies the attachments that a process has exited.
    pub(super) async fn exited(&mut self, exit: Option<ExitStatus>) {
        for attachment in &mut self.all {
            if let Some(settling) = attachment.exited(exit) {
                settling.await;
            }
        }
    }

    /// Returns what to await before another process is started.
    pub(super) fn before_process(&mut self, mut next: NextProcess<'_>) -> Vec<Boxed<'static, ()>> {
        let all = self.all.iter_mut();
        let gates = all.filter_map(|it| it.before_process(&mut next));
        gates.collect()
    }

    /// Returns the number of messages in the outbound queue that are deferred.
    pub(super) fn deferred_messages(&self) -> usize {
        let deferred = self.deferred.as_ref();
        deferred.map_or(0, |it| it.messages.len())
    }

    /// Waits for the next action of an attachment; pending forever if there is none. Cancel safe.
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

    /// Ends the attachments in order, at the end of the session. Their actions are ignored from now
    /// on.
    pub(super) async fn end(&mut self, mut deliver: impl FnMut(Notice)) {
        for attachment in &mut self.all {
            if let Some(ending) = attachment.end() {
                ending.await.into_iter().for_each(&mut deliver);
            }
        }
        // Their drop may report that they are gone.
        self.all.clear();
    }
}
