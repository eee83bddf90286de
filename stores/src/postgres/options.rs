//! Options of the store.

use std::time::Duration;

/// Options of [`Postgres`](super::Postgres).
///
/// ```no_run
/// use agentwire_stores::postgres::PostgresOptions;
/// use std::time::Duration;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = PostgresOptions::new()
///     .schema("sessions")
///     .timeout(Duration::from_secs(10))
///     .connect("host=db.internal user=agents dbname=agents".parse()?)
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct PostgresOptions {
    pub(super) schema: String,
    pub(super) connections: usize,
    pub(super) timeout: Option<Duration>,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            schema: "agentwire".to_owned(),
            connections: 8,
            timeout: None,
        }
    }
}

impl PostgresOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the schema of the tables. A missing schema is created. Default: `agentwire`.
    pub fn schema(mut self, name: impl Into<String>) -> Self {
        self.schema = name.into();
        self
    }

    /// Sets the maximum number of connections that [`connect`](Self::connect) opens on demand.
    /// Further calls wait for a free connection. Default: 8.
    pub fn connections(mut self, max: usize) -> Self {
        self.connections = max.max(1);
        self
    }

    /// Sets the timeout of connecting and of each statement. Default: none. A call that takes
    /// longer fails with [`TimedOut`](super::PostgresError::TimedOut), and its connection is
    /// closed. The server may still execute the statement. To limit that, too, set
    /// `statement_timeout` in the configuration of the connections.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }
}
