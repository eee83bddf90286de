//! Options of the store.

use std::time::Duration;

/// Options of [`Redis`](super::Redis).
///
/// ```no_run
/// use agentwire_stores::redis::{RedisOptions, redis};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = redis::Client::open("redis://redis.internal/")?;
/// let store = RedisOptions::new().prefix("sessions").connect(client).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct RedisOptions {
    pub(super) prefix: String,
    pub(super) timeout: Duration,
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self {
            prefix: "agentwire".to_owned(),
            timeout: Duration::from_secs(5),
        }
    }
}

impl RedisOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the prefix of all keys, which precedes a `:`. Default: `agentwire`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the timeout of connecting and of each command. Default: 5 seconds.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }
}
