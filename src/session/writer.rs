//! Writing to the CLI: one task, whole lines, one at a time.

use super::transport;
use bytes::Bytes;
use std::io;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The task that writes.
#[derive(Debug)]
pub(super) struct Writer {
    /// `None` once the pipe is to be closed.
    lines: Option<mpsc::Sender<Bytes>>,
    written: mpsc::Receiver<io::Result<()>>,
    /// A line was handed over and is not written yet.
    is_writing: bool,
    /// Cuts off the line that is being written.
    cut: CancellationToken,
    task: JoinHandle<()>,
}

impl Writer {
    pub(super) fn start(mut pipe: transport::Writer) -> Self {
        let (lines, mut inbox) = mpsc::channel::<Bytes>(1);
        let (done, written) = mpsc::channel(1);
        let cut = CancellationToken::new();
        let is_cut = cut.clone();
        let task = tokio::spawn(async move {
            while let Some(Some(line)) = is_cut.run_until_cancelled(inbox.recv()).await {
                let outcome = async {
                    pipe.write_all(&line).await?;
                    pipe.flush().await
                };
                let Some(outcome) = is_cut.run_until_cancelled(outcome).await else {
                    break;
                };
                let failed = outcome.is_err();
                if done.send(outcome).await.is_err() || failed {
                    break;
                }
            }
            // A pipe that is half of something is not closed by being dropped.
            drop(pipe.shutdown().await);
        });
        Self {
            lines: Some(lines),
            written,
            is_writing: false,
            cut,
            task,
        }
    }

    /// Hands a line over. There is room: the machine gives one at a time.
    pub(super) fn write(&mut self, line: Bytes) {
        if let Some(lines) = &self.lines {
            self.is_writing = true;
            // A writer that is gone says so by `written`.
            drop(lines.try_send(line));
        }
    }

    /// Whether a line was handed over that the pipe has not taken.
    pub(super) fn is_writing(&self) -> bool {
        self.is_writing
    }

    /// What became of the line; pending for ever when the pipe is closed.
    /// Cancel safe.
    pub(super) async fn written(&mut self) -> io::Result<()> {
        let written = self.written.recv().await;
        self.is_writing = false;
        match written {
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
        let cut = self.cut.clone();
        move || {
            drop(lines);
            if now {
                cut.cancel();
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
