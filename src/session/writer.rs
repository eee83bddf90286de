//! Writing to the CLI: one task, whole lines, one at a time.

use bytes::Bytes;
use std::io;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The task that writes.
#[derive(Debug)]
pub(super) struct Writer {
    /// `None` once the pipe is to be closed.
    lines: Option<mpsc::Sender<Bytes>>,
    written: mpsc::Receiver<io::Result<()>>,
    task: JoinHandle<()>,
}

impl Writer {
    pub(super) fn start(mut stdin: ChildStdin) -> Self {
        let (lines, mut inbox) = mpsc::channel::<Bytes>(1);
        let (done, written) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            while let Some(line) = inbox.recv().await {
                let outcome = async {
                    stdin.write_all(&line).await?;
                    stdin.flush().await
                };
                let outcome = outcome.await;
                let failed = outcome.is_err();
                if done.send(outcome).await.is_err() || failed {
                    break;
                }
            }
        });
        Self {
            lines: Some(lines),
            written,
            task,
        }
    }

    /// Hands a line over. There is room: the machine gives one at a time.
    pub(super) fn write(&self, line: Bytes) {
        if let Some(lines) = &self.lines {
            // A writer that is gone says so by `written`.
            drop(lines.try_send(line));
        }
    }

    /// What became of the line; pending for ever when the pipe is closed.
    /// Cancel safe.
    pub(super) async fn written(&mut self) -> io::Result<()> {
        match self.written.recv().await {
            Some(outcome) => outcome,
            // Said once: this is asked again and again.
            None if self.lines.take().is_some() => Err(io::ErrorKind::BrokenPipe.into()),
            None => std::future::pending().await,
        }
    }

    /// Nothing more is written. What is returned closes the pipe: once the
    /// line that is being written is written, or `now`, in the middle of it.
    pub(super) fn finish(&mut self, now: bool) -> impl FnOnce() + Send + use<> {
        let lines = self.lines.take();
        let task = self.task.abort_handle();
        move || {
            drop(lines);
            if now {
                task.abort();
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
