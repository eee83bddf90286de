//! Writing to the CLI: whole lines, one at a time, from the driver's task.

use crate::transport;
use bytes::{Buf, Bytes, BytesMut};
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// How many bytes of user messages are written in one go.
const AT_ONCE: usize = 16 * 1024;

/// The CLI's input, and the current line.
pub(super) struct Writer {
    /// `None` once it is closed.
    pipe: Option<transport::Writer>,
    /// The part of the lines that is not written yet.
    line: Bytes,
    /// How many bytes of them are written.
    written: usize,
    /// Whether there is an unfinished line.
    is_writing: bool,
    /// Whether further lines are refused.
    is_finished: bool,
    closing: Arc<Closing>,
}

/// When the pipe must be closed. Any thread may set this.
#[derive(Debug, Default)]
struct Closing(Mutex<(When, Option<Waker>)>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    #[default]
    Never,
    /// After the current line.
    AfterLine,
    /// Now, within the line.
    Now,
}

impl Closing {
    fn set(&self, when: When) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = state.0.max(when);
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }

    /// Returns when to close, and registers the caller to be woken when that
    /// changes.
    fn get(&self, context: &Context<'_>) -> When {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut state.1 {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        state.0
    }
}

/// An event of the pipe.
enum Happened {
    Written(io::Result<()>),
    Closing,
}

impl Writer {
    pub(super) fn new(pipe: transport::Writer) -> Self {
        Self {
            pipe: Some(pipe),
            line: Bytes::new(),
            written: 0,
            is_writing: false,
            is_finished: false,
            closing: Arc::default(),
        }
    }

    /// Hands a line over. The state machine gives only one at a time.
    pub(super) fn write(&mut self, line: Bytes) {
        self.written = 0;
        if !self.is_finished {
            self.line = line;
            self.is_writing = true;
        }
    }

    /// Returns how many bytes may be written with the line that was handed over, if writing
    /// has not begun.
    pub(super) fn room_behind(&self) -> Option<usize> {
        let is_unwritten = self.is_writing && self.written == 0;
        is_unwritten.then(|| AT_ONCE.saturating_sub(self.line.len()))
    }

    /// Hands lines over that are written with the last one.
    pub(super) fn write_behind(&mut self, lines: &[Bytes]) {
        let size = lines.iter().map(Bytes::len).sum::<usize>();
        let mut all = BytesMut::with_capacity(self.line.len() + size);
        all.extend_from_slice(&self.line);
        for line in lines {
            all.extend_from_slice(line);
        }
        self.line = all.freeze();
    }

    /// Returns how many bytes of the lines that were handed over last are written.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Returns whether there is a line that is not fully written.
    pub(super) fn is_writing(&self) -> bool {
        self.is_writing
    }

    /// Writes the line, and returns the outcome. Pending while there is none, and after the
    /// pipe is closed. The unwritten part of the line is kept.
    pub(super) fn poll_written(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.pipe.is_none() {
            return Poll::Pending;
        }
        match std::task::ready!(self.poll(context)) {
            Happened::Written(outcome) => Poll::Ready(self.is_written(outcome)),
            Happened::Closing => {
                let closing = pin!(self.close());
                // It goes on with the next poll.
                let _ = closing.poll(context);
                Poll::Pending
            }
        }
    }

    /// Writes the line as far as the pipe takes it at once. Returns the outcome if that is
    /// all of it, and `None` if there is no line or a part is left. Does not wait.
    pub(super) async fn written_at_once(&mut self) -> Option<io::Result<()>> {
        if !self.is_writing {
            return None;
        }
        match poll_fn(|context| Poll::Ready(self.poll(context))).await {
            Poll::Ready(Happened::Written(outcome)) => Some(self.is_written(outcome)),
            Poll::Ready(Happened::Closing) | Poll::Pending => None,
        }
    }

    fn is_written(&mut self, outcome: io::Result<()>) -> io::Result<()> {
        self.is_writing = false;
        if outcome.is_err() {
            self.finish(true)();
        }
        outcome
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Happened> {
        let when = self.closing.get(context);
        if when == When::Now || when == When::AfterLine && !self.is_writing {
            return Poll::Ready(Happened::Closing);
        }
        match &mut self.pipe {
            Some(pipe) if self.is_writing => {
                write(pipe, &mut self.line, &mut self.written, context).map(Happened::Written)
            }
            _ => Poll::Pending,
        }
    }

    /// Closes the pipe by a shutdown, because dropping one half of a stream
    /// does not close it. Cancel safe.
    pub(super) async fn close(&mut self) {
        if let Some(pipe) = &mut self.pipe {
            // An agent that has exited has closed it.
            let _ = pipe.shutdown().await;
        }
        self.pipe = None;
        self.is_writing = false;
    }

    /// Refuses further lines. The returned function closes the pipe: after the
    /// current line, or within it if `now`.
    pub(super) fn finish(&mut self, now: bool) -> impl FnOnce() + Send + use<> {
        self.is_finished = true;
        let closing = Arc::clone(&self.closing);
        move || closing.set(if now { When::Now } else { When::AfterLine })
    }
}

/// Writes the rest of a line, and flushes.
fn write(
    pipe: &mut transport::Writer,
    line: &mut Bytes,
    so_far: &mut usize,
    context: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    while line.has_remaining() {
        match std::task::ready!(Pin::new(&mut *pipe).poll_write(context, line))? {
            0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
            written => {
                *so_far += written;
                line.advance(written);
            }
        }
    }
    Pin::new(pipe).poll_flush(context)
}
