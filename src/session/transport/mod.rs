//! The way to an agent: bytes in, bytes out, and an end.
//!
//! A session does not know what it runs over. [`LocalCli`] starts the CLI as a
//! child of this process, and is what [`Client::connect`](crate::Client::connect)
//! takes; [`Pipes`] are any two pipes to an agent that is there already. Another
//! way (a container, a remote host) is another [`Transport`], which
//! [`Client::connect_over`](crate::Client::connect_over) takes.

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

/// What the agent writes.
pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// What the agent reads.
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// A future that a [`Peer`] gives.
pub type PeerFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Closes the agent's input; may be called on any thread.
pub type CloseInput = Box<dyn FnOnce() + Send>;

/// A way to an agent.
///
/// A transport that needs nothing but two pipes is [`Pipes`]. One that starts
/// the agent itself, somewhere, passes on what it is started with:
///
/// ```
/// use agentwire::{ClosePolicy, CommandLine, Connection, Error, Pipes, Transport};
/// use tokio::net::TcpStream;
///
/// /// An agent behind a socket, whose first line is what it is started with.
/// struct Remote(&'static str);
///
/// impl Transport for Remote {
///     async fn open(self, line: &CommandLine, policy: ClosePolicy) -> Result<Connection, Error> {
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
    /// Opens the way, and starts the agent where that is the transport's
    /// business. `line` is what the options come to, and `policy` how long the
    /// steps of closing may take. It is called once, inside the runtime on
    /// which the session will run.
    ///
    /// When the future is dropped, what it has started is to go as well.
    ///
    /// # Errors
    ///
    /// Whatever keeps the agent from being reached: [`Error::transport`] makes
    /// one of any error. It is what connecting returns.
    fn open(
        self,
        line: &CommandLine,
        policy: ClosePolicy,
    ) -> impl Future<Output = Result<Connection, Error>> + Send;

    /// The CLI that it starts on this machine, if it does. It may be started
    /// once more than for the session, to ask it for its version.
    fn program(&self, line: &CommandLine) -> Option<PathBuf> {
        let _ = line;
        None
    }
}

/// A way that is open.
#[non_exhaustive]
pub struct Connection {
    /// What the agent writes.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// What the agent reads. It is shut down before it is dropped.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// What the agent complains of, where that can be heard.
    pub stderr: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// The agent itself.
    pub peer: Arc<dyn Peer>,
}

impl Connection {
    /// A way of two pipes and what is behind them.
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
        }
    }

    /// Adds what the agent complains of.
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

/// The agent behind the pipes: when it is gone, and how it is made to go.
///
/// Nothing here may block. All of it may be called on any thread, outside a
/// runtime as well, and while the one of the session shuts down.
pub trait Peer: fmt::Debug + Send + Sync + 'static {
    /// The agent's process id, if it is a process of this system.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Waits until the agent is gone, whoever may still hold its output open;
    /// gives its exit status, if that can be known. Dropping the future has to
    /// change nothing.
    fn gone(&self) -> PeerFuture<'_, Option<ExitStatus>>;

    /// The agent's output has ended. For one of which no more can be seen that
    /// is its end.
    fn output_ended(&self) {}

    /// Is called when the session begins: `close_input` is what an end that
    /// does not come from the session itself has the agent's input closed by.
    fn attached(&self, close_input: CloseInput) {
        drop(close_input);
    }

    /// Begins to end the agent: calls `close_input`, waits for it to go, helps
    /// along as far as that is possible. Returns at once. It is called at least
    /// once, and then often; from the second time on it calls `close_input` and
    /// does no more.
    fn close(&self, close_input: CloseInput);

    /// The report of the close that somebody has begun, or will begin. `None`
    /// when there will be none. A report with
    /// [`CloseStep::StillAlive`](crate::CloseStep::StillAlive) ends the
    /// session. Dropping the future has to change nothing.
    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>>;

    /// Whether closing has made the agent go by force, so that its exit status
    /// says nothing of it.
    fn was_signalled(&self) -> bool {
        false
    }
}
