//! How the store is configured.

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

    /// Sets the schema of the tables. The default is `agentwire`. It is created if it
    /// does not exist.
    pub fn schema(mut self, name: impl Into<String>) -> Self {
        self.schema = name.into();
        self
    }

    /// Sets how many connections [`connect`](Self::connect) opens at most. The default
    /// is 8. They are opened when they are needed. A call waits for a free one.
    pub fn connections(mut self, most: usize) -> Self {
        self.connections = most.max(1);
        self
    }

    /// Sets the timeout for a connection and for each statement. By default there is
    /// none. A call that takes longer fails with
    /// [`TimedOut`](super::PostgresError::TimedOut), and its connection is closed. The
    /// server may still execute the statement; to limit that as well, set
    /// `statement_timeout` in the configuration of the connections.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }
}
