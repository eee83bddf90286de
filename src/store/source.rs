//! Where what a session goes on from may be.

use super::SharedStore;
use std::time::Duration;

/// A store, and how long each of its answers may take.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) store: SharedStore,
    pub(crate) limit: Duration,
}
