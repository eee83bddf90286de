//! What the CLI says on standard error: drained always, and its end kept.

use crate::options::StderrCallback;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How much is kept.
const KEPT: usize = 64 * 1024;

/// How long the end is waited for when the CLI is gone: something that it
/// started may hold the pipe open.
const PATIENCE: Duration = Duration::from_millis(200);

/// The task that drains, and what it has kept.
#[derive(Debug)]
pub(super) struct StderrTail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    task: JoinHandle<()>,
}

impl StderrTail {
    pub(super) fn start(mut stderr: ChildStderr, callback: Option<StderrCallback>) -> Self {
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let keep = Arc::clone(&kept);
        let task = tokio::spawn(async move {
            let mut chunk = vec![0; 8 * 1024];
            while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
                let bytes = &chunk[..length];
                {
                    let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.extend(bytes);
                    let excess = kept.len().saturating_sub(KEPT);
                    kept.drain(..excess);
                }
                if let Some(callback) = &callback {
                    callback(&String::from_utf8_lossy(bytes));
                }
            }
        });
        Self { kept, task }
    }

    /// What was said last, once the CLI is gone.
    pub(super) async fn at_end(&mut self) -> String {
        // Over in time or not: what has come is there.
        drop(timeout(PATIENCE, &mut self.task).await);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = kept.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }
}

impl Drop for StderrTail {
    fn drop(&mut self) {
        // Whoever still holds the pipe writes into nothing from now on.
        self.task.abort();
    }
}
