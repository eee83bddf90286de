//! Tasks of the runtime.
//!
//! The runtime's task machinery, some thousand lines of code, is compiled for each type of
//! future. Boxed futures have one type.

use super::lock;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::task::JoinHandle;

/// Spawns a task.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let task: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(task);
    tokio::spawn(task)
}

/// Runs blocking work, and waits for it. Without a runtime, the work is dropped with its task.
pub(crate) async fn blocking(work: impl FnOnce() + Send + 'static) {
    let _ = spawn_blocking(Box::new(work)).await;
}

/// Runs blocking work, and returns its result.
///
/// # Errors
///
/// If the work panicked, or the runtime is shutting down.
pub(crate) async fn blocking_result<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let result = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&result);
    let task = spawn_blocking(Box::new(move || *lock(&filled) = Some(work())));
    task.await?;
    let result = lock(&result).take();
    result.ok_or_else(|| io::ErrorKind::Other.into())
}

fn spawn_blocking(work: Box<dyn FnOnce() + Send>) -> JoinHandle<()> {
    tokio::task::spawn_blocking(work)
}
