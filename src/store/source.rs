//! The store that a session may be resumed from.

use super::SharedStore;
use std::time::Duration;

/// A store, and the timeout of its responses.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) store: SharedStore,
    pub(crate) limit: Duration,
    /// Whether a session is resumed of which entries are missing.
    pub(crate) allows_holes: bool,
    /// Whether the session has to be in the store.
    pub(crate) has_session: bool,
}
