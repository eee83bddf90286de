//! Waiting for MCP servers to be connected.

use crate::event::Error;
use crate::handle::Handle;
use agentwire_protocol::control::{HostRequest, McpStatus};
use agentwire_protocol::host::RequestFailure;
use agentwire_protocol::mcp::{McpConnection, McpServerStatus};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// How soon it is asked again, at first. Each time it takes twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// How long it may take.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How long is waited at most: no clock can say what comes later.
const LONGEST_WAIT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How the MCP servers were when the waiting for them ended.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct McpReadiness {
    /// The servers that were waited for, as far as the agent knows them.
    pub servers: Vec<McpServerStatus>,
    /// Servers that were named and that the agent does not know.
    pub unknown: Vec<String>,
}

impl McpReadiness {
    /// Whether every server is connected.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.unknown.is_empty()
            && self.with(&McpConnection::Connected).count() == self.servers.len()
    }

    /// The servers that could not be connected to, or are not connected any
    /// more.
    pub fn failed(&self) -> impl Iterator<Item = &McpServerStatus> {
        self.with(&McpConnection::Failed)
    }

    /// The servers that were still being connected to when the time was over.
    pub fn pending(&self) -> impl Iterator<Item = &McpServerStatus> {
        self.with(&McpConnection::Pending)
    }

    /// The servers that want the user to log in.
    pub fn need_login(&self) -> impl Iterator<Item = &McpServerStatus> {
        self.with(&McpConnection::NeedsAuth)
    }

    fn with(&self, status: &McpConnection) -> impl Iterator<Item = &McpServerStatus> {
        let is_it = move |server: &&McpServerStatus| server.status == *status;
        self.servers.iter().filter(is_it)
    }

    /// What of these servers is waited for: all, or those that are named.
    fn of(mut servers: Vec<McpServerStatus>, names: Option<&[&str]>) -> Self {
        let Some(names) = names else {
            return Self {
                servers,
                unknown: vec![],
            };
        };
        servers.retain(|server| names.contains(&&*server.name));
        let is_unknown = |name: &&&str| servers.iter().all(|server| server.name != **name);
        let unknown = names.iter().filter(is_unknown);
        Self {
            unknown: unknown.map(|&name| name.to_owned()).collect(),
            servers,
        }
    }

    /// Whether nothing more will come of waiting.
    fn is_settled(&self) -> bool {
        self.unknown.is_empty() && self.pending().next().is_none()
    }
}

/// # Waiting for MCP servers
///
/// The CLI says nothing when a server is connected, so it is asked: after
/// 50 ms, then less and less often, and once a second in the end.
impl Handle {
    /// Waits until no MCP server is being connected to any more, or for as
    /// long as `within` says. The answer tells the servers apart: those that
    /// failed are no error, nor are those that were not ready in time.
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
    /// As [`Handle::mcp_status`]; with
    /// [`RequestFailure::TimedOut`] when not even the first question was
    /// answered in time.
    pub async fn await_mcp_ready(&self, within: Duration) -> Result<McpReadiness, Error> {
        self.await_servers(None, within).await
    }

    /// Waits until these MCP servers are connected or have failed, whatever
    /// others do; as [`Handle::await_mcp_ready`] otherwise. A server that the
    /// agent does not know is waited for: it may come yet.
    ///
    /// # Errors
    ///
    /// As [`Handle::await_mcp_ready`].
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
                return last.ok_or_else(|| not_even_once(within));
            };
            let servers = McpReadiness::of(answer?.mcp_servers, names);
            let rest = until.saturating_duration_since(Instant::now());
            if servers.is_settled() || rest < FIRST_PAUSE {
                return Ok(servers);
            }
            last = Some(servers);
            // There is time left to be answered after the last pause.
            sleep(pause.min(rest / 2)).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

fn not_even_once(within: Duration) -> Error {
    Error::from(RequestFailure::TimedOut {
        subtype: McpStatus::SUBTYPE.into(),
        after: within,
    })
}
