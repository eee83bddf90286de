//! The attachment that reads the messages of a session.

use super::meter::Meter;
use super::{Ledger, OverBudget};
use agentwire::attachment::{
    Action, Attach, Attachment, AttachmentEvent, Boxed, Gate, NextProcess, Opening,
};
use agentwire::{Error, Frame, Handle, Options};
use agentwire_protocol::control::{GetUsage, GetUsageAnswer};
use agentwire_protocol::host::Prompt;
use std::collections::VecDeque;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Records the costs of a tenant's sessions in a [`Ledger`]. Set it with
/// [`Options::attachment`](agentwire::Options::attachment); it can be cloned and set for any
/// number of sessions.
///
/// - Connecting fails with [`Error::Transport`] and an [`OverBudget`] as its cause if the
///   budget is spent.
/// - A user message waits in the outbound queue while the budget is spent. It is sent when the
///   budget is raised, and can be withdrawn meanwhile.
/// - With a budget, setting the recorder sets
///   [`Options::max_budget_usd`](agentwire::Options::max_budget_usd) to the remaining sum, unless
///   it is lower already. A limit that is set later replaces it. Later processes of the session get
///   the sum that remains then. The limit of a running process does not change, even if the budget
///   is raised.
#[derive(Debug, Clone)]
pub struct Recorder {
    pub(super) ledger: Ledger,
    pub(super) tenant: Arc<str>,
}

impl Attach for Recorder {
    fn configure(&self, options: Options) -> Options {
        let remaining = self.ledger.remaining(&self.tenant);
        // Without a remaining sum, no session opens.
        let Some(remaining) = remaining.filter(|it| *it > 0.0 && it.is_finite()) else {
            return options;
        };
        match limit(&options) {
            Some(limit) if limit <= remaining => options,
            _ => options.max_budget_usd(remaining),
        }
    }

    fn attach<'a>(
        &'a self,
        _: &'a mut Opening<'_>,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, Error>> {
        let attached = self.ledger.check(&self.tenant).map(|()| {
            let attached = Attached {
                recorder: self.clone(),
                meter: Meter::default(),
                session: Arc::default(),
                pid: None,
                waiting: VecDeque::new(),
                opened_with: self.ledger.remaining(&self.tenant),
            };
            Some(Box::new(attached) as Box<dyn Attachment>)
        });
        let attached = attached.map_err(|error: OverBudget| Error::Transport {
            error: Arc::new(error),
        });
        Box::pin(async { attached })
    }
}

/// Returns the limit that the options set.
fn limit(options: &Options) -> Option<f64> {
    let arguments = options.arguments().ok()?;
    let mut values = arguments
        .iter()
        .filter_map(|it| it.strip_prefix("--max-budget-usd="));
    values.next()?.parse().ok()
}

/// The state that a session shares with [`Ledger::follow`].
#[derive(Default)]
pub(super) struct Followed {
    handle: Option<Handle>,
    /// The request for the usage before the first turn of the process.
    query: Option<Boxed<'static, Result<GetUsageAnswer, Error>>>,
    waker: Option<Waker>,
}

pub(super) type Shared = Arc<Mutex<Followed>>;

pub(super) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Followed {
    /// Requests the usage of this process now, and of later ones when they start.
    pub(super) fn follow(&mut self, handle: Handle) {
        self.handle = Some(handle);
        self.request();
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn request(&mut self) {
        self.query = self.handle.as_ref().map(|handle| {
            let mut request = GetUsage::default();
            request.skip_behaviors = Some(true);
            // It is queued now, before messages that are sent later.
            let response = handle.request(&request);
            Box::pin(response) as Boxed<'static, _>
        });
    }

    /// Returns the response once.
    fn poll(&mut self, context: &mut Context<'_>) -> Option<GetUsageAnswer> {
        let response = match self.query.as_mut()?.as_mut().poll(context) {
            Poll::Ready(response) => response,
            Poll::Pending => return None,
        };
        self.query = None;
        response.ok()
    }
}

struct Attached {
    recorder: Recorder,
    meter: Meter,
    session: Shared,
    pid: Option<u32>,
    /// The UUIDs of messages that are deferred because the budget is spent.
    waiting: VecDeque<Box<str>>,
    /// The remaining budget when the session was opened.
    opened_with: Option<f64>,
}

impl Attached {
    fn take_baseline(&mut self, context: &mut Context<'_>) {
        let usage = locked(&self.session).poll(context);
        if let Some(models) = usage.and_then(|it| it.session.model_usage) {
            self.meter.set_baseline(&models);
        }
    }

    fn end_process(&mut self) {
        if let Some(turn) = self.meter.end_process() {
            self.recorder.ledger.record(&self.recorder.tenant, turn);
        }
        if let Some(pid) = self.pid.take() {
            self.recorder.ledger.remove_process(pid, &self.session);
        }
        locked(&self.session).query = None;
    }
}

impl Attachment for Attached {
    fn before_message(&mut self, message: &Prompt) -> Gate {
        let Err(error) = self.recorder.ledger.check(&self.recorder.tenant) else {
            return Gate::Pass;
        };
        tracing::warn!(%error, "a message waits");
        self.waiting.push_back(message.uuid().into());
        Gate::Wait
    }

    fn intercept(&mut self, message: &Frame) -> bool {
        if self.meter.needs_baseline() {
            // A response before this message may not have been polled yet.
            self.take_baseline(&mut Context::from_waker(Waker::noop()));
        }
        if let Some(turn) = self.meter.read(message) {
            self.recorder.ledger.record(&self.recorder.tenant, turn);
        }
        false
    }

    fn observe(&mut self, happened: &AttachmentEvent<'_>) {
        match happened {
            AttachmentEvent::Started { pid, .. } => {
                self.pid = *pid;
                if self.meter.needs_baseline() {
                    locked(&self.session).request();
                }
                if let Some(pid) = *pid {
                    self.recorder.ledger.add_process(pid, &self.session);
                }
            }
            AttachmentEvent::SessionId(id) => self.meter.set_session(id),
            _ => {}
        }
    }

    fn exited(&mut self, _: Option<ExitStatus>) -> Option<Boxed<'_, ()>> {
        self.end_process();
        None
    }

    fn before_process(&mut self, next: &mut NextProcess<'_>) -> Option<Boxed<'static, ()>> {
        let remaining = self.recorder.ledger.remaining(&self.recorder.tenant);
        if let Some(remaining) = remaining.filter(|it| *it > 0.0 && it.is_finite()) {
            // The program's own limit stays if it is lower.
            match next.budget_usd() {
                Some(own) if Some(own) != self.opened_with && own <= remaining => {}
                _ => next.set_budget_usd(remaining),
            }
        }
        None
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Action> {
        locked(&self.session).waker = Some(context.waker().clone());
        self.take_baseline(context);
        let (ledger, tenant) = (&self.recorder.ledger, &self.recorder.tenant);
        if self.waiting.is_empty() || ledger.wait_for_budget(tenant, context.waker()) {
            return Poll::Pending;
        }
        let first = self.waiting.pop_front();
        first.map_or(Poll::Pending, |uuid| Poll::Ready(Action::Send(uuid)))
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.end_process();
    }
}
