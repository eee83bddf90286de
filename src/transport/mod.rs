//! Connections to agents.
//!
//! A session is independent of how the agent is reached. [`LocalCli`] spawns
//! the CLI as a child of this process;
//! [`Client::connect`](crate::Client::connect) uses it. [`Pipes`] connects to
//! an agent that is already running. For others, such as a container or a
//! remote host, implement [`Transport`] and pass it to
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

/// Closes the agent's input. May be called on any thread.
pub type CloseInput = Box<dyn FnOnce() + Send>;

/// Connects to an agent.
///
/// If two pipes are enough, use [`Pipes`]. A transport that starts the agent
/// itself passes the command line on:
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
    /// Opens the connection, and starts the agent if that is the transport's
    /// job. `line` is the validated command line, `policy` the limits for
    /// closing. Called in the runtime of the session, for each process that it
    /// has: with [`Options::restart`](crate::Options::restart) or
    /// [`Handle::sleep`](crate::Handle::sleep) there may be several, one after the
    /// other. A transport that cannot be opened twice returns an error the second
    /// time.
    ///
    /// If the session is resumed from a
    /// [store](crate::Options::session_store), it is in a private folder on this
    /// machine, which the command line names
    /// ([`CommandLine::resumed_home`]).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, everything that it started must be cleaned up.
    ///
    /// # Errors
    ///
    /// Any error that prevents the connection; create it with
    /// [`Error::transport`]. Connecting returns it.
    fn open(
        &mut self,
        line: &CommandLine,
        policy: ClosePolicy,
    ) -> impl Future<Output = Result<Connection, Error>> + Send;

    /// Returns whether the transport starts the agent, or has it started, with
    /// the command line. If not, no session is loaded from a store.
    fn starts_agent(&self) -> bool {
        true
    }

    /// Returns the CLI if the transport starts one on this machine. It may be
    /// started once more than for the session, to query its version.
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
    /// Whether the peer keeps the private files until the agent is gone.
    pub(crate) keeps_files: bool,
    /// The variables of the agent's environment that can stop it.
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
            keeps_files: false,
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
/// No method may block. All of them may be called on any thread, outside a
/// runtime, and while the session's runtime shuts down.
pub trait Peer: fmt::Debug + Send + Sync + 'static {
    /// Returns the agent's process ID, if it is a process of this system.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Returns the value of `AGENTWIRE_SESSION` in the environment of the agent and of all
    /// that it starts, if it has one.
    fn mark(&self) -> Option<&str> {
        None
    }

    /// Waits until the agent has exited, even if another process holds its
    /// output open. Returns its exit status if known. Must be cancel safe.
    fn exited(&self) -> PeerFuture<'_, Option<ExitStatus>>;

    /// Called when the agent's output has ended. If nothing else is known about
    /// the agent, this counts as its exit.
    fn output_ended(&self) {}

    /// Called when the session starts. Call `close_input` to close the agent's
    /// input when the agent is closed by something other than the session.
    fn attached(&self, close_input: CloseInput) {
        drop(close_input);
    }

    /// Starts closing the agent: calls `close_input`, waits for the agent to
    /// exit, and ends it by force if possible. Returns immediately. Called at
    /// least once, and possibly many times. From the second call on it only
    /// calls `close_input`.
    fn close(&self, close_input: CloseInput);

    /// Ends the agent and all that it has started by force, without giving them time. Called
    /// after [`Peer::close`], if the session is another host's by now. Does nothing by
    /// default: the agent is only closed.
    fn kill(&self) {}

    /// Waits for the report of closing, whether or not closing has started.
    /// Returns `None` if there will be none. A report with
    /// [`CloseStep::StillAlive`](crate::process::CloseStep::StillAlive) ends the
    /// session. Must be cancel safe.
    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>>;

    /// Returns whether closing ended the agent by force, so that its exit
    /// status is meaningless.
    fn was_signalled(&self) -> bool {
        false
    }
}
