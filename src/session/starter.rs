//! Starting the agent's processes of a session.

use crate::event::Error;
use crate::handle::Handle;
#[cfg(feature = "mcp")]
use crate::mcp::SharedServer;
use crate::options::{CommandLine, Options, PrivateFiles};
use crate::process::ClosePolicy;
use crate::transport::{Connection, Transport};
use agentwire_protocol::control::Initialize;
#[cfg(feature = "mcp")]
use agentwire_protocol::sorted::SortedMap;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::timeout;

type Opening<'a> = Pin<Box<dyn Future<Output = Result<Connection, Error>> + Send + 'a>>;

/// Waits for a connection, at most this long.
pub(crate) async fn open_within(
    limit: Duration,
    opening: impl Future<Output = Result<Connection, Error>>,
) -> Result<Connection, Error> {
    match timeout(limit, opening).await {
        Ok(opened) => opened,
        Err(_) => Err(Error::transport(format!(
            "it did not open within {limit:?} (`Options::request_timeout`)"
        ))),
    }
}

/// A transport of any type.
trait Open: Send {
    fn open_any<'a>(&'a mut self, line: &'a CommandLine, policy: ClosePolicy) -> Opening<'a>;
}

impl<T: Transport> Open for T {
    fn open_any<'a>(&'a mut self, line: &'a CommandLine, policy: ClosePolicy) -> Opening<'a> {
        Box::pin(self.open(line, policy))
    }
}

/// Starts the agent's processes of a session, one after another.
pub(crate) struct Starter {
    transport: Box<dyn Open>,
    /// The command line of the first process.
    pub(super) line: CommandLine,
    policy: ClosePolicy,
    timeout: Duration,
    #[cfg(feature = "mcp")]
    servers: SortedMap<String, SharedServer>,
}

/// A started process, and its first request.
pub(super) struct Opened {
    pub(super) connection: Connection,
    pub(super) initialize: Initialize,
    pub(super) private: PrivateFiles,
}

impl Starter {
    pub(crate) fn new(transport: impl Transport, line: CommandLine, options: &Options) -> Self {
        Self {
            transport: Box::new(transport),
            line,
            policy: options.close,
            timeout: options.request_timeout,
            #[cfg(feature = "mcp")]
            servers: options.mcp_servers.clone(),
        }
    }

    /// Starts a process, and new in-process servers. Dropping the future cleans up.
    pub(super) async fn start(
        mut self,
        line: CommandLine,
        session: Handle,
    ) -> (Self, Result<Opened, Error>) {
        let opening = self.transport.open_any(&line, self.policy);
        let connection = match open_within(self.timeout, opening).await {
            Ok(connection) => connection,
            Err(error) => return (self, Err(error)),
        };
        #[cfg_attr(
            not(feature = "mcp"),
            expect(unused_mut, reason = "only `mcp` changes it")
        )]
        let mut initialize = line.initialize.clone();
        #[cfg(feature = "mcp")]
        {
            let servers = self.servers.clone();
            crate::mcp::introduce(servers, &session, self.timeout, &mut initialize).await;
        }
        #[cfg(not(feature = "mcp"))]
        drop(session);
        let opened = Opened {
            connection,
            initialize,
            private: line.private,
        };
        (self, Ok(opened))
    }

    /// Returns the timeout of the first request.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }
}

impl fmt::Debug for Starter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Starter").finish_non_exhaustive()
    }
}
