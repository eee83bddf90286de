//! What a session is controlled by, from anywhere.

use crate::control::Declared;
use crate::demand::{Demand, Wanted};
use crate::error::{EndReason, Error, SessionEnd};
use crate::mailbox::{Mailbox, mailbox};
use crate::options::{Options, VERBATIM};
use crate::pending::Pending;
use crate::session::{Command, WhenFull};
use crate::submission::{Progress, Submission, Unwritten};
use crate::subscription::{Subscription, Texts};
use crate::turn::TurnWatch;
use crate::unread::{StreamKind, Unread};
use agentwire_protocol::Json;
use agentwire_protocol::control::HostRequest;
use agentwire_protocol::host::{Prompt, Request};
use agentwire_protocol::message::UserMessage;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use uuid::Uuid;

/// Sends and asks, from anywhere. It can be cloned, and does not keep the
/// session alive: when that is over, everything fails with [`Error::Ended`].
///
/// Every method puts what it sends into the order when it is called, not when
/// what it returns is awaited. Dropping that stops the waiting and undoes
/// nothing.
#[derive(Clone)]
pub struct Handle {
    commands: mpsc::UnboundedSender<Command>,
    end: End,
    turn: watch::Receiver<Option<TurnWatch>>,
    declared: Arc<Declared>,
    request_timeout: Duration,
    demand: Demand,
    verbatim_prompts: bool,
}

/// How the session ended, once it has.
pub(crate) type End = Arc<OnceLock<Arc<SessionEnd>>>;

impl Handle {
    /// Sends a user message: a text, or a [`UserMessage`]. It is stamped with
    /// a `uuid` if it has none. What is returned tells what becomes of it, and
    /// may be awaited: it is ready when the message is in the pipe. It fails
    /// with [`Error::Full`] when too much waits to be written already.
    pub fn send(&self, message: impl Into<UserMessage>) -> Submission {
        self.put(message.into(), WhenFull::Fail)
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
        let _wanted = self.want_input();
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
        Subscription::new(self.listen(StreamKind::Subscription))
    }

    /// Streams the text that the agent writes from now on, that of the main
    /// conversation only: piece by piece with [`Options::partial_messages`],
    /// and message by message without.
    #[must_use]
    pub fn texts(&self) -> Texts {
        Texts::new(self.listen(StreamKind::Texts))
    }

    pub(crate) fn listen(&self, stream: StreamKind) -> Mailbox {
        let (sender, mailbox) = mailbox(&self.demand);
        let command = Command::Subscribe { stream, sender };
        if let Err(mpsc::error::SendError(Command::Subscribe { sender, .. })) =
            self.commands.send(command)
        {
            sender.end(self.end().error());
        }
        mailbox
    }

    /// What waits to be written.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the session is over.
    pub async fn unwritten(&self) -> Result<Unwritten, Error> {
        let (reply, waiting) = oneshot::channel();
        self.command(Command::Waiting { reply })?;
        waiting.await.map_err(|_| Error::Ended(self.end()))
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
        self.command(Command::Unread { reply })?;
        unread.await.map_err(|_| Error::Ended(self.end()))
    }

    /// Counts something that waits for input, until what is returned is
    /// dropped.
    pub(crate) fn want_input(&self) -> Wanted {
        self.demand.want()
    }

    /// Gives the [session store](Options::session_store) all that has come of
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
    pub async fn mirrored(&self) -> Result<(), Error> {
        let (reply, done) = oneshot::channel();
        self.command(Command::Mirrored { reply })?;
        done.await.map_err(|_| Error::Ended(self.end()))
    }

    fn put(&self, mut message: UserMessage, when_full: WhenFull) -> Submission {
        if self.verbatim_prompts {
            message = message.verbatim();
        }
        let is_verbatim = message.client_composed == Some(true);
        let uuid = message.uuid.take().unwrap_or_else(new_id);
        let (progress, receiver) = watch::channel(Progress::new());
        let submission = Submission::new(&uuid, receiver, self.clone());
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
            self.commands.send(command)
        {
            progress.send_replace(Progress::failed(Error::Ended(self.end())));
        }
        submission
    }

    /// An older CLI would expand files and commands in the message.
    fn check_verbatim(&self) -> Result<(), Error> {
        let version = self.declared.cli_version();
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
    ///   [`Options::request_timeout`];
    /// - with [`Error::UnreadAnswer`] when it was done, and its answer does not
    ///   have the shape that it should have;
    /// - with [`Error::Full`] and [`Error::Ended`].
    pub fn request<R: HostRequest>(&self, request: &R) -> Pending<R::Answer> {
        let made = match self.declared.first_missing(request.relies_on()) {
            Some(capability) => Err(Error::NotSupported {
                subtype: R::SUBTYPE.into(),
                needs: Some(capability),
                refusal: None,
            }),
            None => Request::new(new_id(), request).map_err(Error::from),
        };
        self.make(R::SUBTYPE, R::CAPABILITY, made)
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
        self.make(subtype, None, made.map_err(Error::from))
    }

    fn make<T>(
        &self,
        subtype: &str,
        capability: Option<&'static str>,
        request: Result<Request, Error>,
    ) -> Pending<T> {
        let (reply, answer) = oneshot::channel();
        let request_id = request
            .as_ref()
            .map_or_else(|_| "".into(), |it| it.request_id().into());
        let made = request.and_then(|request| {
            let patience = self.request_timeout;
            self.command(Command::Request {
                request,
                patience,
                reply,
            })
        });
        Pending::new(
            request_id,
            subtype,
            capability,
            made.map(|()| answer),
            self.clone(),
        )
    }

    /// The turn that runs, or ran last.
    pub(crate) fn turn(&self) -> Option<TurnWatch> {
        self.turn.borrow().clone()
    }

    /// Ends the session now.
    pub(crate) fn give_up(&self, reason: EndReason) -> Result<(), Error> {
        self.command(Command::End(reason))
    }

    /// Waits until the session is over. Cancel safe.
    #[cfg(feature = "mcp")]
    pub(crate) async fn closed(&self) {
        self.commands.closed().await;
    }

    pub(crate) fn command(&self, command: Command) -> Result<(), Error> {
        self.commands
            .send(command)
            .map_err(|_| Error::Ended(self.end()))
    }

    /// What the two sides have said of themselves.
    pub(crate) fn declared(&self) -> &Declared {
        &self.declared
    }

    /// How the session ended, if it has.
    pub(crate) fn ended(&self) -> Option<Arc<SessionEnd>> {
        self.end.get().cloned()
    }

    /// How the session ended, for what fails because it has.
    pub(crate) fn end(&self) -> Arc<SessionEnd> {
        let gone = || Arc::new(SessionEnd::runtime_gone());
        self.end.get().cloned().unwrap_or_else(gone)
    }

    pub(crate) fn new(
        commands: mpsc::UnboundedSender<Command>,
        end: End,
        turn: watch::Receiver<Option<TurnWatch>>,
        declared: Arc<Declared>,
        demand: Demand,
        options: &Options,
    ) -> Self {
        Self {
            commands,
            end,
            turn,
            declared,
            request_timeout: options.request_timeout,
            demand,
            verbatim_prompts: options.verbatim_prompts,
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("open", &!self.commands.is_closed())
            .finish()
    }
}

fn new_id() -> String {
    Uuid::new_v4().to_string()
}
