//! User messages on their way.

use super::pending::Pending;
use crate::command::{Link, Progress};
use crate::event::Error;
use agentwire_protocol::control::{CancelAsyncMessage, CancelAsyncMessageAnswer};
use agentwire_protocol::host::{SubmissionState, TurnEnd, TurnOutcome};
use agentwire_protocol::message::ResultMessage;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
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
    pub(super) uuid: Box<str>,
    progress: watch::Receiver<Progress>,
    pub(super) link: Link,
}

impl Submission {
    pub(super) fn new(uuid: &str, progress: watch::Receiver<Progress>, link: Link) -> Self {
        Self {
            uuid: uuid.into(),
            progress,
            link,
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
        let _wanted = self.link.want_input();
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
            it.was_written() || it.error.is_some() || it.state == SubmissionState::Withdrawn
        };
        let _wanted = self.link.want_input();
        match self.progress.wait_for(is_known).await {
            Ok(progress) if progress.was_written() => Ok(()),
            Ok(progress) => Err(progress.error.clone().unwrap_or_else(|| Error::Withdrawn {
                uuid: self.uuid.clone(),
            })),
            Err(_) => Err(Error::Ended(self.link.end())),
        }
    }

    /// Waits until nothing more becomes of it, and says what became of it.
    /// What the turn that took it up came to says [`Submission::turn_ended`].
    pub async fn ended(&mut self) -> SubmissionState {
        let _wanted = self.link.want_input();
        match self.progress.wait_for(|it| it.state.is_end()).await {
            Ok(progress) => progress.state,
            Err(_) => SubmissionState::Lost,
        }
    }

    /// Waits until the turn that took it up is over, and returns how it ended.
    /// Messages that went into one turn have its end in common. Cancel safe.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// let end = client.send("What is 2 + 2?").turn_ended().await?;
    /// if let Some(result) = end.result() {
    ///     println!("{}", result.result.unwrap_or_default());
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
        let _wanted = self.link.want_input();
        let progress = match self.progress.wait_for(is_known).await {
            Ok(progress) => progress.clone(),
            Err(_) => return Err(Error::Ended(self.link.end())),
        };
        match progress.turn {
            Some(turn) => match turn.ended().await {
                Some(end) if end.outcome != TurnOutcome::Lost => Ok(end),
                _ => Err(Error::Ended(self.link.end())),
            },
            None => Err(match (progress.error, self.link.ended()) {
                (Some(error), _) => error,
                (None, Some(end)) if progress.state == SubmissionState::Lost => Error::Ended(end),
                _ => Error::NoTurn {
                    uuid: self.uuid.clone(),
                    state: progress.state,
                },
            }),
        }
    }

    /// Waits until the turn that picked it up is over, and returns the result.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the turn goes on when the future is dropped.
    ///
    /// # Errors
    ///
    /// As [`Submission::turn_ended`], and [`Error::NoResult`] if the turn ended
    /// without a result. An error result is no error here: see
    /// [`ResultMessage::error_for_result`].
    pub async fn result(&mut self) -> Result<ResultMessage, Error> {
        let end = self.turn_ended().await?;
        end.result().ok_or_else(|| Error::NoResult {
            uuid: self.uuid.clone(),
            outcome: end.outcome,
        })
    }

    /// Takes the message back: here, when it still waits here, and out of the
    /// agent's queue otherwise. The answer says whether it was there to be
    /// taken; its state says where it was, [`SubmissionState::Withdrawn`] or
    /// [`SubmissionState::Cancelled`]. A message that a turn has taken up goes
    /// on: that is what [`Handle::interrupt`](crate::Handle::interrupt) is for.
    pub fn cancel(&self) -> Pending<CancelAsyncMessageAnswer> {
        let request = CancelAsyncMessage::new(self.uuid.to_string());
        Pending::request(&self.link, &request)
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
