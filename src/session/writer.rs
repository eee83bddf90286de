//! Writing to the CLI: whole lines, one at a time, by the task that drives the
//! session.

use super::transport;
use bytes::{Buf, Bytes};
use std::future::{pending, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// The CLI's input, and the line that is being written.
pub(super) struct Writer {
    /// `None` once it is closed.
    pipe: Option<transport::Writer>,
    /// What the pipe has not taken of the line.
    line: Bytes,
    /// A line was handed over and is not written yet.
    is_writing: bool,
    /// No line is taken any more.
    is_finished: bool,
    closing: Arc<Closing>,
}

/// When the pipe is to be closed, as any thread may say.
#[derive(Debug, Default)]
struct Closing(Mutex<(When, Option<Waker>)>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    #[default]
    Never,
    /// Once the line that is being written is written.
    AfterLine,
    /// Now, in the middle of it.
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

    /// When it is; who asks is woken when that changes.
    fn get(&self, context: &Context<'_>) -> When {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut state.1 {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        state.0
    }
}

/// What happened to the pipe.
enum Happened {
    Written(io::Result<()>),
    Closing,
}

impl Writer {
    pub(super) fn new(pipe: transport::Writer) -> Self {
        Self {
            pipe: Some(pipe),
            line: Bytes::new(),
            is_writing: false,
            is_finished: false,
            closing: Arc::default(),
        }
    }

    /// Hands a line over. There is room: the machine gives one at a time.
    pub(super) fn write(&mut self, line: Bytes) {
        if !self.is_finished {
            self.line = line;
            self.is_writing = true;
        }
    }

    /// Whether a line was handed over that the pipe has not taken.
    pub(super) fn is_writing(&self) -> bool {
        self.is_writing
    }

    /// Writes the line, and returns what became of it. Pending while there is
    /// none, and once the pipe is closed. Cancel safe: what the pipe has not
    /// taken of the line is kept.
    pub(super) async fn written(&mut self) -> io::Result<()> {
        if self.pipe.is_none() {
            return pending().await;
        }
        match poll_fn(|context| self.poll(context)).await {
            Happened::Written(outcome) => {
                self.is_writing = false;
                if outcome.is_err() {
                    self.finish(true)();
                }
                outcome
            }
            Happened::Closing => {
                self.close().await;
                pending().await
            }
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Happened> {
        let when = self.closing.get(context);
        if when == When::Now || when == When::AfterLine && !self.is_writing {
            return Poll::Ready(Happened::Closing);
        }
        match &mut self.pipe {
            Some(pipe) if self.is_writing => {
                write(pipe, &mut self.line, context).map(Happened::Written)
            }
            _ => Poll::Pending,
        }
    }

    /// Closes the pipe. One that is half of something is not closed by being
    /// dropped. Cancel safe.
    pub(super) async fn close(&mut self) {
        if let Some(pipe) = &mut self.pipe {
            // An agent that is gone has closed it.
            let _ = pipe.shutdown().await;
        }
        self.pipe = None;
        self.is_writing = false;
    }

    /// Takes no more lines. What is returned closes the pipe: once the line
    /// that is being written is written, or `now`, in the middle of it.
    pub(super) fn finish(&mut self, now: bool) -> impl FnOnce() + Send + use<> {
        self.is_finished = true;
        let closing = Arc::clone(&self.closing);
        move || closing.set(if now { When::Now } else { When::AfterLine })
    }
}

/// Writes what is left of a line, and flushes.
fn write(
    pipe: &mut transport::Writer,
    line: &mut Bytes,
    context: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    while line.has_remaining() {
        match std::task::ready!(Pin::new(&mut *pipe).poll_write(context, line))? {
            0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
            written => line.advance(written),
        }
    }
    Pin::new(pipe).poll_flush(context)
}
