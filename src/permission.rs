//! Permission callbacks.

use crate::handle::Handle;
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A question of the agent's: may a tool run?
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PermissionAsk {
    /// The question.
    pub request: CanUseTool,
    /// The id under which it was asked.
    pub request_id: Box<str>,
    /// Cancelled when the agent does not wait any more. A later answer is
    /// dropped.
    pub cancelled: CancellationToken,
    /// The session. Every control method may be called from inside the
    /// callback.
    pub session: Handle,
}

/// Decides whether tools may run.
///
/// Every closure `Fn(PermissionAsk) -> impl Future<Output = PermissionResult>`
/// is one. Each call runs in a task of its own, and many may run at once. A
/// call that panics denies. There is no deadline: the agent waits.
pub trait PermissionHandler: Send + Sync + 'static {
    /// Decides.
    fn decide(&self, ask: PermissionAsk) -> Pin<Box<dyn Future<Output = PermissionResult> + Send>>;
}

impl<F, D> PermissionHandler for F
where
    F: Fn(PermissionAsk) -> D + Send + Sync + 'static,
    D: Future<Output = PermissionResult> + Send + 'static,
{
    fn decide(&self, ask: PermissionAsk) -> Pin<Box<dyn Future<Output = PermissionResult> + Send>> {
        Box::pin(self(ask))
    }
}

/// A handler that can be shared and shown.
#[derive(Clone)]
pub(crate) struct SharedHandler(pub(crate) Arc<dyn PermissionHandler>);

impl fmt::Debug for SharedHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PermissionHandler")
    }
}
