//! A conversation with an agent.

mod attach;
mod introspection;
mod local_version;
mod query;
mod views;

pub use attach::{attach, attach_up_to};
pub use query::{Query, prompt, query};

use crate::command::Command;
use crate::event::{EndReason, Error, Event, Mailbox, Notice, SessionEnd};
use crate::handle::Handle;
use crate::options::{CommandLine, Options, PLUGINS, not_applied, unsupported_option};
use crate::process::CloseReport;
use crate::session::{self, Connection, LocalCli, Peer, Transport};
use agentwire_protocol::control::InitializeAnswer;
use agentwire_protocol::host::RequestFailure;
use futures_core::Stream;
use local_version::LocalVersion;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A conversation with an agent.
///
/// The client owns the session: when it is dropped, the session ends, and
/// everything that it started goes. Sending and asking is done through its
/// [`Handle`], whose methods it has as well; [`Client::handle`] gives one that
/// can be cloned and sent anywhere, and does not keep the session alive.
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
    peer: Arc<dyn Peer>,
    /// Cancelled when nothing more goes to the store, if there is one.
    mirrored: Option<CancellationToken>,
    /// How long a turn may go on once the session is to be closed.
    finish: Duration,
    /// How long a query goes on for what runs in the background.
    background: Duration,
}

impl Client {
    /// Starts the CLI and waits until it answered the first request.
    ///
    /// Requires a tokio runtime with I/O and time enabled; a current-thread
    /// runtime is enough.
    ///
    /// # Errors
    ///
    /// [`Error::NoRuntime`] outside of a tokio runtime; [`Error::Option`] as
    /// [`Options::command_line`] says;
    /// [`Error::CliNotFound`] and [`Error::Spawn`] when there is nothing to
    /// start; [`Error::Ended`] with the exit status and the end of standard
    /// error when the CLI exits at once; [`Error::TooOld`] when it does not
    /// support an option; [`Error::StartUp`] when it does not
    /// answer, or refuses; [`Error::NotApplied`] when it does without something
    /// that the session relies on; [`Error::SessionStore`] and
    /// [`Error::PrivateFile`] when a session cannot go on from its
    /// [store](Options::session_store).
    /// The CLI is gone when the error is there.
    ///
    /// When the future is dropped before it is ready, the CLI is ended as if
    /// the client had been dropped.
    ///
    /// # Panics
    ///
    /// If the runtime has no timers or no I/O. A CLI that was spawned by then is
    /// ended as if the client had been dropped.
    pub async fn connect(options: Options) -> Result<Self, Error> {
        Self::connect_over(LocalCli, options).await
    }

    /// Talks to an agent that is reached by this way: [`Pipes`] to one that
    /// somebody else has started, in a container, over ssh, in a test; or a
    /// [`Transport`] of one's own. Waits until it answered the first request.
    ///
    /// [`Pipes`]: crate::Pipes
    ///
    /// # Errors
    ///
    /// As [`Client::connect`], what concerns the start of a process excepted;
    /// what the transport says when it cannot be opened.
    pub async fn connect_over(transport: impl Transport, options: Options) -> Result<Self, Error> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Error::NoRuntime);
        }
        // Panics without timers, before anything is spawned.
        drop(tokio::time::sleep(Duration::ZERO));
        let mut line = options.assemble()?;
        let mut cli = LocalVersion::new(transport.program(&line), &options);
        let mut without = Vec::new();
        if line.depends_on_version()
            && let Some(version) = cli.ask(&line).await
        {
            without = line.fit(version)?;
        }
        let connection = transport.open(&line, options.close).await?;
        Self::greet(connection, options, line, cli, without).await
    }

    /// Makes the first request.
    async fn greet(
        connection: Connection,
        options: Options,
        line: CommandLine,
        mut cli: LocalVersion,
        without: Vec<&'static str>,
    ) -> Result<Self, Error> {
        #[cfg_attr(not(feature = "mcp"), expect(unused_mut, reason = "nobody adds to it"))]
        let mut initialize = line.initialize.clone();
        let has_gates = options.callbacks.hooks.has_gates();
        #[cfg(feature = "mcp")]
        let (servers, patience) = (options.mcp_servers.clone(), options.request_timeout);
        let finish = options.close.finish;
        let background = options.background_limit;
        let session::Started {
            handle,
            mailbox,
            peer,
            mirrored,
        } = session::start(connection, options, line.ignored.clone());
        let mut client = Self {
            handle,
            mailbox,
            initialized: InitializeAnswer::default(),
            peer,
            mirrored,
            finish,
            background,
        };
        #[cfg(feature = "mcp")]
        crate::mcp::introduce(servers, &client.handle, patience, &mut initialize).await;
        match client.handle.initialize(&initialize).await {
            Ok(answer) => client.initialized = answer,
            // The CLI is ready; what it says of itself is odd, and kept.
            Err(Error::InvalidResponse { payload, .. }) => {
                let members = payload.and_then(|payload| payload.read().ok());
                client.initialized.extra = members.unwrap_or_default();
            }
            Err(error) => {
                // Whoever gets this error may be about to exit.
                client.abort().await;
                // The end of the mailbox is where the session's end is known.
                while client.next().await.is_some() {}
                let end = client.handle.link().end();
                if let Some((option, needs)) = unsupported_option(&end.stderr) {
                    return Err(Error::TooOld {
                        option: option.into(),
                        needs,
                        version: cli.ask(&line).await,
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
                    .command(Command::Tell(Notice::NotApplied { option })),
            );
        }
        for option in not_applied(&initialize, &client.initialized) {
            if option != PLUGINS {
                client.abort().await;
                return Err(Error::NotApplied { option });
            }
            // When the session is over, its end says more.
            drop(
                client
                    .link()
                    .command(Command::Tell(Notice::NotApplied { option })),
            );
        }
        // What the answer does not say is said again when the first turn begins.
        let capabilities = client.initialized.capabilities.as_deref();
        declared.add_capabilities(capabilities.unwrap_or_default());
        Ok(client)
    }

    /// What a request that failed says of the start of the CLI.
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

    /// What the CLI said it is and has.
    #[doc(alias = "get_server_info")]
    #[doc(alias = "initializationResult")]
    #[must_use]
    pub fn initialized(&self) -> &InitializeAnswer {
        &self.initialized
    }

    /// Returns the CLI's version: that of its answer to `initialize`, that of
    /// [`Options::cli_version`] or `--version`, or that of its first turn's
    /// [`Init`](agentwire_protocol::message::Init), whichever comes first.
    /// `None` before the first turn of a CLI such as 2.1.197, unless options
    /// depend on its version. What it can do beyond the oldest one is in
    /// [`Handle::capabilities`].
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.handle.link().declared().version()
    }

    /// The process id of the CLI. `None` when it was somebody else who started
    /// it ([`Client::connect_over`]).
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.peer.pid()
    }

    /// A handle that can be cloned and sent anywhere.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// What the session delivers next; the error that ended it, once; then
    /// `None`. Cancel safe: nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.mailbox.next().await
    }

    /// Ends the session: takes nothing new, writes what waits, lets the turn
    /// that runs come to its end (for as long as
    /// [`ClosePolicy`](crate::ClosePolicy) says), closes the CLI's input, and
    /// sees to it that everything that the session started goes, and that its
    /// [store](Options::session_store) gets what is left. What the session still
    /// delivers can be read afterwards.
    ///
    /// When the future is dropped the closing goes on.
    ///
    /// The runtime on which the session was started has to run meanwhile, or
    /// be gone; [`Client::abort`] needs none.
    #[doc(alias = "disconnect")]
    pub async fn close(&mut self) -> CloseReport {
        self.finish(Some(self.finish), Duration::ZERO);
        let report = self.peer.closed().await.unwrap_or_default();
        if let Some(mirrored) = &self.mirrored {
            mirrored.cancelled().await;
        }
        report
    }

    /// Ends the session now, as dropping the client does, and waits until
    /// everything that it started has gone. For a program that is about to
    /// exit: nothing that a drop has begun goes on after that. A
    /// [store](Options::session_store) is not waited for.
    ///
    /// When the future is dropped the ending goes on.
    pub async fn abort(&mut self) -> CloseReport {
        self.abandon(EndReason::Closed);
        self.peer.closed().await.unwrap_or_default()
    }

    fn abandon(&self, reason: EndReason) {
        // The driver lets go of the CLI's input, if its runtime still runs.
        // The closer does not need it: it is a thread of its own.
        drop(self.handle.link().give_up(reason));
        self.peer.close(Box::new(|| ()));
    }

    /// Ends the session when it is idle and nothing runs in the background of
    /// which the agent would tell something; does not wait for it.
    pub(crate) fn finish_when_idle(&self) {
        // However long the turn takes: it may wait for a person.
        self.finish(None, self.background);
    }

    fn finish(&self, within: Option<Duration>, background: Duration) {
        let command = Command::Finish { within, background };
        if self.handle.link().command(command).is_err() {
            // Nobody drives the session any more.
            self.peer.close(Box::new(|| ()));
        }
    }

    pub(crate) fn mailbox_mut(&mut self) -> &mut Mailbox {
        &mut self.mailbox
    }

    /// How the session ended.
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
