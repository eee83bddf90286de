//! User messages on their way.

use crate::error::Error;
use crate::handle::Handle;
use crate::pending::Pending;
use crate::subscription::Turn;
use crate::turn::TurnWatch;
use crate::unread::StreamKind;
use agentwire_protocol::control::{CancelAsyncMessage, CancelAsyncMessageAnswer};
use agentwire_protocol::host::{SubmissionState, TurnEnd, TurnOutcome};
use agentwire_protocol::outbox::Waiting;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A user message on its way. It is sent whether this is kept or not.
///
/// Awaiting it waits until the message is in the pipe, as
/// [`Submission::written`] does.
///
/// ```no_run
/// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
/// use agentwire::SubmissionState;
///
/// let mut submission = client.send("Tell me a story.");
/// while !submission.state().is_end() {
///     println!("{}", submission.changed().await);
/// }
/// assert_eq!(submission.ended().await, SubmissionState::Completed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Submission {
    uuid: Box<str>,
    progress: watch::Receiver<Progress>,
    handle: Handle,
}

/// How far a message has come, and why it went no further.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    state: SubmissionState,
    was_written: bool,
    /// The turn that took it up.
    turn: Option<TurnWatch>,
    error: Option<Error>,
}

impl Progress {
    /// Nothing has happened yet.
    pub(crate) fn new() -> Self {
        Self {
            state: SubmissionState::Waiting,
            was_written: false,
            turn: None,
            error: None,
        }
    }

    /// It has come further.
    pub(crate) fn advance(&mut self, state: SubmissionState) {
        self.state = state;
        self.was_written |= !matches!(
            state,
            SubmissionState::Waiting
                | SubmissionState::Handed
                | SubmissionState::Withdrawn
                | SubmissionState::Lost
        );
    }

    /// Whether it is in the pipe, or was.
    pub(crate) fn was_written(&self) -> bool {
        self.was_written
    }

    /// A turn has taken it up.
    pub(crate) fn taken_up(&mut self, turn: Option<TurnWatch>) {
        self.turn = turn;
    }

    /// The session is over: why it went no further.
    pub(crate) fn end(&mut self, error: Error) {
        self.error = Some(error);
    }

    /// It went nowhere.
    pub(crate) fn failed(error: Error) -> Self {
        Self {
            state: SubmissionState::Lost,
            was_written: false,
            turn: None,
            error: Some(error),
        }
    }
}

/// What waits to be written to the agent, because the agent does not read, or
/// has not answered the first request yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unwritten {
    /// How many user messages.
    pub messages: usize,
    /// The bytes that these have.
    pub message_bytes: usize,
    /// The bytes of control requests, interrupts excepted.
    pub control_bytes: usize,
    /// How long the oldest of the messages has waited that are for later:
    /// those that are sent after it may pass it again and again.
    pub oldest_later: Option<Duration>,
}

impl Unwritten {
    pub(crate) fn new(waiting: Waiting, now: Instant) -> Self {
        Self {
            messages: waiting.users,
            message_bytes: waiting.user_bytes,
            control_bytes: waiting.control_bytes,
            oldest_later: (waiting.oldest_later).map(|since| now.saturating_duration_since(since)),
        }
    }
}

impl Submission {
    pub(crate) fn new(uuid: &str, progress: watch::Receiver<Progress>, handle: Handle) -> Self {
        Self {
            uuid: uuid.into(),
            progress,
            handle,
        }
    }

    /// The message's id, under which the agent reports what becomes of it.
    ///
    /// To the agent two messages with one id are one, and so they are here.
    #[must_use]
    pub fn uuid(&self) -> &str {
        &self.uuid
    }

    /// How far it has come.
    #[must_use]
    pub fn state(&self) -> SubmissionState {
        self.progress.borrow().state
    }

    /// Waits until it has come further than when this was last called, and
    /// says how far. States that follow each other closely are told as one.
    /// At once, when it has come to its end. Cancel safe.
    pub async fn changed(&mut self) -> SubmissionState {
        let _wanted = self.handle.want_input();
        if self.progress.changed().await.is_err() && !self.state().is_end() {
            // Nobody drives the session any more.
            return SubmissionState::Lost;
        }
        self.progress.borrow_and_update().state
    }

    /// Waits until the message is in the pipe.
    ///
    /// # Errors
    ///
    /// [`Error::Encode`] when it cannot be written as JSON,
    /// [`Error::Withdrawn`] when it was taken back before, [`Error::Ended`]
    /// when the session ended before.
    pub async fn written(&mut self) -> Result<(), Error> {
        let is_known = |it: &Progress| {
            // The session ends first, and then it is known how.
            it.was_written || it.error.is_some() || it.state == SubmissionState::Withdrawn
        };
        let _wanted = self.handle.want_input();
        match self.progress.wait_for(is_known).await {
            Ok(progress) if progress.was_written => Ok(()),
            Ok(progress) => Err(progress.error.clone().unwrap_or_else(|| Error::Withdrawn {
                uuid: self.uuid.clone(),
            })),
            Err(_) => Err(Error::Ended(self.handle.end())),
        }
    }

    /// Waits until nothing more becomes of it, and says what became of it.
    /// What the turn that took it up came to says [`Submission::turn_ended`].
    pub async fn ended(&mut self) -> SubmissionState {
        let _wanted = self.handle.want_input();
        match self.progress.wait_for(|it| it.state.is_end()).await {
            Ok(progress) => progress.state,
            Err(_) => SubmissionState::Lost,
        }
    }

    /// The turn that takes it up, event by event, at a pace of its own. Best
    /// asked for at once: what the turn brought before is not in it, and a
    /// [`Notice::Lagged`](crate::Notice::Lagged) says how much that is.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// use agentwire::Event;
    ///
    /// let mut turn = client.send("Tell me a story.").turn();
    /// while let Some(event) = turn.next().await {
    ///     if let Event::Frame(frame) = event? {
    ///         print!("{}", frame.message()?.text_delta().unwrap_or_default());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn turn(&self) -> Turn {
        let mailbox = (self.handle).listen(StreamKind::Turn {
            uuid: self.uuid.clone(),
        });
        Turn::new(mailbox, self.clone())
    }

    /// Waits until the turn that took it up is over, and returns how it ended.
    /// Messages that went into one turn have its end in common. Cancel safe.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// let end = client.send("What is 2 + 2?").turn_ended().await?;
    /// if let Some(result) = end.result() {
    ///     println!("{}", result?.result.unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the session ended before the turn did, for
    /// instance because its [`Client`](crate::Client) was dropped;
    /// [`Error::NoTurn`] when no turn takes the message up any more.
    pub async fn turn_ended(&mut self) -> Result<Arc<TurnEnd>, Error> {
        let is_known = |it: &Progress| it.turn.is_some() || it.state.is_end();
        let _wanted = self.handle.want_input();
        let progress = match self.progress.wait_for(is_known).await {
            Ok(progress) => progress.clone(),
            Err(_) => return Err(Error::Ended(self.handle.end())),
        };
        match progress.turn {
            Some(turn) => match turn.ended().await {
                Some(end) if end.outcome != TurnOutcome::Lost => Ok(end),
                _ => Err(Error::Ended(self.handle.end())),
            },
            None => Err(match (progress.error, self.handle.ended()) {
                (Some(error), _) => error,
                (None, Some(end)) if progress.state == SubmissionState::Lost => Error::Ended(end),
                _ => Error::NoTurn {
                    uuid: self.uuid.clone(),
                    state: progress.state,
                },
            }),
        }
    }

    /// Takes the message back: here, when it still waits here, and out of the
    /// agent's queue otherwise. The answer says whether it was there to be
    /// taken; its state says where it was, [`SubmissionState::Withdrawn`] or
    /// [`SubmissionState::Cancelled`]. A message that a turn has taken up goes
    /// on: that is what [`Handle::interrupt`] is for.
    pub fn cancel(&self) -> Pending<CancelAsyncMessageAnswer> {
        self.handle
            .request(&CancelAsyncMessage::new(self.uuid.to_string()))
    }
}

impl IntoFuture for Submission {
    type Output = Result<(), Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(mut self) -> Self::IntoFuture {
        Box::pin(async move { self.written().await })
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("uuid", &self.uuid)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}
