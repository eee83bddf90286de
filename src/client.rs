//! A conversation with an agent.

use crate::error::{EndReason, Error, SessionEnd};
use crate::event::Event;
use crate::mailbox::{Mailbox, mailbox};
use crate::options::Options;
use crate::process::CloseReport;
use crate::session::{self, Command, Interest, WhenFull};
use crate::submission::{Progress, Submission, Unwritten};
use crate::subscription::{Subscription, Texts};
use crate::transport::{FarEnd, Transport};
use crate::turn::{Interruption, StopPolicy, Stopped, TurnWatch};
use agentwire_protocol::Json;
use agentwire_protocol::control::{
    Answer, HostRequest, InitializeAnswer, Interrupt, SetModel, SetModelAnswer, SetPermissionMode,
    SetPermissionModeAnswer,
};
use agentwire_protocol::host::{Prompt, Request};
use agentwire_protocol::message::UserMessage;
use agentwire_protocol::permission::PermissionMode;
use futures_core::Stream;
use std::fmt;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot, watch};
use uuid::Uuid;

/// A conversation with an agent.
///
/// The client owns the session: when it is dropped, the session ends, and
/// everything that it started goes. [`Client::handle`] gives handles that can
/// be cloned and sent anywhere; they do not keep the session alive.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire::Error> {
/// use agentwire::{Client, Event, Message, Options};
///
/// let mut client = Client::connect(Options::new()).await?;
/// client.send("What is in this directory?");
/// while let Some(event) = client.next().await {
///     if let Event::Frame(frame) = event? {
///         match frame.message()? {
///             Message::Assistant(said) => println!("{:?}", said.message.content),
///             Message::Result(_) => break,
///             _ => {}
///         }
///     }
/// }
/// client.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client {
    handle: Handle,
    mailbox: Mailbox,
    initialized: InitializeAnswer,
    far_end: Arc<FarEnd>,
    /// How long a turn may go on once the session is to be closed.
    finish: Duration,
    /// How long a query goes on for what runs in the background.
    background: Duration,
}

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
    request_timeout: Duration,
    unread_limit: usize,
}

/// How the session ended, once it has.
pub(crate) type End = Arc<OnceLock<Arc<SessionEnd>>>;

impl Client {
    /// Starts the CLI and waits until it answered the first request.
    ///
    /// Has to be called inside a tokio runtime with I/O and time; a
    /// current-thread runtime will do.
    ///
    /// # Errors
    ///
    /// [`Error::CliNotFound`] and [`Error::Spawn`] when there is nothing to
    /// start; [`Error::Ended`] with the exit status and the end of standard
    /// error when the CLI exits at once; [`Error::StartUp`] when it does not
    /// answer, or refuses. The CLI is gone when the error is there.
    ///
    /// When the future is dropped before it is ready, the CLI is ended as if
    /// the client had been dropped.
    pub async fn connect(options: Options) -> Result<Self, Error> {
        let transport = Transport::spawn(&options)?;
        Self::greet(transport, options).await
    }

    /// Talks to an agent that somebody else has started: in a container, over
    /// ssh, in a test. What it writes is read from `reader`, what it reads is
    /// written to `writer`. Waits until it answered the first request.
    ///
    /// Nothing is known of the agent's process, so that
    ///
    /// - what [`Options`] say of a process has no effect: the CLI, its
    ///   directory, environment, arguments and standard error. Whoever starts
    ///   the CLI passes [`Options::arguments`], and sets
    ///   `CLAUDE_CODE_SDK_READS_SESSION_STATE=1` if the CLI is to report when
    ///   it begins to work and to rest;
    /// - the end of `reader` is the end of the session, with
    ///   [`EndReason::OutputClosed`](crate::EndReason) if nobody closed it;
    /// - closing shuts `writer` down, drops it, and waits for the end of
    ///   `reader` for as long as [`ClosePolicy::exit`](crate::ClosePolicy)
    ///   says. Then `reader` is given up, and the session ends with
    ///   [`EndReason::StillAlive`](crate::EndReason);
    /// - all of that is done by the runtime that this was called in: when it is
    ///   gone, the pipes are dropped, and nothing more is done.
    ///
    /// [`CloseReport`] says what it says then.
    ///
    /// # Errors
    ///
    /// As [`Client::connect`], what concerns the start of a process excepted.
    pub async fn connect_over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        options: Options,
    ) -> Result<Self, Error> {
        let transport = Transport::over(reader, writer, options.close);
        Self::greet(transport, options).await
    }

    /// Makes the first request.
    async fn greet(transport: Transport, options: Options) -> Result<Self, Error> {
        let initialize = options.initialize.clone();
        let finish = options.close.finish;
        let background = options.background_limit;
        let session::Started {
            handle,
            mailbox,
            far_end,
        } = session::start(transport, options);
        let mut client = Self {
            handle,
            mailbox,
            initialized: InitializeAnswer::default(),
            far_end,
            finish,
            background,
        };
        match client.handle.request(&initialize).await {
            Ok(answer) => client.initialized = answer,
            // The CLI is ready; what it says of itself is odd, and kept.
            Err(Error::UnreadAnswer { payload, .. }) => {
                let members = payload.and_then(|payload| payload.read().ok());
                client.initialized.extra = members.unwrap_or_default();
            }
            Err(error) => {
                // Whoever gets this error may be about to exit.
                client.abort().await;
                // The end of the mailbox is where the session's end is known.
                while client.next().await.is_some() {}
                return Err(client.start_up_error(error));
            }
        }
        Ok(client)
    }

    /// What a request that failed says of the start of the CLI.
    fn start_up_error(&self, error: Error) -> Error {
        match error {
            Error::Request(failure) => Error::StartUp {
                failure,
                stderr: self.handle.end().stderr.clone(),
            },
            error => error,
        }
    }

    /// What the CLI said it is and has.
    #[must_use]
    pub fn initialized(&self) -> &InitializeAnswer {
        &self.initialized
    }

    /// The process id of the CLI. `None` when it was somebody else who started
    /// it ([`Client::connect_over`]).
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.far_end.pid()
    }

    /// A handle that can be cloned and sent anywhere.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// What the session delivers next; the error that ended it, once; then
    /// `None`. Cancel safe: nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        poll_fn(|context| self.mailbox.poll_next(context)).await
    }

    /// A stream of its own of everything from now on; see
    /// [`Handle::subscribe`].
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.handle.subscribe()
    }

    /// What the agent writes, as it writes it; see [`Handle::texts`].
    #[must_use]
    pub fn texts(&self) -> Texts {
        self.handle.texts()
    }

    /// Sends a user message; see [`Handle::send`].
    pub fn send(&self, message: impl Into<UserMessage>) -> Submission {
        self.handle.send(message)
    }

    /// Sends a user message once there is room; see
    /// [`Handle::send_when_room`].
    ///
    /// # Errors
    ///
    /// As [`Handle::send_when_room`].
    pub async fn send_when_room(
        &self,
        message: impl Into<UserMessage>,
    ) -> Result<Submission, Error> {
        self.handle.send_when_room(message).await
    }

    /// What waits to be written; see [`Handle::unwritten`].
    ///
    /// # Errors
    ///
    /// As [`Handle::unwritten`].
    pub async fn unwritten(&self) -> Result<Unwritten, Error> {
        self.handle.unwritten().await
    }

    /// Makes any control request; see [`Handle::request`].
    pub fn request<R: HostRequest>(&self, request: &R) -> Pending<R::Answer> {
        self.handle.request(request)
    }

    /// Makes a control request that has no type here; see
    /// [`Handle::request_raw`].
    pub fn request_raw(&self, subtype: &str, members: impl Into<Json>) -> Pending<Json> {
        self.handle.request_raw(subtype, members)
    }

    /// Stops the turn that runs; see [`Handle::interrupt`].
    pub fn interrupt(&self) -> Interruption {
        self.handle.interrupt()
    }

    /// Stops the turn that runs, whatever it takes; see [`Handle::stop`].
    ///
    /// # Errors
    ///
    /// As [`Handle::stop`].
    pub async fn stop(&self, policy: StopPolicy) -> Result<Stopped, Error> {
        self.handle.stop(policy).await
    }

    /// Sets the model; see [`Handle::set_model`].
    pub fn set_model(&self, model: Option<&str>) -> Pending<SetModelAnswer> {
        self.handle.set_model(model)
    }

    /// Sets how permissions are decided; see [`Handle::set_permission_mode`].
    pub fn set_permission_mode(&self, mode: PermissionMode) -> Pending<SetPermissionModeAnswer> {
        self.handle.set_permission_mode(mode)
    }

    /// Ends the session: takes nothing new, writes what waits, lets the turn
    /// that runs come to its end (for as long as
    /// [`ClosePolicy`](crate::ClosePolicy) says), closes the CLI's input, and
    /// sees to it that everything that the session started goes. What the
    /// session still delivers can be read afterwards.
    ///
    /// When the future is dropped the closing goes on.
    ///
    /// The runtime on which the session was started has to run meanwhile, or
    /// be gone; [`Client::abort`] needs none.
    pub async fn close(&mut self) -> CloseReport {
        self.finish(Some(self.finish), Duration::ZERO);
        self.far_end.closed().await.unwrap_or_default()
    }

    /// Ends the session now, as dropping the client does, and waits until
    /// everything that it started has gone. For a program that is about to
    /// exit: nothing that a drop has begun goes on after that.
    ///
    /// When the future is dropped the ending goes on.
    pub async fn abort(&mut self) -> CloseReport {
        self.abandon();
        self.far_end.closed().await.unwrap_or_default()
    }

    fn abandon(&self) {
        // The driver lets go of the CLI's input, if its runtime still runs.
        // The ladder does not need it: it has a thread of its own.
        drop(self.handle.commands.send(Command::End(EndReason::Closed)));
        self.far_end.close(|| ());
    }

    /// Ends the session when it is idle and nothing runs in the background of
    /// which the agent would tell something; does not wait for it.
    pub(crate) fn finish_when_idle(&self) {
        // However long the turn takes: it may wait for a person.
        self.finish(None, self.background);
    }

    fn finish(&self, within: Option<Duration>, background: Duration) {
        let command = Command::Finish { within, background };
        if self.handle.commands.send(command).is_err() {
            // Nobody drives the session any more.
            self.far_end.close(|| ());
        }
    }

    /// How the session ended.
    pub(crate) fn end(&self) -> Arc<SessionEnd> {
        self.handle.end()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl Stream for Client {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.mailbox.poll_next(context)
    }
}

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
        Subscription::new(self.listen(Interest::Everything))
    }

    /// What the agent writes from now on, as it writes it, piece by piece:
    /// text only, and that of the main conversation only. It needs
    /// [`Options::partial_messages`].
    #[must_use]
    pub fn texts(&self) -> Texts {
        Texts::new(self.listen(Interest::Texts))
    }

    pub(crate) fn listen(&self, interest: Interest) -> Mailbox {
        let (sender, mailbox) = mailbox(self.unread_limit);
        let command = Command::Subscribe { interest, sender };
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

    fn put(&self, mut message: UserMessage, when_full: WhenFull) -> Submission {
        let uuid = message.uuid.take().unwrap_or_else(new_id);
        let (progress, receiver) = watch::channel(Progress::new());
        let submission = Submission::new(&uuid, receiver, self.clone());
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

    /// Makes any control request. What is returned may be awaited for the
    /// answer; it fails when the request is refused, not answered within
    /// [`Options::request_timeout`], or the session ends, and with
    /// [`Error::NotRead`] as [`WhenUnread::StopReading`] says.
    ///
    /// [`WhenUnread::StopReading`]: crate::WhenUnread::StopReading
    pub fn request<R: HostRequest>(&self, request: &R) -> Pending<R::Answer> {
        self.make(R::SUBTYPE, Request::new(new_id(), request))
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
    /// It fails as [`Handle::request`] does, and with [`Error::Encode`] when
    /// `members` is not an object.
    pub fn request_raw(&self, subtype: &str, members: impl Into<Json>) -> Pending<Json> {
        self.make(subtype, Request::raw(new_id(), subtype, members))
    }

    fn make<T>(&self, subtype: &str, request: serde_json::Result<Request>) -> Pending<T> {
        let (reply, answer) = oneshot::channel();
        let request_id = request.as_ref().map(|it| it.request_id().into());
        let request_id = request_id.unwrap_or_default();
        let outcome = match request {
            Ok(request) => {
                let patience = self.request_timeout;
                self.command(Command::Request {
                    request,
                    patience,
                    reply,
                })
            }
            Err(error) => Err(error.into()),
        };
        Pending {
            request_id,
            subtype: subtype.into(),
            waiting: self.waiting(outcome, answer),
            kind: PhantomData,
        }
    }

    /// Stops the turn that runs. Messages that wait stay where they are; the
    /// receipt lists them.
    pub fn interrupt(&self) -> Interruption {
        let receipt = self.request(&Interrupt::default());
        Interruption::new(receipt, self.clone())
    }

    /// Stops the turn that runs, and takes back what waits, here and in the
    /// agent's queue; the receipt lists it.
    pub fn interrupt_all(&self) -> Interruption {
        let receipt = self.request(&Interrupt::and_cancel_queued());
        Interruption::new(receipt, self.clone())
    }

    /// The turn that runs, or ran last.
    pub(crate) fn turn(&self) -> Option<TurnWatch> {
        self.turn.borrow().clone()
    }

    /// Ends the session now.
    pub(crate) fn give_up(&self, reason: EndReason) -> Result<(), Error> {
        self.command(Command::End(reason))
    }

    /// Sets the model for what is sent after it; the CLI's default, for
    /// `None`.
    pub fn set_model(&self, model: Option<&str>) -> Pending<SetModelAnswer> {
        self.request(&model.map(SetModel::to).unwrap_or_default())
    }

    /// Sets how permissions are decided for what is sent after it.
    pub fn set_permission_mode(&self, mode: PermissionMode) -> Pending<SetPermissionModeAnswer> {
        self.request(&SetPermissionMode::to(mode))
    }

    fn command(&self, command: Command) -> Result<(), Error> {
        self.commands
            .send(command)
            .map_err(|_| Error::Ended(self.end()))
    }

    fn waiting<T>(
        &self,
        outcome: Result<(), Error>,
        reply: oneshot::Receiver<Result<T, Error>>,
    ) -> Waiting<T> {
        Waiting {
            reply: outcome.map(|()| reply),
            handle: self.clone(),
        }
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
        options: &Options,
    ) -> Self {
        Self {
            commands,
            end,
            turn,
            request_timeout: options.request_timeout,
            unread_limit: options.unread_limit,
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

/// A control request on its way. It is made whether this is awaited or not:
/// dropping this only stops the waiting.
pub struct Pending<T> {
    request_id: Box<str>,
    subtype: Box<str>,
    waiting: Waiting<Answer>,
    kind: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("subtype", &self.subtype)
            .finish_non_exhaustive()
    }
}

impl<T> Pending<T> {
    /// Takes the request back: it does not leave any more, or the agent is
    /// told that nobody waits for its answer. What the agent has done by then
    /// is done. Unless the answer is there already, awaiting this fails with
    /// [`RequestFailure::Cancelled`](agentwire_protocol::host::RequestFailure::Cancelled).
    pub fn cancel(&self) {
        let request_id = self.request_id.clone();
        // When nobody drives the session any more, the request is over.
        let _ = self.waiting.handle.command(Command::Cancel { request_id });
    }
}

impl<T: serde::de::DeserializeOwned> Future for Pending<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.waiting.poll(context).map(|answer| {
            let answer = answer?;
            answer.read().map_err(|error| Error::UnreadAnswer {
                subtype: self.subtype.clone(),
                reason: error.to_string(),
                payload: answer.response,
            })
        })
    }
}

/// Something that the session will say once.
#[derive(Debug)]
struct Waiting<T> {
    reply: Result<oneshot::Receiver<Result<T, Error>>, Error>,
    handle: Handle,
}

impl<T> Waiting<T> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<T, Error>> {
        match &mut self.reply {
            Ok(reply) => Pin::new(reply)
                .poll(context)
                .map(|reply| reply.unwrap_or_else(|_| Err(Error::Ended(self.handle.end())))),
            Err(error) => Poll::Ready(Err(error.clone())),
        }
    }
}

fn new_id() -> String {
    Uuid::new_v4().to_string()
}
