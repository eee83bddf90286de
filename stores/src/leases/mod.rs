//! Leases: a session is one host's at a time.

mod claim;
mod claims;
mod entry;
mod inbox;
mod store;
#[cfg(target_os = "linux")]
mod watchdog;

pub use claim::{Claim, ClaimKeeper, Claimed};

use agentwire::attachment::{Action, Attach, Attachment, Boxed, Gate, Happened, Loaded, Opening};
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

/// How long the agent waits before a tool for a host that may have been stopped.
const GATE: Duration = Duration::from_secs(5);

/// How long a store may take to claim a session that is copied.
const HOLD: Duration = Duration::from_secs(60);

/// A store whose sessions are one host's at a time: by [`Leases`], which it returns from
/// [`SessionStore::attachment`].
pub trait LeasedStore: SessionStore {
    /// Claims a session for this host, if no other host has it. Called before a session is
    /// loaded, and again as long as another host has it and may be waited for
    /// ([`Options::when_owned`]). From then on the store refuses what other hosts append, and
    /// renews the lease until the claim is dropped.
    ///
    /// # Errors
    ///
    /// As for [`SessionStore::load`].
    fn claim(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Claimed, StoreError>> + Send;

    /// Appends entries to the inbox of a session that this host has claimed: JSON objects,
    /// like the entries of a transcript, with the messages that the host has accepted for it,
    /// and what became of them. A user message is not sent to the agent before this has
    /// succeeded for it.
    ///
    /// # Errors
    ///
    /// If the entries were not stored, or this host has lost the session. They are sent again
    /// after a quarter of a second, until the claim is over. Entries may be stored twice
    /// without harm.
    fn append_inbox(
        &self,
        session: &TranscriptKey,
        entries: &[Json],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Returns the inbox of a session, in the order of the entries. Called before the session
    /// is resumed, once it is claimed. It is deleted with the session.
    ///
    /// # Errors
    ///
    /// As for [`SessionStore::load`].
    fn load_inbox(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Vec<Json>, StoreError>> + Send;
}

/// The attachment by which a session is one host's at a time.
///
/// The session is claimed before it is loaded, and no other host has it meanwhile
/// ([`Options::when_owned`]). A new session gets its ID from the host. When the lease is lost,
/// because the store cannot be reached or this program was stopped, the session ends with
/// [`EndReason::OwnershipLost`](agentwire::EndReason::OwnershipLost): nothing is written to
/// the agent any more, no callback is called, and the agent is killed with all that it has
/// started, before another host can have the session. A program that is stopped can kill
/// nothing; on Linux a watchdog process does it in its place. Besides, the agent asks before
/// each tool (a [gate](Hook::gate) on `PreToolUse`) and before each shell command in the text
/// of a skill (`PreSkillShellCommand`, since Claude Code 2.1.332), and runs nothing that is not
/// allowed within five seconds. Older versions run such commands without asking.
///
/// A user message is accepted when the [inbox](LeasedStore::append_inbox) of the session in
/// the store has it: until then it is not sent to the agent, and awaiting its
/// [`Submission`](agentwire::Submission) waits. When this host ends or loses the session before
/// it has told what became of the message, the next host has it, and reports it with
/// [`Notice::Inherited`]: if no turn had picked it up, it is sent again, and otherwise handed
/// back. That a turn has picked it up is noted in the inbox before the first tool runs. A
/// message that was not accepted when the session was lost can be sent again under the same
/// `uuid`: it is the same message. The result of a turn is delivered when the store has the
/// turn, as with [`StoreFlush::BeforeResult`](agentwire::store::StoreFlush).
///
/// Not prevented is what already runs: a tool that was begun before, and requests to the
/// model. Neither are agents that were started by hand.
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
    /// Lets each tool and each shell command of a skill run. A session whose lease is lost
    /// does not respond, and the agent runs nothing.
    ///
    /// The second hook is no [gate](Hook::gate), so that CLIs without the event are supported.
    /// The CLI runs no command whose hook does not respond in time, gate or not.
    fn configure(&self, options: Options) -> Options {
        let tool = Hook::new(|_: HookCall<PreToolUse>| async {});
        let command = Hook::new(|_: HookCall<PreSkillShellCommand>| async {});
        let options = options.hook(tool.gate().timeout(GATE));
        options.hook(command.timeout(GATE))
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
            let found = store.load_inbox(&session).await?;
            let inbox = Some(Inbox::new(store, session));
            let leased: Box<dyn Attachment> = Box::new(Leased {
                claims,
                inbox,
                found,
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
            let store = Store::new(&self.store, HOLD, self.length);
            match store.claim(session).await? {
                Claimed::Yours(claim) => {
                    let held: Box<dyn Attachment> = Box::new(Held(Some(claim)));
                    Ok(Some(held))
                }
                Claimed::Anothers { .. } => {
                    let why = "the session is open in another host, by its lease";
                    Err(TranscriptFailure::Refused(why.to_owned()))
                }
            }
        })
    }
}

/// A session that is held while it is copied.
struct Held(Option<Claim>);

impl Attachment for Held {
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

/// A session that this host has by a lease.
struct Leased<S> {
    claims: Claims<S>,
    /// The messages that were accepted, as the store knows them. `None` once the session is
    /// lost: what is not over is the next host's.
    inbox: Option<Inbox<S>>,
    /// The inbox as it was found.
    found: Vec<Json>,
    actions: VecDeque<Action>,
    /// The agent's process, and what marks all that it starts.
    #[cfg(target_os = "linux")]
    process: Option<(u32, String)>,
    #[cfg(target_os = "linux")]
    watchdog: Option<Watchdog>,
}

impl<S: LeasedStore> Leased<S> {
    /// Tells the watchdog how long the agent may run.
    fn feed(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some((pid, mark)) = &self.process {
            let remaining = self.claims.remaining();
            if remaining.is_zero() {
                return;
            }
            let started = match &self.watchdog {
                Some(watchdog) => watchdog.feed(remaining),
                None => Watchdog::start(*pid, mark, remaining).map(|it| self.watchdog = Some(it)),
            };
            if let Err(error) = started {
                tracing::warn!(pid, %error, "there is no watchdog for the agent");
            }
        }
    }

    /// The agent has exited.
    fn stop_watching(&mut self) {
        #[cfg(target_os = "linux")]
        {
            (self.process, self.watchdog) = (None, None);
        }
    }
}

impl<S: LeasedStore> Attachment for Leased<S> {
    fn loaded(&mut self, session: &mut Loaded<'_>) {
        let found = std::mem::take(&mut self.found);
        let remaining = inherited(&found, session.transcript());
        for Inherited {
            uuid,
            message,
            redelivery,
        } in remaining
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
        if self.claims.are_over() {
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

    /// Before a tool, the store has to know that the turn of a message begins.
    fn before_callback(&mut self, request: &Frame) -> Gate {
        let inbox = self.inbox.as_mut();
        match inbox.is_some_and(|it| is_before_tool(request) && !it.begins()) {
            true => Gate::Wait,
            false => Gate::Pass,
        }
    }

    fn observe(&mut self, happened: &Happened<'_>) {
        match happened {
            #[cfg(target_os = "linux")]
            Happened::Started { pid, mark, .. } => {
                self.process = pid.zip(mark.map(str::to_owned));
                self.feed();
            }
            Happened::SessionId(id) => self.claims.has(id),
            Happened::Delivery {
                uuid,
                state,
                reports_pick_ups,
                ..
            } => {
                if let Some(inbox) = &mut self.inbox {
                    inbox.handle_state(uuid, *state, *reports_pick_ups);
                }
            }
            Happened::TurnEnded => {
                if let Some(inbox) = &mut self.inbox {
                    inbox.turn_ended();
                }
            }
            _ => {}
        }
    }

    fn exited(&mut self, exit: Option<ExitStatus>) -> Option<Boxed<'_, ()>> {
        self.stop_watching();
        let was_killed = exit.is_some_and(|exit| exit.code().is_none());
        was_killed.then(|| -> Boxed<'_, ()> { Box::pin(self.claims.settle()) })
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Action> {
        if let Some(action) = self.actions.pop_front() {
            return Poll::Ready(action);
        }
        if self.claims.poll_changed(context).is_ready() {
            self.feed();
            if let (Some(inbox), Some(session)) = (&mut self.inbox, self.claims.session()) {
                inbox.follow(session);
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
        // What waits for entries asks for them again.
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

/// Returns whether the agent asks whether a tool or a shell command of a skill may run. It
/// asks this before anything else.
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
