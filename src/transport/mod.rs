//! Connections to agents.
//!
//! A session does not depend on how the agent is reached. [`LocalCli`] spawns the CLI as a
//! child of this process; [`Client::connect`](crate::Client::connect) uses it. [`Pipes`]
//! connects to an agent that is already running. For others, such as a container or a remote
//! host, implement [`Transport`] and pass it to
//! [`Client::connect_over`](crate::Client::connect_over).

mod child;
mod pipes;

pub use child::LocalCli;
pub use pipes::Pipes;

use crate::event::Error;
use crate::options::CommandLine;
use crate::process::{ClosePolicy, CloseReport};
use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// The agent's output.
pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// The agent's input.
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// A future returned by a [`Peer`].
pub type PeerFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Closes the agent's input. Any thread may call it.
pub type CloseInput = Box<dyn FnOnce() + Send>;

/// Connects to an agent.
///
/// If two pipes are enough, use [`Pipes`]. A transport that starts the agent itself passes on
/// the command line:
///
/// ```
/// use agentwire::options::CommandLine;
/// use agentwire::transport::{Connection, Pipes, Transport};
/// use agentwire::{ClosePolicy, Error};
/// use tokio::net::TcpStream;
///
/// /// An agent behind a socket, whose first line is its command line.
/// struct Remote(&'static str);
///
/// impl Transport for Remote {
///     async fn open(&mut self, line: &CommandLine, policy: ClosePolicy) -> Result<Connection, Error> {
///         use tokio::io::AsyncWriteExt;
///
///         let mut socket = TcpStream::connect(self.0).await.map_err(Error::transport)?;
///         let arguments = format!("{}\n", line.arguments.join(" "));
///         socket.write_all(arguments.as_bytes()).await.map_err(Error::transport)?;
///         Pipes::of(socket).open(line, policy).await
///     }
/// }
/// ```
pub trait Transport: Send + 'static {
    /// Opens the connection, and starts the agent if that is the transport's job. `line` is the
    /// validated command line, `policy` the time limits of closing. Called in the session's
    /// runtime, once for each process: with [`Options::restart`](crate::Options::restart) or
    /// [`Handle::sleep`](crate::Handle::sleep) there may be several, one after another. If a
    /// transport can be opened only once, return an error on the second call.
    ///
    /// Opening takes at most [`Options::request_timeout`](crate::Options::request_timeout). If a
    /// transport counts its agents, hold the permit in the [`Peer`]: the session drops the peer of a
    /// process once [`Peer::closed`] has returned, before the next call.
    ///
    /// A session that is resumed from a [store](crate::Options::session_store) is in a private
    /// folder on this machine: [`CommandLine::resumed_home`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future must clean up everything that it started.
    ///
    /// # Errors
    ///
    /// Any error that prevents the connection, created with [`Error::transport`]. Connecting
    /// returns it.
    fn open(
        &mut self,
        line: &CommandLine,
        policy: ClosePolicy,
    ) -> impl Future<Output = Result<Connection, Error>> + Send;

    /// Returns whether the agent is started with the command line. If not, no session is loaded
    /// from a store.
    fn starts_agent(&self) -> bool {
        true
    }

    /// Returns the CLI if the transport starts one on this machine. It may also be started to query
    /// its version.
    fn program(&self, line: &CommandLine) -> Option<PathBuf> {
        let _ = line;
        None
    }
}

/// An open connection to an agent.
#[non_exhaustive]
pub struct Connection {
    /// The agent's output.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// The agent's input. It is shut down before it is dropped.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// The agent's standard error, if available.
    pub stderr: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// Controls the agent itself.
    pub peer: Arc<dyn Peer>,
    /// Whether the peer owns the private files until the agent has exited.
    pub(crate) owns_files: bool,
    /// The environment variables that can stop the agent.
    pub(crate) suspects: Vec<String>,
}

impl Connection {
    /// Creates a connection from the agent's output and input.
    pub fn new(
        output: impl AsyncRead + Send + Unpin + 'static,
        input: impl AsyncWrite + Send + Unpin + 'static,
        peer: impl Peer,
    ) -> Self {
        Self {
            output: Box::new(output),
            input: Box::new(input),
            stderr: None,
            peer: Arc::new(peer),
            owns_files: false,
            suspects: Vec::new(),
        }
    }

    /// Adds the agent's standard error.
    #[must_use]
    pub fn stderr(mut self, stderr: impl AsyncRead + Send + Unpin + 'static) -> Self {
        self.stderr = Some(Box::new(stderr));
        self
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("peer", &self.peer)
            .finish_non_exhaustive()
    }
}

/// Controls an agent: reports its exit, and closes it.
///
/// No method may block. Any thread may call them, outside a runtime and while the session's
/// runtime shuts down.
pub trait Peer: fmt::Debug + Send + Sync + 'static {
    /// Returns the agent's process ID, if it is a process of this system.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Returns the value of `AGENTWIRE_SESSION` in the environment of the agent and its
    /// descendants, if set.
    fn mark(&self) -> Option<&str> {
        None
    }

    /// Waits until the agent has exited, even if another process has its output open. Returns its
    /// exit status if known. Must be cancel safe.
    fn exited(&self) -> PeerFuture<'_, Option<ExitStatus>>;

    /// Handles the end of the agent's output. If nothing else is known about the agent, this counts
    /// as its exit.
    fn output_ended(&self) {}

    /// Handles the start of the session. If the agent is closed by anything but the session, call
    /// `close_input` to close its input.
    fn attached(&self, close_input: CloseInput) {
        drop(close_input);
    }

    /// Starts closing the agent: calls `close_input`, waits for the agent to exit, and kills it if
    /// necessary and possible. Returns immediately. Called at least once. From the second call on,
    /// only calls `close_input`.
    fn close(&self, close_input: CloseInput);

    /// Kills the agent and its descendants immediately. Called after [`Peer::close`] if another
    /// host owns the session. The default implementation does nothing: the agent is only closed.
    fn kill(&self) {}

    /// Waits for the report of closing, whether or not closing has started. Returns `None` if there
    /// will be none. A report with [`CloseStep::StillAlive`](crate::process::CloseStep::StillAlive)
    /// ends the session. Must be cancel safe.
    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>>;

    /// Returns whether closing killed the agent, so that its exit status is meaningless.
    fn was_signalled(&self) -> bool {
        false
    }
}
