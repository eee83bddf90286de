//! One prompt and its answer.

use super::Client;
use crate::event::{EndReason, Error, Event};
use crate::handle::Handle;
use crate::options::Options;
use crate::process::CloseReport;
use agentwire_protocol::host::TurnEvent;
use agentwire_protocol::message::{ResultMessage, UserMessage};
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The answer to one prompt, as a stream.
///
/// The session ends by itself once it is idle, and nothing runs in the
/// background of which the agent would tell something, for which it waits as
/// long as [`Options::background_limit`] says. Until then the CLI's input
/// stays open, so that a permission callback is asked and can answer. When
/// the stream is dropped the session ends at once, and everything that it
/// started goes.
#[derive(Debug)]
pub struct Query {
    client: Client,
    /// The prompt's id.
    uuid: Box<str>,
}

/// Sends one prompt to a new agent and streams its answer.
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
pub async fn query(prompt: impl Into<UserMessage>, options: Options) -> Result<Query, Error> {
    let client = Client::connect(options).await?;
    let uuid = client.send(prompt).uuid().into();
    client.finish_when_idle();
    Ok(Query { client, uuid })
}

/// Sends one prompt to a new agent, and returns the result.
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
/// # Cancel safety
///
/// When the future is dropped, the session ends as if its [`Client`] had been
/// dropped.
///
/// # Errors
///
/// As [`Client::connect`] and [`Query::result`]. An error result is no error here:
/// see [`ResultMessage::error_for_result`].
pub async fn prompt(
    prompt: impl Into<UserMessage>,
    options: Options,
) -> Result<ResultMessage, Error> {
    query(prompt, options).await?.result().await
}

impl Query {
    /// What the session delivers next; the error that ended it, once; then
    /// `None`. Cancel safe: nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.client.next().await
    }

    pub(crate) fn client_mut(&mut self) -> &mut Client {
        &mut self.client
    }

    /// A handle, to interrupt the turn for example.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.client.handle()
    }

    /// Ends the session now; see [`Client::abort`].
    pub async fn abort(&mut self) -> CloseReport {
        self.client.abort().await
    }

    /// Reads to the end and returns the result of the prompt's turn, which what
    /// the agent does after it, such as a turn of its own about a task that
    /// ended in the background, does not change. Where no result is known to
    /// be the prompt's, it is the last one. What goes wrong when the CLI exits
    /// after its result is passed over.
    ///
    /// # Errors
    ///
    /// When the session ends in the middle of a turn, or without a result; and
    /// with [`Error::View`] when the `result` frame is not a result. Invalid
    /// members are no error; [`Frame::faults`](crate::Frame::faults) lists them.
    pub async fn result(mut self) -> Result<ResultMessage, Error> {
        let (mut own, mut last) = (None, None);
        while let Some(event) = self.next().await {
            match event {
                Ok(Event::Frame(frame)) if frame.kind() == "result" => last = Some(frame),
                Ok(Event::Turn(TurnEvent::Ended(end))) if end.messages.contains(&self.uuid) => {
                    own = own.or(end.frame);
                }
                Err(Error::Ended(end)) if end.reason == EndReason::FailedAtExit => {}
                event => drop(event?),
            }
        }
        match own.or(last) {
            Some(frame) => Ok(frame.read()?),
            None => Err(Error::Ended(self.client.end())),
        }
    }
}

impl Stream for Query {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.client).poll_next(context)
    }
}
