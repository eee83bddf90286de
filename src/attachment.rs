//! Attachments: optional parts of a session.
//!
//! An attachment takes part in a session at a few fixed points: before a user message is written,
//! before a callback runs, when a message arrives, before a result is delivered, and at the end. It
//! can defer messages, requests and results, end the session, and run its own background work.
//! `agentwire-stores` has one by which a session is one host's at a time.
//!
//! [`Attach`] creates an [`Attachment`] for each session. Set it with
//! [`Options::attachment`](crate::Options::attachment), or return it from
//! [`SessionStore::attachment`](crate::SessionStore::attachment). A session without attachments
//! does nothing for them.
//!
//! ```
//! use agentwire::attachment::{Attach, Attachment, Boxed, Opening};
//! use agentwire::protocol::Frame;
//! use agentwire::{Error, Options};
//!
//! /// Counts the messages of each session, and prints how many there were.
//! struct Counting;
//!
//! struct Count(u64);
//!
//! impl Attach for Counting {
//!     fn attach<'a>(
//!         &'a self,
//!         _: &'a mut Opening<'_>,
//!     ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, Error>> {
//!         Box::pin(async { Ok(Some(Box::new(Count(0)) as Box<dyn Attachment>)) })
//!     }
//! }
//!
//! impl Attachment for Count {
//!     fn intercept(&mut self, _: &Frame) -> bool {
//!         self.0 += 1;
//!         false
//!     }
//! }
//!
//! impl Drop for Count {
//!     fn drop(&mut self) {
//!         println!("{} messages", self.0);
//!     }
//! }
//!
//! let options = Options::new().attachment(Counting);
//! ```

use crate::event::{Error, Notice};
use crate::options::{CommandLine, Options};
use crate::ownership::WhenOwned;
use crate::store::{TranscriptFailure, TranscriptKey, is_session_id};
use agentwire_protocol::host::{Prompt, Redelivery, SubmissionState};
use agentwire_protocol::{Frame, Json};
use std::collections::VecDeque;
use std::pin::Pin;
use std::process::ExitStatus;
use std::task::{Context, Poll};
use std::time::Duration;
use uuid::Uuid;

/// The flag that limits the cost of a process.
const MAX_BUDGET: &str = "--max-budget-usd";

/// A boxed future that may borrow.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Creates an attachment for each session.
pub trait Attach: Send + Sync + 'static {
    /// Adds to the options of a session what the attachment needs, such as hooks. Called when
    /// the attachment is set. By default the options stay as they are.
    fn configure(&self, options: Options) -> Options {
        options
    }

    /// Creates the attachment of a session that is about to be opened. `None` if the session needs
    /// none. Called before the session is loaded from its store and before the agent is started.
    ///
    /// # Errors
    ///
    /// If the session cannot be opened. [`Client::connect`](crate::Client::connect) returns
    /// the error.
    fn attach<'a>(
        &'a self,
        opening: &'a mut Opening<'_>,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, Error>>;

    /// Creates the attachment for a change of a stored session without an agent, such as copying it
    /// to the store. Returns `None` by default. The attachment is [ended](Attachment::end) after
    /// the change.
    ///
    /// # Errors
    ///
    /// If the session cannot be changed now.
    fn hold<'a>(
        &'a self,
        session: &'a TranscriptKey,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, TranscriptFailure>> {
        let _ = session;
        Box::pin(async { Ok(None) })
    }
}

/// An optional part of a session. Its methods are called by the task of the session and must
/// not block.
pub trait Attachment: Send + 'static {
    /// Called when the session has been loaded from its store, before the agent is started.
    fn loaded(&mut self, session: &mut Loaded<'_>) {
        let _ = session;
    }

    /// Whether the session may act. Called before anything is written, answered or delivered.
    /// If not, the session ends with
    /// [`EndReason::OwnershipLost`](crate::EndReason::OwnershipLost), nothing is written or
    /// answered any more, and the agent is killed with all that it has started.
    fn may_act(&mut self) -> bool {
        true
    }

    /// Called when a user message enters the outbound queue. A deferred message stays in the queue,
    /// with everything after it, until [`Action::Send`] names it. It can be withdrawn meanwhile. It
    /// neither wakes the agent nor prevents it from being put to sleep.
    fn before_message(&mut self, message: &Prompt) -> Gate {
        let _ = message;
        Gate::Pass
    }

    /// Called for a request of the agent, before a callback or an in-process tool runs. This is
    /// called again for a deferred request after [`Action::Retry`].
    fn before_callback(&mut self, request: &Frame) -> Gate {
        let _ = request;
        Gate::Pass
    }

    /// Called when a message has arrived. Returns whether the attachment takes it, so that
    /// nobody else gets it.
    fn intercept(&mut self, message: &Frame) -> bool {
        let _ = message;
        false
    }

    /// Called when the result of a turn is about to be delivered. A deferred result stays pending,
    /// with everything after it. This is called again after [`Action::Retry`].
    fn before_result(&mut self, result: &Frame) -> Gate {
        let _ = result;
        Gate::Pass
    }

    /// Called when something has happened.
    fn observe(&mut self, happened: &AttachmentEvent<'_>) {
        let _ = happened;
    }

    /// Called when a process of the agent has exited, before the session continues in another
    /// process or ends. The session waits for the future.
    fn exited(&mut self, exit: Option<ExitStatus>) -> Option<Boxed<'_, ()>> {
        let _ = exit;
        None
    }

    /// Called before another process of the agent is started: when a sleeping session is woken, and
    /// when the agent has exited unexpectedly. The process is started when the future is ready; the
    /// session continues meanwhile, and drops the future if it ends. The first process is started
    /// after [`Attach::attach`].
    fn before_process(&mut self, next: &mut NextProcess<'_>) -> Option<Boxed<'static, ()>> {
        let _ = next;
        None
    }

    /// Does the attachment's own work, its deadlines included, and returns what the session
    /// is to do. Polled as long as the session runs.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Action> {
        let _ = context;
        Poll::Pending
    }

    /// Called at the end of the session, after the exit of its agent. Returns notices, which are
    /// delivered. The stream of the session ends after that.
    fn end(&mut self) -> Option<Boxed<'_, Vec<Notice>>> {
        None
    }
}

/// The decision of a gate about a message, a request or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gate {
    /// The gated item passes.
    Pass,
    /// The gated item is deferred.
    Wait,
    /// The gated item passes, unless the session [may not act](Attachment::may_act) any more.
    PassIfOwned,
}

/// An action that an attachment requests from the session.
#[derive(Debug)]
#[non_exhaustive]
pub enum Action {
    /// Sends a message that had to wait.
    Send(Box<str>),
    /// Calls the gates again for deferred requests and the deferred result.
    Retry,
    /// Delivers a notice.
    Notify(Notice),
    /// Calls [`Attachment::may_act`] again.
    Check,
}

/// An event of a session.
#[derive(Debug)]
#[non_exhaustive]
pub enum AttachmentEvent<'a> {
    /// A process of the agent runs.
    #[non_exhaustive]
    Started {
        /// The process ID, if the process runs on this system.
        pid: Option<u32>,
        /// The value of `AGENTWIRE_SESSION` in the environment of all that it starts, if it
        /// has one.
        mark: Option<&'a str>,
    },
    /// A later process than the first has responded to `initialize`, and has the session's
    /// settings.
    Ready,
    /// The process and its descendants have exited. Another process may follow.
    Gone,
    /// The process has exited. If no other process follows, the session is not written any more.
    #[non_exhaustive]
    Exited {
        /// Whether no other follows.
        is_last: bool,
    },
    /// The agent has the session with this ID. Reported whenever it may be another one.
    SessionId(&'a str),
    /// The delivery status of a user message has changed.
    #[non_exhaustive]
    Delivery {
        /// The message.
        uuid: &'a str,
        /// Its status.
        state: SubmissionState,
        /// Whether the agent reports which messages its turns pick up.
        reports_pick_ups: bool,
    },
    /// A turn has ended.
    TurnEnded,
}

/// A session that is about to be opened.
#[derive(Debug)]
pub struct Opening<'a> {
    line: &'a mut CommandLine,
    project: &'a str,
    continued_session: Option<&'a str>,
    /// Whether the command line is that of the agent.
    starts_agent: bool,
    when_owned: WhenOwned,
    timeout: Duration,
    stores_results_first: bool,
}

impl<'a> Opening<'a> {
    pub(crate) fn new(
        line: &'a mut CommandLine,
        project: &'a str,
        continued_session: Option<&'a str>,
        options: &Options,
    ) -> Self {
        Self {
            line,
            project,
            continued_session,
            starts_agent: true,
            when_owned: options.when_owned,
            timeout: options.load_timeout,
            stores_results_first: false,
        }
    }

    /// Of a session whose agent is started elsewhere.
    pub(crate) fn elsewhere(self) -> Self {
        Self {
            starts_agent: false,
            ..self
        }
    }

    /// Delivers the result of each turn when the store has the turn, whatever
    /// [`Options::session_store_flush`] says.
    pub fn store_results_first(&mut self) {
        self.stores_results_first = true;
    }

    pub(crate) fn stores_results_first(&self) -> bool {
        self.stores_results_first
    }

    /// Returns the project that the session belongs to, as in
    /// [`TranscriptKey::project`](crate::store::TranscriptKey::project).
    #[must_use]
    pub fn project(&self) -> &str {
        self.project
    }

    /// Returns the ID of the session that the agent will write. A new one gets its ID from
    /// the host then. `None` if the ID is not known yet, because a session is resumed by its
    /// title, or the agent is started elsewhere.
    pub fn session_id(&mut self) -> Option<&str> {
        if self.starts_agent {
            self.line.name_session(&Uuid::new_v4().to_string());
        }
        let written = self.line.written_session().or(self.continued_session);
        written.filter(|id| is_session_id(id))
    }

    /// Returns [`Options::when_owned`].
    #[must_use]
    pub fn when_owned(&self) -> WhenOwned {
        self.when_owned
    }

    /// Returns [`Options::load_timeout`].
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }
}

/// A process of a session that is about to be started, after the first.
#[derive(Debug)]
pub struct NextProcess<'a>(pub(crate) &'a mut CommandLine);

impl NextProcess<'_> {
    /// Returns the limit of the process's cost in US dollars, if it has one.
    #[must_use]
    pub fn budget_usd(&self) -> Option<f64> {
        self.0.flag_value(MAX_BUDGET)?.parse().ok()
    }

    /// Sets the limit of the process's cost in US dollars, as
    /// [`Options::max_budget_usd`](crate::Options::max_budget_usd) does for all processes.
    pub fn set_budget_usd(&mut self, usd: f64) {
        self.0.set_flag(MAX_BUDGET, &usd.to_string());
    }
}

/// A session that has been loaded from its store.
#[derive(Debug)]
pub struct Loaded<'a> {
    transcript: &'a [Json],
    messages: VecDeque<Prompt>,
    notices: Vec<Notice>,
}

impl<'a> Loaded<'a> {
    pub(crate) fn new(transcript: &'a [Json]) -> Self {
        Self {
            transcript,
            messages: VecDeque::new(),
            notices: vec![],
        }
    }

    /// Returns the entries of the session's own transcript; none if it is a new session.
    #[must_use]
    pub fn transcript(&self) -> &[Json] {
        self.transcript
    }

    /// Hands over a message that an earlier host had accepted for the session. With
    /// [`Redelivery::Resent`] it is sent, before all others. Returns its redelivery:
    /// [`Redelivery::CutOff`] if the message is not a user message. Reported with
    /// [`Notice::Inherited`].
    ///
    /// A session that has such a message exists, also if its transcript is empty.
    pub fn inherit(
        &mut self,
        uuid: Box<str>,
        message: Json,
        mut redelivery: Redelivery,
    ) -> Redelivery {
        match Prompt::from_json(uuid.clone(), &message) {
            Ok(prompt) if redelivery == Redelivery::Resent => self.messages.push_back(prompt),
            _ => redelivery = Redelivery::CutOff,
        }
        self.notices.push(Notice::Inherited {
            uuid,
            message,
            redelivery,
        });
        redelivery
    }

    pub(crate) fn take(self) -> (VecDeque<Prompt>, Vec<Notice>) {
        (self.messages, self.notices)
    }
}
