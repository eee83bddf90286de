//! What a session is controlled by, from anywhere.

mod control;
mod interruption;
mod pending;
mod submission;
mod subscription;
mod turn;
mod views;

pub use control::McpReadiness;
pub use interruption::{Interrupted, PendingInterrupt, StopPolicy, Stopped};
pub use pending::Pending;
pub use submission::Submission;
pub use subscription::Subscription;
pub use turn::Turn;
pub(crate) use views::Events;
pub use views::{Messages, TextStream};

use crate::command::{Command, Link, OutboundQueue, Progress, WhenFull};
use crate::event::{Error, StreamKind, Unread};
use crate::process::CliVersion;
use agentwire_protocol::Json;
use agentwire_protocol::control::HostRequest;
use agentwire_protocol::host::{Prompt, Request};
use agentwire_protocol::message::{ResultMessage, UserMessage};
use pending::new_id;
use std::fmt;
use std::pin::Pin;
use tokio::sync::{mpsc, oneshot, watch};

/// Sends and asks, from anywhere. It can be cloned, and does not keep the
/// session alive: when that is over, everything fails with [`Error::Ended`].
///
/// Every method puts what it sends into the order when it is called, not when
/// what it returns is awaited. Dropping that stops the waiting and undoes
/// nothing.
#[derive(Clone)]
pub struct Handle {
    link: Link,
    verbatim_prompts: bool,
}

/// The first version that does not expand files and commands in a message that
/// says so.
pub(crate) const VERBATIM: CliVersion = CliVersion::new(2, 1, 248);

impl Handle {
    /// Sends a user message: a text, or a [`UserMessage`]. It is stamped with
    /// a `uuid` if it has none. What is returned tells what becomes of it, and
    /// may be awaited: it is ready when the message is in the pipe. It fails
    /// with [`Error::Full`] when too much waits to be written already.
    #[doc(alias = "query")]
    #[doc(alias = "streamInput")]
    pub fn send(&self, message: impl Into<UserMessage>) -> Submission {
        self.put(message.into(), WhenFull::Fail)
    }

    /// Sends a user message, and returns a future for the result of its turn. The
    /// message is sent when this is called, not when the future is awaited.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// let result = client.prompt("What is 2 + 2?").await?.error_for_result()?;
    /// println!("{}", result.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// The turn goes on when the future is dropped; see [`Handle::interrupt`].
    ///
    /// # Errors
    ///
    /// As [`Submission::result`].
    pub fn prompt(
        &self,
        message: impl Into<UserMessage>,
    ) -> Pin<Box<dyn Future<Output = Result<ResultMessage, Error>> + Send>> {
        let mut submission = self.send(message);
        Box::pin(async move { submission.result().await })
    }

    /// Sends a user message once there is room for it among those that wait to
    /// be written. Whoever waits first goes first. When the future is dropped
    /// before it is ready, nothing is sent.
    ///
    /// # Errors
    ///
    /// As [`Submission::written`], for what fails before there was room.
    pub async fn send_when_room(
        &self,
        message: impl Into<UserMessage>,
    ) -> Result<Submission, Error> {
        let (has_room, room) = oneshot::channel();
        let mut submission = self.put(message.into(), WhenFull::Wait(has_room));
        let _wanted = self.link.want_input();
        match room.await {
            Ok(()) => Ok(submission),
            // It was not taken, and says why.
            Err(_) => submission.written().await.map(|()| submission),
        }
    }

    /// A stream of its own of everything that the session delivers from now
    /// on; what comes of anything that is sent after it is in it. It is read at
    /// its own pace, and nobody waits for it.
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

    /// Streams the text that the agent writes from now on, that of the main
    /// conversation only: piece by piece with [`Options::partial_messages`](crate::Options::partial_messages),
    /// and message by message without.
    #[must_use]
    pub fn texts(&self) -> TextStream {
        TextStream::new(Subscription::new(self.link.listen(StreamKind::TextStream)))
    }

    /// What waits to be written.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the session is over.
    pub async fn outbound_queue(&self) -> Result<OutboundQueue, Error> {
        let (reply, waiting) = oneshot::channel();
        self.link.command(Command::Waiting { reply })?;
        waiting.await.map_err(|_| Error::Ended(self.link.end()))
    }

    /// Returns what the program has not read of the session, stream by stream,
    /// and whether reading the agent's output is paused for it; see
    /// [`Backpressure`](crate::Backpressure).
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the session is over.
    pub async fn unread(&self) -> Result<Unread, Error> {
        let (reply, unread) = oneshot::channel();
        self.link.command(Command::Unread { reply })?;
        unread.await.map_err(|_| Error::Ended(self.link.end()))
    }

    /// Gives the [session store](crate::Options::session_store) all that has come of
    /// transcripts so far, and waits until it was tried. What could not be kept
    /// is told as a [`Notice::NotMirrored`](crate::Notice::NotMirrored).
    /// Ready at once in a session without a store.
    ///
    /// When the future is dropped, the store is given it all the same.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the session is over. Its last event comes when the
    /// store has all that was left.
    pub async fn flush_store(&self) -> Result<(), Error> {
        let (reply, done) = oneshot::channel();
        self.link.command(Command::Mirrored { reply })?;
        done.await.map_err(|_| Error::Ended(self.link.end()))
    }

    fn put(&self, mut message: UserMessage, when_full: WhenFull) -> Submission {
        if self.verbatim_prompts {
            message = message.verbatim();
        }
        let is_verbatim = message.client_composed == Some(true);
        let uuid = message.uuid.take().unwrap_or_else(new_id);
        let (progress, receiver) = watch::channel(Progress::new());
        let submission = Submission::new(&uuid, receiver, self.link.clone());
        if is_verbatim && let Err(error) = self.check_verbatim() {
            progress.send_replace(Progress::failed(error));
            return submission;
        }
        let command = match Prompt::new(uuid, message) {
            Ok(prompt) => Command::Send {
                prompt,
                progress,
                when_full,
            },
            Err(error) => {
                progress.send_replace(Progress::failed(error.into()));
                return submission;
            }
        };
        if let Err(mpsc::error::SendError(Command::Send { progress, .. })) =
            self.link.commands.send(command)
        {
            progress.send_replace(Progress::failed(Error::Ended(self.link.end())));
        }
        submission
    }

    /// An older CLI would expand files and commands in the message.
    fn check_verbatim(&self) -> Result<(), Error> {
        let version = self.link.declared().cli_version();
        if version.is_some_and(|version| version >= VERBATIM) {
            return Ok(());
        }
        Err(Error::TooOld {
            option: "UserMessage::verbatim".into(),
            needs: Some(VERBATIM),
            version,
        })
    }

    /// Makes any control request, as it is. There is a method for each, which
    /// takes the plainest form of it. What is returned may be awaited for the
    /// answer; it fails
    ///
    /// - with [`Error::NotSupported`] when the agent does not know the request,
    ///   or would pass over a part of it that changes what is done: then it is
    ///   not sent;
    /// - with [`Error::Request`] when it is refused, or not answered within
    ///   [`Options::request_timeout`](crate::Options::request_timeout);
    /// - with [`Error::InvalidResponse`] when it was done, and its answer does not
    ///   have the shape that it should have;
    /// - with [`Error::Full`] and [`Error::Ended`].
    pub fn request<R: HostRequest>(&self, request: &R) -> Pending<R::Answer> {
        Pending::request(&self.link, request)
    }

    /// Makes a control request that has no type here: its subtype, and its
    /// other members as an object. The answer is what the agent gave, and an
    /// empty object where it gave nothing.
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
    /// It is sent whatever the agent has declared. It fails as
    /// [`Handle::request`] does otherwise, and with [`Error::Encode`] when
    /// `members` is not an object.
    pub fn request_raw(&self, subtype: &str, members: impl Into<Json>) -> Pending<Json> {
        let made = Request::raw(new_id(), subtype, members);
        Pending::make(&self.link, subtype, None, made.map_err(Error::from))
    }

    /// What this has of the session.
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
