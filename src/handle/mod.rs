//! Control of a session from any task.

mod close;
mod sleep;
mod status;
mod submission;
mod subscription;
mod turn;
mod views;

pub use close::CloseFuture;
pub(crate) use close::deadline;
pub use submission::Submission;
pub use subscription::Subscription;
pub use turn::Turn;
pub(crate) use views::Events;
pub use views::{Messages, TextStream};

use crate::command::{Command, Link, Progress, WhenFull};
use crate::control::{OutboundQueue, ResponseFuture, new_id};
use crate::event::{Error, StreamKind, Unread};
use crate::process::CliVersion;
use crate::telemetry::Origin;
use agentwire_protocol::Json;
use agentwire_protocol::control::HostRequest;
use agentwire_protocol::host::{Prompt, Request};
use agentwire_protocol::message::{ResultMessage, UserMessage};
use std::fmt;
use std::pin::Pin;
use tokio::sync::{mpsc, oneshot, watch};

/// A handle to a running session, to send messages and control requests.
///
/// A handle is cheap to clone, and does not keep the session alive: once the session has ended,
/// every call fails with [`Error::Ended`].
///
/// Every method queues its message when it is called, not when the returned value is awaited.
/// Dropping the returned value stops waiting, and does not undo the call.
#[derive(Clone)]
pub struct Handle {
    link: Link,
    verbatim_prompts: bool,
}

/// The first CLI version that supports messages without file expansion and commands.
pub(crate) const VERBATIM: CliVersion = CliVersion::new(2, 1, 248);

impl Handle {
    /// Sends a user message: a text, or a [`UserMessage`]. Sets a `uuid` on the
    /// message if it has none.
    ///
    /// The returned [`Submission`] tracks the delivery status. Await it to wait
    /// until the message is written to the CLI. It fails with [`Error::Full`]
    /// if the outbound queue is full; [`Handle::send_when_room`] waits instead.
    #[doc(alias = "query")]
    #[doc(alias = "streamInput")]
    pub fn send(&self, message: impl Into<UserMessage>) -> Submission {
        self.put(message.into(), WhenFull::Fail)
    }

    /// Sends a user message, and returns a future for the result of its turn.
    /// The message is sent when this is called, not when the future is awaited.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// let result = client.prompt("What is 2 + 2?").await?.error_for_result()?;
    /// println!("{}", result.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Submission::result`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not stop the turn; [`Handle::interrupt`] does.
    pub fn prompt(
        &self,
        message: impl Into<UserMessage>,
    ) -> Pin<Box<dyn Future<Output = Result<ResultMessage, Error>> + Send>> {
        let mut submission = self.send(message);
        Box::pin(async move { submission.result().await })
    }

    /// Waits for space in the outbound queue, and sends a user message. Waiting
    /// calls are served in call order.
    ///
    /// # Errors
    ///
    /// As [`Submission::written`], for failures that occur while it waits for space.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while the queue is full, nothing is sent, and the call loses its
    /// place in the order.
    pub async fn send_when_room(
        &self,
        message: impl Into<UserMessage>,
    ) -> Result<Submission, Error> {
        let (has_room, room) = oneshot::channel();
        let mut submission = self.put(message.into(), WhenFull::Wait(has_room));
        let _wanted = self.link.want_input();
        match room.await {
            Ok(()) => Ok(submission),
            // The message was rejected; `written` returns the error.
            Err(_) => submission.written().await.map(|()| submission),
        }
    }

    /// Returns a new stream of all events of the session from now on, including those caused by
    /// anything sent after this call. Each subscription is read at its own pace. With
    /// [`Options::requests_in_stream`](crate::Options::requests_in_stream), it starts with the
    /// requests of the agent that are pending.
    ///
    /// ```no_run
    /// # async fn example(mut client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// use agentwire::Event;
    ///
    /// let mut log = client.subscribe();
    /// tokio::spawn(async move {
    ///     while let Some(Ok(event)) = log.next().await {
    ///         println!("{event:?}");
    ///     }
    /// });
    /// let mut texts = client.texts();
    /// client.send("Tell me a story.");
    /// while let Some(text) = texts.next().await {
    ///     print!("{}", text?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        Subscription::new(self.link.listen(StreamKind::Subscription))
    }

    /// Streams the text that the agent writes in the main conversation from now
    /// on: in pieces with
    /// [`Options::partial_messages`](crate::Options::partial_messages), and
    /// otherwise once per message.
    #[must_use]
    pub fn texts(&self) -> TextStream {
        TextStream::new(Subscription::new(self.link.listen(StreamKind::TextStream)))
    }

    /// Returns the size of the outbound queue.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if the session has ended.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it changes nothing.
    pub async fn outbound_queue(&self) -> Result<OutboundQueue, Error> {
        let (reply, waiting) = oneshot::channel();
        self.link.command(Command::Waiting { reply })?;
        waiting.await.map_err(|_| Error::Ended(self.link.end()))
    }

    /// Returns the size of the unread part of each stream of the session, and
    /// whether reading the agent's output is paused for it; see
    /// [`Backpressure`](crate::options::Backpressure).
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if the session has ended.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it changes nothing.
    pub async fn unread(&self) -> Result<Unread, Error> {
        let (reply, unread) = oneshot::channel();
        self.link.command(Command::Unread { reply })?;
        unread.await.map_err(|_| Error::Ended(self.link.end()))
    }

    /// Sends all transcript entries received so far to the [session
    /// store](crate::Options::session_store), and waits until they are stored. Returns immediately
    /// in a session without a store.
    ///
    /// # Errors
    ///
    /// [`Error::SessionStore`] if the store is behind: three calls have failed, or one has timed
    /// out, or the next one fails. The entries remain buffered; see
    /// [`Notice::StoreBehind`](crate::Notice::StoreBehind). [`Error::Ended`] if the session has
    /// ended: its last event is delivered after the remaining entries are stored.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the entries are still sent.
    pub async fn flush_store(&self) -> Result<(), Error> {
        let ended = || Err(Error::Ended(self.link.end()));
        match &self.link.store {
            Some(store) => store.flush().await.unwrap_or_else(ended),
            None if self.link.commands.is_closed() => ended(),
            None => Ok(()),
        }
    }

    fn put(&self, message: UserMessage, when_full: WhenFull) -> Submission {
        let (uuid, is_verbatim, prompt) = Prompt::of(message, self.verbatim_prompts, new_id);
        let (progress, receiver) = watch::channel(Progress::new());
        let submission = Submission::new(uuid, receiver, self.link.clone());
        if is_verbatim && let Err(error) = self.check_verbatim() {
            progress.send_replace(Progress::failed(error));
            return submission;
        }
        let command = Command::Send {
            prompt,
            origin: Origin::current(),
            progress,
            when_full,
        };
        if let Err(mpsc::error::SendError(command)) = self.link.commands.send(Box::new(command))
            && let Command::Send { progress, .. } = *command
        {
            progress.send_replace(Progress::failed(Error::Ended(self.link.end())));
        }
        submission
    }

    /// Fails for an older CLI, which would expand files and commands in the
    /// message.
    fn check_verbatim(&self) -> Result<(), Error> {
        let version = self.link.declared().cli_version();
        if version.is_some_and(|version| version >= VERBATIM) {
            return Ok(());
        }
        Err(Error::TooOld {
            option: Some("UserMessage::verbatim".into()),
            needs: Some(VERBATIM),
            version,
        })
    }

    /// Sends any control request with all its fields. Each request also has a
    /// method, which takes only the essential ones.
    ///
    /// # Errors
    ///
    /// The returned [`ResponseFuture`] fails
    ///
    /// - with [`Error::NotSupported`] if the agent does not support the
    ///   request. The request is not sent if the agent would ignore a field
    ///   that changes its effect;
    /// - with [`Error::Request`] if the agent refuses it, or does not respond
    ///   within [`Options::request_timeout`](crate::Options::request_timeout);
    /// - with [`Error::InvalidResponse`] if it succeeded, but the response is
    ///   invalid;
    /// - with [`Error::Full`] if the outbound queue is full;
    /// - with [`Error::Ended`] if the session has ended.
    pub fn request<R: HostRequest>(&self, request: &R) -> ResponseFuture<R::Response> {
        ResponseFuture::request(&self.link, request)
    }

    /// Sends a control request that has no type in this crate, by its subtype and its other members
    /// as an object. Returns the response, or an empty object if the agent sent none.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// use serde_json::json;
    ///
    /// let answer = client.request_raw("make_coffee", json!({ "cups": 2 })).await?;
    /// println!("{:?} cups", answer.member("cups"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The request is sent regardless of the capabilities that the agent
    /// declares.
    ///
    /// # Errors
    ///
    /// As [`Handle::request`], and [`Error::Encode`] if `members` is not an
    /// object.
    pub fn request_raw(&self, subtype: &str, members: impl Into<Json>) -> ResponseFuture<Json> {
        let made = Request::raw(new_id(), subtype, members);
        ResponseFuture::make(&self.link, subtype, None, made.map_err(Error::from))
    }

    /// Returns the connection to the driver of the session.
    pub(crate) fn link(&self) -> &Link {
        &self.link
    }

    pub(crate) fn new(link: Link, verbatim_prompts: bool) -> Self {
        Self {
            link,
            verbatim_prompts,
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("open", &!self.link.commands.is_closed())
            .finish()
    }
}
