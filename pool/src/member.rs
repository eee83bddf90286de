//! The attachment that makes a session a member of the pool.

use crate::pool::Inner;
use agentwire::attachment::{
    Action, Attach, Attachment, AttachmentEvent, Boxed, Gate, NextProcess, Opening,
};
use agentwire_protocol::Frame;
use agentwire_protocol::host::Prompt;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::oneshot;
use tokio::time::sleep_until;

/// A member of the pool. It leaves the pool on drop.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) id: u64,
    pub(crate) pool: Arc<Inner>,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.pool.leave(self.id);
    }
}

/// Attaches a member to the session that is opened with it.
pub(crate) struct JoinOnOpen(Mutex<Option<Session>>);

impl JoinOnOpen {
    /// Creates the attachment of a member. `gated` is notified if a message is
    /// deferred.
    pub(crate) fn new(member: Member, gated: Option<oneshot::Sender<()>>) -> Self {
        Self(Mutex::new(Some(Session {
            member,
            deferred: VecDeque::new(),
            until: None,
            is_ready: false,
            gated,
        })))
    }
}

impl Attach for JoinOnOpen {
    fn attach<'a>(
        &'a self,
        _: &'a mut Opening<'_>,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, agentwire::Error>> {
        let session = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let attachment = session.map(|it| Box::new(it) as Box<dyn Attachment>);
        Box::pin(async { Ok(attachment) })
    }
}

pub(crate) struct Session {
    member: Member,
    /// Messages that are deferred until the account is available.
    deferred: VecDeque<Box<str>>,
    /// Ready when the account's limit may have been lifted.
    until: Option<Boxed<'static, ()>>,
    /// Whether its first process was reported as ready.
    is_ready: bool,
    /// Notified if a message is deferred.
    gated: Option<oneshot::Sender<()>>,
}

impl Session {
    /// Reports that the first process has responded.
    fn set_ready(&mut self) {
        if !self.is_ready {
            self.is_ready = true;
            self.member.pool.ready(self.member.id);
        }
    }

    /// Returns whether the account is limited, and waits until it is not.
    fn is_limited(&mut self) -> bool {
        let mut lifted = self.member.pool.lifted.subscribe();
        self.until = self.member.pool.limited(self.member.id).map(|at| {
            let wait = async move {
                tokio::select! {
                    () = sleep_until(at.into()) => {}
                    _ = lifted.changed() => {}
                }
            };
            Box::pin(wait) as Boxed<'static, ()>
        });
        self.until.is_some()
    }
}

impl Attachment for Session {
    fn before_message(&mut self, message: &Prompt) -> Gate {
        self.set_ready();
        self.member.pool.used(self.member.id);
        let has_to_wait = !self.deferred.is_empty() || self.is_limited();
        if (has_to_wait || self.member.pool.is_over_budget(self.member.id))
            && let Some(gated) = self.gated.take()
        {
            // The caller does without this session.
            let _ = gated.send(());
        }
        if has_to_wait {
            self.deferred.push_back(message.uuid().into());
            self.member.pool.report_waiting(self.member.id);
            return Gate::Wait;
        }
        Gate::Pass
    }

    fn intercept(&mut self, message: &Frame) -> bool {
        self.set_ready();
        self.member.pool.received(self.member.id, message);
        false
    }

    fn observe(&mut self, happened: &AttachmentEvent<'_>) {
        let (pool, id) = (&self.member.pool, self.member.id);
        match happened {
            AttachmentEvent::Started { pid, .. } => pool.started(id, *pid),
            AttachmentEvent::Ready => pool.ready(id),
            AttachmentEvent::Gone => pool.gone(id),
            AttachmentEvent::TurnEnded => pool.used(id),
            _ => {}
        }
    }

    fn before_process(&mut self, _: &mut NextProcess<'_>) -> Option<Boxed<'static, ()>> {
        let (pool, id) = (Arc::clone(&self.member.pool), self.member.id);
        Some(Box::pin(async move {
            // It waits without a deadline, also in a closed pool.
            let _ = pool.wait(id, None).await;
        }))
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Action> {
        while !self.deferred.is_empty() {
            if let Some(until) = &mut self.until {
                if until.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                // Another session may have been told of another limit.
                if self.is_limited() {
                    continue;
                }
            }
            if let Some(uuid) = self.deferred.pop_front() {
                return Poll::Ready(Action::Send(uuid));
            }
        }
        Poll::Pending
    }
}
