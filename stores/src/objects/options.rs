//! Options of the store.

use std::time::Duration;

/// Options of [`Objects`](super::Objects).
///
/// ```
/// use agentwire_stores::objects::{ObjectsOptions, object_store::memory::InMemory};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = ObjectsOptions::new()
///     .prefix("tenants/crabs")
///     .timeout(Duration::from_secs(10))
///     .open(InMemory::new())
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ObjectsOptions {
    pub(super) prefix: String,
    pub(super) timeout: Duration,
}

impl Default for ObjectsOptions {
    fn default() -> Self {
        Self {
            prefix: "agentwire".to_owned(),
            timeout: Duration::from_secs(30),
        }
    }
}

impl ObjectsOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the prefix of all objects. It has one or more segments, separated by `/`. Default:
    /// `agentwire`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the timeout of each request, including the client's retries. Default: 30 seconds.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }
}
