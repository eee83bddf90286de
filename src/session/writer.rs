//! Writing to the CLI: whole lines, one at a time, from the driver's task.

use crate::transport;
use bytes::{Buf, Bytes, BytesMut};
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// The most bytes of user messages in one write.
const AT_ONCE: usize = 16 * 1024;

/// The CLI's input, and the current write.
pub(super) struct Writer {
    /// `None` once closed.
    pipe: Option<transport::Writer>,
    /// The unwritten part of the lines.
    line: Bytes,
    /// The number of written bytes.
    written: usize,
    /// Whether a line is only partly written.
    is_writing: bool,
    /// Whether further lines are refused.
    is_finished: bool,
    closing: Arc<Closing>,
}

/// When to close the pipe. Any thread may set this.
#[derive(Debug, Default)]
struct Closing(Mutex<(When, Option<Waker>)>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    #[default]
    Never,
    /// After the current line.
    AfterLine,
    /// Immediately, within the line.
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

    /// Returns when to close the pipe, and registers the caller to be woken on changes.
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
enum WriterEvent {
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

    /// Starts writing a line. The state machine provides one at a time.
    pub(super) fn write(&mut self, line: Bytes) {
        self.written = 0;
        if !self.is_finished {
            self.line = line;
            self.is_writing = true;
        }
    }

    /// Returns how many bytes may be added to the current write; `None` if it has begun.
    pub(super) fn room_behind(&self) -> Option<usize> {
        let is_unwritten = self.is_writing && self.written == 0;
        is_unwritten.then(|| AT_ONCE.saturating_sub(self.line.len()))
    }

    /// Adds lines to the current write.
    pub(super) fn write_behind(&mut self, lines: &[Bytes]) {
        let size = lines.iter().map(Bytes::len).sum::<usize>();
        let mut all = BytesMut::with_capacity(self.line.len() + size);
        all.extend_from_slice(&self.line);
        for line in lines {
            all.extend_from_slice(line);
        }
        self.line = all.freeze();
    }

    /// Returns how many bytes of the last write are written.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Returns whether a line is only partly written.
    pub(super) fn is_writing(&self) -> bool {
        self.is_writing
    }

    /// Writes the line, and returns the outcome. Pending without a line, and after the pipe is
    /// closed. The unwritten part is retained.
    pub(super) fn poll_written(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.pipe.is_none() {
            return Poll::Pending;
        }
        match std::task::ready!(self.poll(context)) {
            WriterEvent::Written(outcome) => Poll::Ready(self.is_written(outcome)),
            WriterEvent::Closing => {
                let closing = pin!(self.close());
                // The next poll continues.
                let _ = closing.poll(context);
                Poll::Pending
            }
        }
    }

    /// Writes as much as the pipe accepts immediately. Returns the outcome if that is everything,
    /// and `None` if there is no line or a part remains. Does not wait.
    pub(super) async fn written_at_once(&mut self) -> Option<io::Result<()>> {
        if !self.is_writing {
            return None;
        }
        match poll_fn(|context| Poll::Ready(self.poll(context))).await {
            Poll::Ready(WriterEvent::Written(outcome)) => Some(self.is_written(outcome)),
            Poll::Ready(WriterEvent::Closing) | Poll::Pending => None,
        }
    }

    fn is_written(&mut self, outcome: io::Result<()>) -> io::Result<()> {
        self.is_writing = false;
        if outcome.is_err() {
            self.finish(true)();
        }
        outcome
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<WriterEvent> {
        let when = self.closing.get(context);
        if when == When::Now || when == When::AfterLine && !self.is_writing {
            return Poll::Ready(WriterEvent::Closing);
        }
        match &mut self.pipe {
            Some(pipe) if self.is_writing => {
                write(pipe, &mut self.line, &mut self.written, context).map(WriterEvent::Written)
            }
            _ => Poll::Pending,
        }
    }

    /// Closes the pipe by a shutdown, because dropping one half of a stream does not close it.
    /// Cancel safe.
    pub(super) async fn close(&mut self) {
        if let Some(pipe) = &mut self.pipe {
            // Fails if the agent has exited.
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
