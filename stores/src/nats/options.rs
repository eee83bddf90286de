//! How the store is configured.

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

    /// Sets the name of the stream, with which all its subjects begin. The default is
    /// `agentwire`. It has up to 32 ASCII letters, digits, `-` and `_`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets how many servers of a cluster keep the stream: 1, 3 or 5. The default
    /// is 1. Used when the stream is created; an existing stream is not changed.
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.replicas = replicas;
        self
    }

    /// Keeps the stream in the memory of the servers. The default is in files. Used when
    /// the stream is created.
    pub fn in_memory(mut self) -> Self {
        self.in_memory = true;
        self
    }

    /// Sets the JetStream domain. The default is that of the server.
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Sets how long a request waits for its response. The default is 5 seconds.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }
}
