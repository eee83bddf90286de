//! A single prompt and its result.

use super::Client;
use crate::event::{EndReason, Error, Event, Mailbox};
use crate::handle::Handle;
use crate::options::Options;
use crate::process::CloseReport;
use agentwire_protocol::host::{TurnEvent, TurnOutcome};
use agentwire_protocol::message::{ResultMessage, UserMessage};
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The events of a single prompt, as a stream.
///
/// The session ends by itself once it is idle and no background task has output pending;
/// [`Options::background_limit`] limits the wait for background tasks. Until then the CLI's
/// input stays open, so that callbacks can respond. Dropping the stream ends the session
/// immediately, with every process that it started.
#[derive(Debug)]
pub struct Query {
    client: Client,
    /// The prompt's ID.
    uuid: Box<str>,
}

/// Sends one prompt to a new agent, and streams its events.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire::Error> {
/// use agentwire::{Event, Options, query};
///
/// let mut answer = query("Say hello", Options::new().partial_messages(true)).await?;
/// while let Some(event) = answer.next().await {
///     if let Event::Frame(frame) = event? {
///         if let Some(text) = frame.message().text_delta() {
///             print!("{text}");
///         }
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`Client::connect`].
///
/// # Cancel safety
///
/// As [`Client::connect`]: dropping the future shuts the CLI down.
pub async fn query(prompt: impl Into<UserMessage>, options: Options) -> Result<Query, Error> {
    let client = Client::connect(options).await?;
    let uuid = client.send(prompt).uuid().into();
    client.finish_when_idle();
    Ok(Query { client, uuid })
}

/// Sends one prompt to a new agent and returns the result.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire::Error> {
/// use agentwire::{Options, prompt};
///
/// let result = prompt("What day is it?", Options::new()).await?.error_for_result()?;
/// println!("{}", result.text());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`Client::connect`] and [`Query::result`]. A failed turn is not an error
/// here: see [`ResultMessage::error_for_result`].
///
/// # Cancel safety
///
/// If the future is dropped, the session ends as if its [`Client`] had been
/// dropped.
pub async fn prompt(
    prompt: impl Into<UserMessage>,
    options: Options,
) -> Result<ResultMessage, Error> {
    query(prompt, options).await?.result().await
}

impl Query {
    /// Returns the next event of the session. The error that ended the session,
    /// if any, is returned once, then `None`.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if the session did not end normally.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.client.next().await
    }

    pub(crate) fn client_mut(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Returns a handle, for example to interrupt the turn.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.client.handle()
    }

    /// Ends the session immediately; see [`Client::abort`].
    ///
    /// # Cancel safety
    ///
    /// The shutdown continues if the future is dropped.
    pub async fn abort(&mut self) -> CloseReport {
        self.client.abort().await
    }

    /// Reads to the end of the session and returns the result of the prompt's
    /// turn.
    ///
    /// Later turns, such as one that the agent starts for a finished background task, do not change
    /// the result. If no result is known to belong to the prompt, the last result is returned. If
    /// there is a result, an error of the CLI at its exit is ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if the session ends during a turn, or with an error and without a result;
    /// [`Error::NoResult`] if the turn ended without a result, for instance because its line was
    /// malformed; [`Error::View`] if the `result` frame is not a result. Invalid members are not an
    /// error; [`Frame::faults`](crate::Frame::faults) lists them.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the query, which ends the session.
    pub async fn result(mut self) -> Result<ResultMessage, Error> {
        let (mut own, mut last) = (None, None);
        let mut outcome = TurnOutcome::NoResult;
        let skip_requests = Mailbox::poll_next_without_requests;
        while let Some(event) = self.client.mailbox_mut().next_of(skip_requests).await {
            match event {
                Ok(Event::Frame(frame)) if frame.kind() == "result" => last = Some(frame),
                Ok(Event::Turn(TurnEvent::Ended(end))) if end.messages.contains(&self.uuid) => {
                    own = own.or(end.frame);
                    outcome = end.outcome;
                }
                Err(Error::Ended(end)) if end.reason == EndReason::FailedAtExit => {}
                event => drop(event?),
            }
        }
        match own.or(last) {
            Some(frame) => Ok(frame.read()?),
            None => match self.client.end() {
                end if end.reason == EndReason::Closed => Err(Error::NoResult {
                    uuid: self.uuid,
                    outcome,
                }),
                end => Err(Error::Ended(end)),
            },
        }
    }
}

impl Stream for Query {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.client).poll_next(context)
    }
}
