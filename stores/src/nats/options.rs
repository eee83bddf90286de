//! Options of the store.

use std::time::Duration;

/// Options of [`Nats`](super::Nats).
///
/// ```no_run
/// use agentwire_stores::nats::{NatsOptions, async_nats};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = async_nats::connect("nats.internal:4222").await?;
/// let store = NatsOptions::new()
///     .prefix("sessions")
///     .replicas(3)
///     .connect(client)
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct NatsOptions {
    pub(super) prefix: String,
    pub(super) replicas: usize,
    pub(super) in_memory: bool,
    pub(super) domain: Option<String>,
    pub(super) timeout: Duration,
}

impl Default for NatsOptions {
    fn default() -> Self {
        Self {
            prefix: "agentwire".to_owned(),
            replicas: 1,
            in_memory: false,
            domain: None,
            timeout: Duration::from_secs(5),
        }
    }
}

impl NatsOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the stream, which is also the prefix of its subjects. It has up to 32 ASCII
    /// letters, digits, `-` and `_`. Default: `agentwire`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the number of replicas in a cluster: 1, 3 or 5. Default: 1. The number is used only
    /// when the stream is created.
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.replicas = replicas;
        self
    }

    /// Stores the stream in the memory of the servers. By default, it is stored in files. The
    /// choice is used only when the stream is created.
    pub fn in_memory(mut self) -> Self {
        self.in_memory = true;
        self
    }

    /// Sets the JetStream domain. Default: the server's domain.
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Sets the timeout of each request: at most a day. Default: 5 seconds.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit.min(Duration::from_secs(24 * 60 * 60));
        self
    }
}
