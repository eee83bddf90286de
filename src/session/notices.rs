//! The callback for notices.

use crate::event::Notice;
use crate::options::NoticeCallback;
use crate::process::spawn;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The notices queued for a slow callback.
const QUEUED: usize = 1024;

/// How long the end of the session waits for a slow callback.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// The task that calls the callback. A panic ends it.
#[derive(Debug)]
pub(super) struct NoticeListener {
    queue: mpsc::Sender<Notice>,
    task: JoinHandle<()>,
}

impl NoticeListener {
    pub(super) fn start(callback: NoticeCallback) -> Self {
        let (queue, mut notices) = mpsc::channel(QUEUED);
        let task = spawn(async move {
            while let Some(notice) = notices.recv().await {
                callback(&notice);
            }
        });
        Self { queue, task }
    }

    /// Queues a notice, unless the queue is full. Never waits.
    pub(super) fn notify(&self, notice: &Notice) {
        drop(self.queue.try_send(notice.clone()));
    }

    /// Waits until the callback has been called with the queued notices.
    pub(super) async fn end(self) {
        drop(self.queue);
        drop(timeout(END_TIMEOUT, self.task).await);
    }
}
