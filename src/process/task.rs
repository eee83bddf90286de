//! Tasks of the runtime.
//!
//! Each type that the runtime runs is a copy of its task machinery, some thousand lines of
//! code. Boxed, all of them are one type.

use std::pin::Pin;
use tokio::task::JoinHandle;

/// Spawns a task.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let task: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(task);
    tokio::spawn(task)
}

/// Does work that blocks, and waits for it. Without a runtime it goes with its task.
pub(crate) async fn blocking(work: impl FnOnce() + Send + 'static) {
    let work: Box<dyn FnOnce() + Send> = Box::new(work);
    let _ = tokio::task::spawn_blocking(work).await;
}
