//! Sessions with several turns.

mod attach;
mod introspection;
mod local_version;
mod query;
mod views;

pub use attach::{attach, attach_up_to};
pub(crate) use local_version::LocalVersion;
pub use query::{Query, prompt, query};

use crate::command::Command;
use crate::event::{EndReason, Error, Event, Mailbox, Notice, SessionEnd};
use crate::handle::{CloseFuture, Handle};
use crate::options::{
    CommandLine, Options, PLUGINS, PrivateFiles, not_applied, unsupported_option,
};
use crate::process::CloseReport;
use crate::session::{self, Known, Member, Peers, SessionGroup, Starter, open_within};
use crate::transport::{Connection, LocalCli, Transport};
use agentwire_protocol::control::InitializeAnswer;
use agentwire_protocol::host::RequestFailure;
use agentwire_protocol::message::Message;
use futures_core::Stream;
use std::borrow::Cow;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use uuid::Uuid;

/// A session with an agent.
///
/// The client owns the session: dropping it ends the session and every process that the session
/// started. It dereferences to its [`Handle`], which has the methods to send messages and
/// control requests. [`Client::handle`] returns a handle that can be cloned and sent to other
/// tasks, and does not keep the session alive.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire::Error> {
/// use agentwire::{Client, Event, Message, Options};
///
/// let mut client = Client::connect(Options::new()).await?;
/// client.send("What is in this directory?");
/// while let Some(event) = client.next().await {
///     if let Event::Frame(frame) = event? {
///         match frame.message() {
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
    peers: Arc<Peers>,
    /// How long a query continues for background tasks.
    background: Duration,
}

impl Client {
    /// Spawns the CLI, and waits for its response to the first request.
    ///
    /// Requires a tokio runtime with I/O and time enabled. A current-thread
    /// runtime is enough.
    ///
    /// # Errors
    ///
    /// - [`Error::NoRuntime`] outside a tokio runtime.
    /// - [`Error::Option`] if an option is invalid; see
    ///   [`Options::command_line`].
    /// - [`Error::CliNotFound`] or [`Error::Spawn`] if there is no CLI, or it
    ///   cannot be spawned.
    /// - [`Error::Ended`] if the CLI exits immediately, with its exit status and the tail of
    ///   standard error.
    /// - [`Error::NoSuchSession`] if the session to
    ///   [resume](Options::resume) does not exist.
    /// - [`Error::TooOld`] if the CLI does not support an option, or is known
    ///   to be older than 2.0.0.
    /// - [`Error::StartUp`] if the CLI does not respond, or refuses the
    ///   request.
    /// - [`Error::NotApplied`] if the CLI ignores a required option.
    /// - [`Error::SessionStore`] or [`Error::PrivateFile`] if the session
    ///   cannot be resumed from its [store](Options::session_store).
    ///
    /// The CLI has been shut down when the error is returned.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, the CLI is shut down as if
    /// the client had been dropped.
    ///
    /// # Panics
    ///
    /// If the runtime has no timers or no I/O. A CLI that was already spawned
    /// is shut down as if the client had been dropped.
    pub async fn connect(options: Options) -> Result<Self, Error> {
        Self::connect_over(LocalCli, options).await
    }

    /// Connects to an agent over a [`Transport`], and waits for its response to
    /// the first request. Use [`Pipes`] for an agent that was started
    /// elsewhere: in a container, over ssh, in a test.
    ///
    /// [`Pipes`]: crate::transport::Pipes
    ///
    /// # Errors
    ///
    /// As [`Client::connect`], except for the errors of spawning a process; and
    /// the error of the transport if it cannot be opened.
    ///
    /// # Cancel safety
    ///
    /// As [`Client::connect`].
    pub async fn connect_over(
        mut transport: impl Transport,
        options: Options,
    ) -> Result<Self, Error> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Error::NoRuntime);
        }
        // Panics without timers, before anything is spawned.
        drop(tokio::time::sleep(Duration::ZERO));
        let options = options.with_rules()?;
        let mut line = options.assemble()?;
        let sleeps = options.sleep_after.map(|_| "sleep_after");
        let restarts = options.restart.map(|_| "restart");
        if let Some(option) = restarts.or(sleeps)
            && !(line.is_persisted() && transport.starts_agent())
        {
            let problem = "needs a persisted session (`persist_session`) and a transport \
                           that starts the agent";
            return Err(Error::option(option, problem));
        }
        let mut cli = LocalVersion::new(transport.program(&line), &options);
        let version = match line.depends_on_version() {
            true => cli.query(&line).await,
            false => cli.known,
        };
        let without = match version {
            Some(version) => line.fit(version)?,
            None => Vec::new(),
        };
        if options.restart.is_some() {
            line.name_session(&Uuid::new_v4().to_string());
        }
        let member = options.group.as_ref().map(SessionGroup::join).transpose()?;
        let opening = async {
            let (opened, resumed) = match transport.starts_agent() {
                true => session::resume(&line, &options).await?,
                false => (
                    Cow::Borrowed(&line),
                    session::attach(&line, &options).await?,
                ),
            };
            let connection = transport.open(&opened, options.close);
            let connection = open_within(options.request_timeout, connection).await?;
            Ok((connection, opened, resumed))
        };
        let (connection, opened, resumed) = match &options.group {
            Some(group) => group.unless_closed(opening).await?,
            None => opening.await?,
        };
        let private = opened.private.clone();
        let opened = opened.into_owned();
        let starter = (transport.starts_agent()).then(|| Starter::new(transport, opened, &options));
        let connected = (connection, private, starter, member);
        Self::initialize(connected, resumed, options, line, cli, without).await
    }

    /// Sends `initialize` and checks the response.
    async fn initialize(
        (connection, private, starter, member): (
            Connection,
            PrivateFiles,
            Option<Starter>,
            Option<Member>,
        ),
        resumed: Known,
        options: Options,
        line: CommandLine,
        mut cli: LocalVersion,
        without: Vec<&'static str>,
    ) -> Result<Self, Error> {
        #[cfg_attr(
            not(feature = "mcp"),
            expect(unused_mut, reason = "only `mcp` changes it")
        )]
        let mut initialize = line.initialize.clone();
        let has_gates = options.callbacks.hooks.has_gates();
        #[cfg(feature = "mcp")]
        let (servers, timeout) = (options.mcp_servers.clone(), options.request_timeout);
        let (background, group) = (options.background_limit, options.group.clone());
        let session::Started {
            handle,
            mailbox,
            peers,
        } = session::start(
            connection,
            private,
            options,
            line.ignored.clone(),
            starter,
            resumed,
            line.written_session(),
        );
        if let Some(member) = member {
            member.connected(&handle, Arc::clone(&peers));
        }
        let mut client = Self {
            handle,
            mailbox,
            initialized: InitializeAnswer::default(),
            peers,
            background,
        };
        #[cfg(feature = "mcp")]
        crate::mcp::introduce(servers, &client.handle, timeout, &mut initialize).await;
        let initialized = client.handle.initialize(&initialize);
        let initialized = match &group {
            Some(group) => group.unless_closed(initialized).await,
            None => initialized.await,
        };
        match initialized {
            Ok(answer) => client.initialized = answer,
            // The CLI is ready. An invalid response is stored unparsed.
            Err(Error::InvalidResponse { payload, .. }) => {
                let members = payload.and_then(|payload| payload.read().ok());
                client.initialized.extra = members.unwrap_or_default();
            }
            Err(error) => {
                // The caller may be about to exit.
                client.abort().await;
                // The end reason is known once the mailbox has ended.
                let mut last_words = String::new();
                while let Some(event) = client.next().await {
                    if let Ok(Event::Frame(frame)) = event
                        && let Message::Result(result) = frame.message()
                    {
                        for error in result.errors.unwrap_or_default() {
                            last_words += &error;
                            last_words.push('\n');
                        }
                    }
                }
                let end = client.handle.link().end();
                last_words.push_str(&end.stderr);
                if let Some(session_id) = line.missing_session(&last_words) {
                    return Err(Error::NoSuchSession {
                        session_id: session_id.to_owned(),
                        message: last_words,
                    });
                }
                if let Some((option, needs)) = unsupported_option(&end.stderr) {
                    return Err(Error::TooOld {
                        option: Some(option.into()),
                        needs,
                        version: cli.query(&line).await,
                    });
                }
                return Err(client.start_up_error(error));
            }
        }
        let declared = client.handle.link().declared();
        if let Some(version) = &client.initialized.claude_code_version {
            declared.set_version(version);
        } else if let Some(version) = cli.known {
            declared.set_version(&version.to_string());
        }
        if has_gates && client.initialized.hooks_applied == Some(false) {
            client.abort().await;
            return Err(Error::NotApplied { option: "hooks" });
        }
        for option in without {
            drop(
                client
                    .link()
                    .command(Command::Notify(Notice::NotApplied { option })),
            );
        }
        for option in not_applied(&initialize, &client.initialized) {
            if option != PLUGINS {
                client.abort().await;
                return Err(Error::NotApplied { option });
            }
            // If the session has ended, its end is the better error.
            drop(
                client
                    .link()
                    .command(Command::Notify(Notice::NotApplied { option })),
            );
        }
        // Missing capabilities are reported again with the first turn.
        let capabilities = client.initialized.capabilities.as_deref();
        declared.add_capabilities(capabilities.unwrap_or_default());
        Ok(client)
    }

    /// Converts the error of the first request.
    fn start_up_error(&self, error: Error) -> Error {
        match error {
            Error::Request(failure) => Error::StartUp {
                failure,
                stderr: self.handle.link().end().stderr.clone(),
            },
            Error::NotSupported {
                subtype,
                refusal: Some(refusal),
                ..
            } => self.start_up_error(Error::from(RequestFailure::Refused { subtype, refusal })),
            error => error,
        }
    }

    /// Returns the response of the CLI to `initialize`.
    #[doc(alias = "get_server_info")]
    #[doc(alias = "initializationResult")]
    #[must_use]
    pub fn initialized(&self) -> &InitializeAnswer {
        &self.initialized
    }

    /// Returns the version of the CLI, from the response to `initialize`, from
    /// [`Options::cli_version`] or `--version`, or from the
    /// [`Init`](agentwire_protocol::message::Init) of the first turn, whichever comes first.
    ///
    /// Returns `None` before the first turn of a CLI such as 2.1.197, unless options depend on its
    /// version. [`Handle::capabilities`] lists what the agent declares beyond the features of the
    /// oldest version.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.handle.link().declared().version()
    }

    /// Returns the process ID of the CLI. `None` if agentwire did not spawn it
    /// ([`Client::connect_over`]).
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.peers.pid()
    }

    /// Returns a handle that can be cloned and sent to other tasks.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

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
        self.mailbox.next().await
    }

    /// Closes the session as [`Handle::close`] does. Nobody reads the client's stream meanwhile, so
    /// requests that only this stream has are denied
    /// ([`Options::requests_in_stream`]); to answer them, call [`Handle::close`] on a
    /// [handle](Client::handle). Remaining events can still be read afterwards.
    ///
    /// The runtime of the session must run meanwhile, or have been shut down.
    /// [`Client::abort`] needs no runtime.
    ///
    /// # Cancel safety
    ///
    /// Closing starts with this call, and continues if the future is dropped.
    #[doc(alias = "disconnect")]
    pub fn close(&mut self) -> CloseFuture<'_> {
        self.mailbox.refuse_requests();
        self.handle.close()
    }

    /// Ends the session immediately, as dropping the client does, and waits until all its processes
    /// have exited.
    ///
    /// Use it before the program exits, because the clean-up that a drop starts stops with the
    /// process. It does not wait for a [store](Options::session_store).
    ///
    /// # Cancel safety
    ///
    /// The shutdown continues if the future is dropped.
    pub async fn abort(&mut self) -> CloseReport {
        self.abandon(EndReason::Closed);
        let report = self.peers.closed().await.unwrap_or_default();
        let closer = &self.handle.link().closer;
        if let (None, Some(unlocked)) = (&closer.mirrored, closer.unlocked.get()) {
            unlocked.cancelled().await;
        }
        report
    }

    fn abandon(&self, reason: EndReason) {
        // The driver closes the CLI's input if its runtime still runs. The closer has its own
        // thread and does not need the driver.
        drop(self.handle.link().give_up(reason));
        self.peers.close(Box::new(|| ()));
    }

    /// Ends the session once it is idle and no background task has output pending. Does not wait.
    pub(crate) fn finish_when_idle(&self) {
        // The turn has no time limit: it may wait for a user.
        self.handle.finish(None, self.background);
    }

    pub(crate) fn mailbox_mut(&mut self) -> &mut Mailbox {
        &mut self.mailbox
    }

    /// Returns how the session ended.
    pub(crate) fn end(&self) -> Arc<SessionEnd> {
        self.handle.link().end()
    }
}

impl Deref for Client {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.abandon(EndReason::Dropped);
    }
}

impl Stream for Client {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.mailbox.poll_next(context)
    }
}
