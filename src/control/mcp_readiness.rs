//! Waiting for MCP servers to connect.

use crate::event::Error;
use crate::handle::Handle;
use agentwire_protocol::control::{HostRequest, McpStatus};
use agentwire_protocol::host::RequestFailure;
use agentwire_protocol::mcp::{McpConnection, McpServerStatus};
use agentwire_protocol::sorted::SortedMap;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// The first pause between two requests. Each one is twice as long as the one
/// before.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The maximum wait: an `Instant` much later may overflow.
const LONGEST_WAIT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The status of MCP servers at the end of [`Handle::await_mcp_ready`].
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct McpReadiness {
    /// The status of each awaited server that the agent knows.
    pub servers: Vec<McpServerStatus>,
    /// Names of awaited servers that the agent does not know.
    pub unknown: Vec<String>,
}

impl McpReadiness {
    /// Returns whether every server is connected.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.unknown.is_empty()
            && self.with(&McpConnection::Connected).count() == self.servers.len()
    }

    /// Returns the servers that failed to connect, or lost their connection.
    pub fn failed(&self) -> impl Iterator<Item = &McpServerStatus> {
        self.with(&McpConnection::Failed)
    }

    /// Returns the servers that were still connecting when the time was up.
    pub fn pending(&self) -> impl Iterator<Item = &McpServerStatus> {
        self.with(&McpConnection::Pending)
    }

    /// Returns the servers that require the user to log in.
    pub fn need_login(&self) -> impl Iterator<Item = &McpServerStatus> {
        self.with(&McpConnection::NeedsAuth)
    }

    fn with(&self, status: &McpConnection) -> impl Iterator<Item = &McpServerStatus> {
        let is_it = move |server: &&McpServerStatus| server.status == *status;
        self.servers.iter().filter(is_it)
    }

    /// Selects the awaited servers: those in `names`, and others if `all`.
    fn of(mut servers: Vec<McpServerStatus>, mut names: SortedMap<String, ()>, all: bool) -> Self {
        servers.retain(|server| all || names.contains_key(&*server.name));
        for server in &servers {
            names.remove(&server.name);
        }
        Self {
            unknown: names.keys().cloned().collect(),
            servers,
        }
    }

    /// Returns whether waiting longer would change nothing.
    fn is_settled(&self) -> bool {
        self.unknown.is_empty() && self.pending().next().is_none()
    }
}

/// # Waiting for MCP servers
///
/// The CLI does not report when a server has connected. These methods poll:
/// after 50 ms, then at growing intervals of up to one second.
impl Handle {
    /// Waits until no MCP server is connecting any more, for at most `within`.
    /// Returns the status of each server. Servers that failed, or are not ready
    /// in time, are not an error.
    ///
    /// It waits for all servers that the agent lists, and for those that the
    /// host configured: in-process servers, and the servers of
    /// [`Options::mcp_servers`](crate::Options::mcp_servers) and of the last
    /// [`Handle::mcp_set_servers`]. CLI 2.1.332 lists an in-process server only
    /// once it is connected, which may take seconds.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// use std::time::Duration;
    ///
    /// let servers = client.await_mcp_ready(Duration::from_secs(10)).await?;
    /// for server in servers.failed() {
    ///     println!("{}: {}", server.name, server.error.as_deref().unwrap_or("no reason"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Handle::mcp_status`], and [`RequestFailure::TimedOut`] if not even
    /// the first request was answered in time.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it changes nothing.
    pub async fn await_mcp_ready(&self, within: Duration) -> Result<McpReadiness, Error> {
        self.await_servers(None, within).await
    }

    /// Waits until the named MCP servers have connected or failed, regardless
    /// of other servers; otherwise as [`Handle::await_mcp_ready`]. A server
    /// that the agent does not know is awaited too: it may be added.
    ///
    /// # Errors
    ///
    /// As [`Handle::await_mcp_ready`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it changes nothing.
    pub async fn await_mcp_servers(
        &self,
        names: &[&str],
        within: Duration,
    ) -> Result<McpReadiness, Error> {
        self.await_servers(Some(names), within).await
    }

    async fn await_servers(
        &self,
        names: Option<&[&str]>,
        within: Duration,
    ) -> Result<McpReadiness, Error> {
        let within = within.min(LONGEST_WAIT);
        let until = Instant::now() + within;
        let mut last = None;
        let mut pause = FIRST_PAUSE;
        loop {
            let Ok(answer) = timeout_at(until, self.mcp_status()).await else {
                return last.ok_or_else(|| timeout_before_first_status(within));
            };
            let awaited = match names {
                Some(names) => names.iter().map(|&name| (name.to_owned(), ())).collect(),
                None => self.link().declared().configured.servers(),
            };
            let servers = McpReadiness::of(answer?.mcp_servers, awaited, names.is_none());
            let rest = until.saturating_duration_since(Instant::now());
            if servers.is_settled() || rest < FIRST_PAUSE {
                return Ok(servers);
            }
            last = Some(servers);
            // Leaves time for a response after the last pause.
            sleep(pause.min(rest / 2)).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

fn timeout_before_first_status(within: Duration) -> Error {
    Error::from(RequestFailure::TimedOut {
        subtype: McpStatus::SUBTYPE.into(),
        after: within,
    })
}
