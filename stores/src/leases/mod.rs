//! Leases, which ensure that only one host at a time owns a session.

mod claim;
mod claims;
mod entry;
mod inbox;
mod store;
#[cfg(target_os = "linux")]
mod watchdog;

pub use claim::{Claim, ClaimRenewer, Claimed};

use agentwire::attachment::{
    Action, Attach, Attachment, AttachmentEvent, Boxed, Gate, Loaded, Opening,
};
use agentwire::hook::HookCall;
use agentwire::ownership::WhenOwned;
use agentwire::protocol::host::Redelivery;
use agentwire::store::{StoreError, TranscriptFailure, TranscriptKey};
use agentwire::{Error, Hook, Notice, Options, SessionStore};
use agentwire_protocol::control::{AgentRequest, ControlRequest};
use agentwire_protocol::hook::{HookEvent, PreSkillShellCommand, PreToolUse};
use agentwire_protocol::host::Prompt;
use agentwire_protocol::{Frame, Json};
use claims::Claims;
use entry::{Inherited, inherited};
use inbox::Inbox;
use std::collections::VecDeque;
use std::fmt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use store::Store;
#[cfg(target_os = "linux")]
use watchdog::Watchdog;

/// How long the agent waits, before a tool, for the response of a host that may be stopped.
const GATE_TIMEOUT: Duration = Duration::from_secs(5);

/// The timeout of claiming a session to copy it.
const COPY_CLAIM_TIMEOUT: Duration = Duration::from_secs(60);

/// A store that gives each session to one host at a time. Such a store returns [`Leases`] from
/// [`SessionStore::attachment`].
pub trait LeasedStore: SessionStore {
    /// Claims a session for this host unless another host owns it.
    ///
    /// Called before a session is loaded, and repeated while another host owns the session and
    /// [`Options::when_owned`] allows waiting. After a successful claim the store refuses appends
    /// of other hosts and renews the lease until the claim is dropped.
    ///
    /// # Errors
    ///
    /// The errors of [`SessionStore::load`].
    fn claim(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Claimed, StoreError>> + Send;

    /// Appends entries to the inbox of a claimed session. The entries are JSON objects that
    /// record accepted messages and their delivery status. A user message is sent to the agent
    /// once its entry is stored.
    ///
    /// # Errors
    ///
    /// If the entries were not stored, or if this host has lost the session. The call is repeated
    /// every 250 ms until the lease expires. Storing an entry twice is harmless.
    fn append_inbox(
        &self,
        session: &TranscriptKey,
        entries: &[Json],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Returns the entries of a session's inbox in order. Called after the session is claimed
    /// and before it is resumed. Deleting a session deletes its inbox.
    ///
    /// # Errors
    ///
    /// The errors of [`SessionStore::load`].
    fn load_inbox(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Vec<Json>, StoreError>> + Send;
}

/// The attachment that gives a session to one host at a time.
///
/// The session is claimed before it is loaded, so no other host can claim it during that time
/// ([`Options::when_owned`]). A new session gets its ID from the host. If the lease expires,
/// because the store cannot be reached or this program was stopped, the session ends with
/// [`EndReason::OwnershipLost`](agentwire::EndReason::OwnershipLost): nothing more is written to
/// the agent, no callback is called, and the agent and all its processes are killed before another
/// host can claim the session. On Linux a watchdog process kills them even if this program is
/// stopped. In addition, the agent calls this program before each tool (a [gate](Hook::gate) on
/// `PreToolUse`) and before each shell command in the text of a skill (`PreSkillShellCommand`,
/// since Claude Code 2.1.332), and runs nothing without a response within five seconds. Older
/// versions run such shell commands without asking.
///
/// A user message is accepted when it is in the [inbox](LeasedStore::append_inbox) of the session.
/// Only then it is sent to the agent, and its [`Submission`](agentwire::Submission) resolves. If
/// this host ends or loses the session before it has reported the message's final delivery status,
/// the next host inherits the message and reports it with [`Notice::Inherited`]. The next host
/// sends the message again if no turn had picked it up. Otherwise, the application decides. The
/// inbox records that a turn has picked up a message before the first tool runs. A message that was
/// not accepted when the session was lost can be sent again under the same `uuid`. The result of a
/// turn is delivered after the turn is stored, as with
/// [`StoreFlush::BeforeResult`](agentwire::store::StoreFlush).
///
/// Leases do not stop tools that are already running, requests to the model, and agents that a user
/// started by hand.
pub struct Leases<S> {
    store: Arc<S>,
    length: Duration,
}

impl<S: LeasedStore> Leases<S> {
    /// Creates the attachment of a store whose leases have this length.
    pub fn new(store: S, length: Duration) -> Self {
        let store = Arc::new(store);
        Self { store, length }
    }
}

impl<S> fmt::Debug for Leases<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leases")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

impl<S: LeasedStore> Attach for Leases<S> {
    /// Adds hooks that allow each tool and each shell command of a skill. If the lease has expired,
    /// the session does not respond, so the agent runs nothing.
    ///
    /// The second hook is not a [gate](Hook::gate), because older CLIs do not have its event. The
    /// CLI runs no command without the response of this hook, even though it is not a gate.
    fn configure(&self, options: Options) -> Options {
        let tool = Hook::new(|_: HookCall<PreToolUse>| async {});
        let command = Hook::new(|_: HookCall<PreSkillShellCommand>| async {});
        let options = options.hook(tool.gate().timeout(GATE_TIMEOUT));
        options.hook(command.timeout(GATE_TIMEOUT))
    }

    fn attach<'a>(
        &'a self,
        opening: &'a mut Opening<'_>,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, Error>> {
        Box::pin(async move {
            let when = opening.when_owned();
            let store = Store::new(&self.store, opening.timeout(), self.length);
            let project = opening.project().to_owned();
            if when == WhenOwned::OpenAnyway {
                return Ok(None);
            }
            opening.store_results_first();
            let Some(id) = opening.session_id() else {
                return Ok(None);
            };
            let session = TranscriptKey::new(project, id).map_err(|error| Error::SessionStore {
                call: "load",
                of: id.to_owned(),
                failure: TranscriptFailure::Refused(error.to_string()),
            })?;
            let claims = Claims::new(&store, &session, when).await?;
            let earlier = store.load_inbox(&session).await?;
            let inbox = Some(Inbox::new(store, session));
            let leased: Box<dyn Attachment> = Box::new(Leased {
                claims,
                inbox,
                earlier,
                actions: VecDeque::new(),
                #[cfg(target_os = "linux")]
                process: None,
                #[cfg(target_os = "linux")]
                watchdog: None,
            });
            Ok(Some(leased))
        })
    }

    fn hold<'a>(
        &'a self,
        session: &'a TranscriptKey,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, TranscriptFailure>> {
        Box::pin(async move {
            let store = Store::new(&self.store, COPY_CLAIM_TIMEOUT, self.length);
            match store.claim(session).await? {
                Claimed::Acquired(claim) => {
                    let claim: Box<dyn Attachment> = Box::new(CopyClaim(Some(claim)));
                    Ok(Some(claim))
                }
                Claimed::OwnedElsewhere { .. } => {
                    let why = "another host owns the session (by its lease)";
                    Err(TranscriptFailure::Refused(why.to_owned()))
                }
            }
        })
    }
}

/// The claim of a session that is copied.
struct CopyClaim(Option<Claim>);

impl Attachment for CopyClaim {
    fn may_act(&mut self) -> bool {
        self.0.as_ref().is_some_and(Claim::is_valid)
    }

    fn end(&mut self) -> Option<Boxed<'_, Vec<Notice>>> {
        let claim = self.0.take()?;
        Some(Box::pin(async {
            claim.release().await;
            vec![]
        }))
    }
}

/// A session that this host owns by a lease.
struct Leased<S> {
    claims: Claims<S>,
    /// The inbox in the store. `None` after the session is lost, because the next host then
    /// inherits the unfinished messages.
    inbox: Option<Inbox<S>>,
    /// The inbox entries of earlier hosts.
    earlier: Vec<Json>,
    actions: VecDeque<Action>,
    /// The agent's PID, and the mark in the environment of the agent's processes.
    #[cfg(target_os = "linux")]
    process: Option<(u32, String)>,
    #[cfg(target_os = "linux")]
    watchdog: Option<Watchdog>,
}

impl<S: LeasedStore> Leased<S> {
    /// Arms the watchdog with the remaining time of the lease.
    fn arm_watchdog(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some((pid, mark)) = &self.process {
            let remaining = self.claims.remaining();
            if remaining.is_zero() {
                return;
            }
            let armed = match &self.watchdog {
                Some(watchdog) => watchdog.arm(remaining),
                None => Watchdog::start(*pid, mark, remaining).map(|it| self.watchdog = Some(it)),
            };
            if let Err(error) = armed {
                tracing::warn!(pid, %error, "cannot arm the watchdog of the agent");
            }
        }
    }

    /// Stops the watchdog, because the agent has exited.
    fn stop_watchdog(&mut self) {
        #[cfg(target_os = "linux")]
        {
            (self.process, self.watchdog) = (None, None);
        }
    }
}

impl<S: LeasedStore> Attachment for Leased<S> {
    fn loaded(&mut self, session: &mut Loaded<'_>) {
        let earlier = std::mem::take(&mut self.earlier);
        let unfinished = inherited(&earlier, session.transcript());
        for Inherited {
            uuid,
            message,
            redelivery,
        } in unfinished
        {
            let redelivery = session.inherit(uuid.clone(), message, redelivery);
            if redelivery == Redelivery::CutOff
                && let Some(inbox) = &mut self.inbox
            {
                inbox.hand_back(uuid);
            }
        }
    }

    fn may_act(&mut self) -> bool {
        if self.claims.are_lost() {
            self.inbox = None;
            return false;
        }
        true
    }

    fn before_message(&mut self, message: &Prompt) -> Gate {
        let inbox = self.inbox.as_mut();
        match inbox.is_some_and(|it| it.accept(message)) {
            true => Gate::Wait,
            false => Gate::Pass,
        }
    }

    /// Delays a tool until the store has recorded that the turn's messages are started.
    fn before_callback(&mut self, request: &Frame) -> Gate {
        let inbox = self.inbox.as_mut();
        match inbox.is_some_and(|it| is_before_tool(request) && !it.record_starts()) {
            true => Gate::Wait,
            false => Gate::Pass,
        }
    }

    fn observe(&mut self, happened: &AttachmentEvent<'_>) {
        match happened {
            #[cfg(target_os = "linux")]
            AttachmentEvent::Started { pid, mark, .. } => {
                self.process = pid.zip(mark.map(str::to_owned));
                self.arm_watchdog();
            }
            AttachmentEvent::SessionId(id) => self.claims.claim_if_new(id),
            AttachmentEvent::Delivery {
                uuid,
                state,
                reports_pick_ups,
                ..
            } => {
                if let Some(inbox) = &mut self.inbox {
                    inbox.update(uuid, *state, *reports_pick_ups);
                }
            }
            AttachmentEvent::TurnEnded => {
                if let Some(inbox) = &mut self.inbox {
                    inbox.turn_ended();
                }
            }
            _ => {}
        }
    }

    fn exited(&mut self, exit: Option<ExitStatus>) -> Option<Boxed<'_, ()>> {
        self.stop_watchdog();
        let was_killed = exit.is_some_and(|exit| exit.code().is_none());
        was_killed.then(|| -> Boxed<'_, ()> { Box::pin(self.claims.await_expiry()) })
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Action> {
        if let Some(action) = self.actions.pop_front() {
            return Poll::Ready(action);
        }
        if self.claims.poll_changed(context).is_ready() {
            self.arm_watchdog();
            if let (Some(inbox), Some(session)) = (&mut self.inbox, self.claims.session()) {
                inbox.move_to(session);
            }
            return Poll::Ready(Action::Check);
        }
        let Some(inbox) = &mut self.inbox else {
            return Poll::Pending;
        };
        let entries = std::task::ready!(inbox.poll(context));
        for entry in &entries {
            if let Some(uuid) = inbox.stored(entry) {
                self.actions.push_back(Action::Send(uuid.into()));
            }
        }
        // Deferred messages and callbacks are tried again.
        self.actions.push_back(Action::Retry);
        match self.actions.pop_front() {
            Some(action) => Poll::Ready(action),
            None => Poll::Pending,
        }
    }

    fn end(&mut self) -> Option<Boxed<'_, Vec<Notice>>> {
        Some(Box::pin(async {
            if let Some(inbox) = &mut self.inbox {
                inbox.finish().await;
            }
            self.claims.release().await;
            vec![]
        }))
    }
}

/// Returns whether a request is the first one before a tool or a shell command of a skill.
fn is_before_tool(request: &Frame) -> bool {
    request.subtype() == Some("hook_callback")
        && request.read().is_ok_and(|it: ControlRequest| {
            let AgentRequest::HookCallback(call) = it.request else {
                return false;
            };
            matches!(
                call.input.event,
                HookEvent::PreToolUse(_) | HookEvent::PreSkillShellCommand(_)
            )
        })
}
