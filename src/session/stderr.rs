//! The CLI's standard error: always drained, its tail retained.

use crate::options::StderrCallback;
use crate::process::spawn;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The size of the retained tail, in bytes.
const TAIL_LIMIT: usize = 64 * 1024;

/// The size of a read, in bytes.
const CHUNK: usize = 8 * 1024;

/// The chunks queued for a slow callback. Draining does not wait for it, so that it cannot
/// block the CLI.
const QUEUED: usize = 1024;

/// How long to wait for the end of the stream after the CLI's exit: a process that it started
/// may hold the pipe open.
const END_TIMEOUT: Duration = Duration::from_millis(200);

/// The task that drains standard error, and the tail.
#[derive(Debug)]
pub(super) struct StderrTail {
    tail: Arc<Mutex<VecDeque<u8>>>,
    task: JoinHandle<()>,
}

impl StderrTail {
    pub(super) fn start(
        mut stderr: impl AsyncRead + Send + Unpin + 'static,
        callback: Option<StderrCallback>,
    ) -> Self {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let writer = Arc::clone(&tail);
        let listener = callback.map(listen);
        let task = spawn(async move {
            while let Ok(bytes) = poll_fn(|context| poll_chunk(&mut stderr, context)).await {
                if bytes.is_empty() {
                    return;
                }
                {
                    let mut tail = writer.lock().unwrap_or_else(PoisonError::into_inner);
                    tail.extend(&bytes);
                    let excess = tail.len().saturating_sub(TAIL_LIMIT);
                    tail.drain(..excess);
                }
                if let Some(listener) = &listener {
                    drop(listener.try_send(bytes));
                }
            }
        });
        Self { tail, task }
    }

    /// Returns the tail of standard error after the CLI's exit.
    pub(super) async fn at_end(&mut self) -> String {
        // After a timeout, the tail has everything received so far.
        drop(timeout(END_TIMEOUT, &mut self.task).await);
        self.so_far()
    }

    /// Returns the current tail of standard error.
    pub(super) fn so_far(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = tail.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }
}

impl Drop for StderrTail {
    fn drop(&mut self) {
        // Processes that hold the pipe open get a broken pipe from now on.
        self.task.abort();
    }
}

/// Reads a chunk, which is empty at the end. Allocates no buffer while pending.
fn poll_chunk(
    stderr: &mut (impl AsyncRead + Unpin),
    context: &mut Context<'_>,
) -> Poll<io::Result<Vec<u8>>> {
    let mut chunk = [MaybeUninit::uninit(); CHUNK];
    let mut chunk = ReadBuf::uninit(&mut chunk);
    ready!(Pin::new(stderr).poll_read(context, &mut chunk))?;
    Poll::Ready(Ok(chunk.filled().to_vec()))
}

/// Spawns the task that calls the callback until it panics.
fn listen(callback: StderrCallback) -> mpsc::Sender<Vec<u8>> {
    let (sender, mut chunks) = mpsc::channel::<Vec<u8>>(QUEUED);
    spawn(async move {
        let mut rest = Vec::new();
        while let Some(chunk) = chunks.recv().await {
            rest.extend(chunk);
            let text = take_text(&mut rest);
            if catch_unwind(AssertUnwindSafe(|| callback(&text))).is_err() {
                tracing::warn!("the callback for standard error panicked; it is not called again");
                return;
            }
        }
    });
    sender
}

/// Removes and returns the complete part of the text. An incomplete code point remains until
/// its rest arrives.
fn take_text(bytes: &mut Vec<u8>) -> String {
    let last = bytes.utf8_chunks().last();
    let end = last.map_or(&[][..], |chunk| chunk.invalid());
    let cut_off = std::str::from_utf8(end).is_err_and(|error| error.error_len().is_none());
    let whole = bytes.len() - if cut_off { end.len() } else { 0 };
    let rest = bytes.split_off(whole);
    let text = String::from_utf8_lossy(bytes).into_owned();
    *bytes = rest;
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_code_point_is_joined() {
        let mut bytes = Vec::new();
        let mut text = String::new();
        for byte in "a\u{2028}é🦀\n".as_bytes() {
            bytes.push(*byte);
            text.push_str(&take_text(&mut bytes));
        }
        assert_eq!(text, "a\u{2028}é🦀\n");

        let mut broken = b"a\xffb\xe2".to_vec();
        assert_eq!(take_text(&mut broken), "a\u{fffd}b");
        assert_eq!(broken, [0xe2]);
    }
}
