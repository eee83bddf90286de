//! User messages and their delivery.

use crate::command::{Link, Progress};
use crate::control::ResponseFuture;
use crate::event::Error;
use agentwire_protocol::control::{CancelAsyncMessage, CancelAsyncMessageAnswer};
use agentwire_protocol::host::{SubmissionState, TurnEnd, TurnOutcome};
use agentwire_protocol::message::ResultMessage;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// A submitted user message. Dropping this does not withdraw the message;
/// [`Submission::cancel`] does.
///
/// Awaiting it waits until the message is written to the CLI, as
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
/// assert_eq!(submission.final_state().await, SubmissionState::Completed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Submission {
    pub(super) uuid: Arc<str>,
    progress: watch::Receiver<Progress>,
    pub(super) link: Link,
}

impl Submission {
    pub(super) fn new(uuid: Arc<str>, progress: watch::Receiver<Progress>, link: Link) -> Self {
        Self {
            uuid,
            progress,
            link,
        }
    }

    /// Returns the ID of the message, under which the agent reports its status.
    ///
    /// The agent and agentwire treat two messages with the same ID as one.
    #[must_use]
    pub fn uuid(&self) -> &str {
        &self.uuid
    }

    pub(super) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.clone()
    }

    /// Returns the delivery status.
    #[must_use]
    pub fn state(&self) -> SubmissionState {
        self.progress.borrow().state
    }

    /// Waits until the delivery status changes, and returns it. Returns immediately if the status
    /// is final, or has changed since the last call. Changes in quick succession are reported as
    /// one. Returns [`SubmissionState::Lost`] if the session ends first.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call reports the change.
    pub async fn changed(&mut self) -> SubmissionState {
        let _wanted = self.link.want_input();
        if self.progress.changed().await.is_err() && !self.state().is_end() {
            // The driver has ended.
            return SubmissionState::Lost;
        }
        self.progress.borrow_and_update().state
    }

    /// Waits until the message is written to the CLI.
    ///
    /// # Errors
    ///
    /// - [`Error::Full`] if the outbound queue was full.
    /// - [`Error::TooOld`] if the message is
    ///   [verbatim](agentwire_protocol::message::UserMessage::verbatim)
    ///   and the CLI does not support that.
    /// - [`Error::Withdrawn`] if the message was withdrawn first.
    /// - [`Error::Ended`] if the session ended first.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the message is still sent.
    pub async fn written(&mut self) -> Result<(), Error> {
        let is_known = |it: &Progress| {
            // The error is set before the channel closes.
            it.was_written() || it.error.is_some() || it.state == SubmissionState::Withdrawn
        };
        let _wanted = self.link.want_input();
        match self.progress.wait_for(is_known).await {
            Ok(progress) if progress.was_written() => Ok(()),
            Ok(progress) => Err(progress.error.clone().unwrap_or_else(|| Error::Withdrawn {
                uuid: (*self.uuid).into(),
            })),
            Err(_) => Err(Error::Ended(self.link.end())),
        }
    }

    /// Waits until the delivery status is final, and returns it. [`Submission::turn_ended`] returns
    /// how the turn ended. Returns [`SubmissionState::Lost`] if the session ends first.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the message is still sent.
    pub async fn final_state(&mut self) -> SubmissionState {
        let _wanted = self.link.want_input();
        match self.progress.wait_for(|it| it.state.is_end()).await {
            Ok(progress) => progress.state,
            Err(_) => SubmissionState::Lost,
        }
    }

    /// Waits for the end of the turn that picks the message up, and returns how
    /// it ended. Messages that were folded into one turn share its end.
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
    /// - [`Error::Ended`] if the session ended before the turn, for example
    ///   because its [`Client`](crate::Client) was dropped.
    /// - [`Error::NoTurn`] if no turn will pick the message up.
    /// - The errors of [`Submission::written`], if the message was not sent.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the turn continues if the future is dropped.
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
                    uuid: self.uuid().into(),
                    state: progress.state,
                },
            }),
        }
    }

    /// Waits for the end of the turn that picks the message up, and returns its
    /// result.
    ///
    /// # Errors
    ///
    /// As [`Submission::turn_ended`], and [`Error::NoResult`] if the turn ended
    /// without a result. A failed turn is not an error here: see
    /// [`ResultMessage::error_for_result`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the turn continues if the future is dropped.
    pub async fn result(&mut self) -> Result<ResultMessage, Error> {
        let end = self.turn_ended().await?;
        end.result().ok_or_else(|| Error::NoResult {
            uuid: self.uuid().into(),
            outcome: end.outcome,
        })
    }

    /// Withdraws the message from the outbound queue, or from the agent's queue
    /// if it was already sent.
    ///
    /// The response says whether the message was still queued. Its status is
    /// then [`SubmissionState::Withdrawn`] (it was not sent) or
    /// [`SubmissionState::Cancelled`] (it was in the agent's queue). A message
    /// that a turn has picked up is not affected; use
    /// [`Handle::interrupt`](crate::Handle::interrupt) for that.
    pub fn cancel(&self) -> ResponseFuture<CancelAsyncMessageAnswer> {
        let request = CancelAsyncMessage::new(self.uuid.to_string());
        ResponseFuture::request(&self.link, &request)
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
