//! Pipes that transfer a few bytes at a time, at random times.

use crate::check::Wire;
use agentwire_testing::Random;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// One direction of a connection. Both ends share the pipe.
#[derive(Clone)]
pub(crate) struct Pipe(Arc<Mutex<State>>);

struct State {
    bytes: VecDeque<u8>,
    capacity: usize,
    /// Whether the writer has closed the pipe.
    ended: bool,
    /// Whether the reader has closed the pipe.
    is_reader_closed: bool,
    /// When bytes or room for bytes were last added.
    changed: Option<Instant>,
    /// When the host last tried to read, and when it is woken.
    asked: Option<Instant>,
    due: Option<Instant>,
    wakers: Vec<Waker>,
}

impl Pipe {
    pub(crate) fn new(capacity: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            bytes: VecDeque::new(),
            capacity,
            ended: false,
            is_reader_closed: false,
            changed: None,
            asked: None,
            due: None,
            wakers: vec![],
        })))
    }

    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        state.wake();
    }

    pub(crate) fn stop_reading(&self) {
        let mut state = self.lock();
        state.is_reader_closed = true;
        state.wake();
    }

    /// Reads at most `limit` bytes. Returns no bytes at the end. This method is cancel
    /// safe.
    pub(crate) async fn read(&self, limit: usize) -> Vec<u8> {
        poll_fn(|context| {
            let mut state = self.lock();
            if state.bytes.is_empty() && !state.ended {
                return state.wait(context);
            }
            Poll::Ready(state.take(limit))
        })
        .await
    }

    /// Writes all bytes when there is room. Returns `false` if the reader has closed the
    /// pipe.
    pub(crate) async fn write(&self, mut bytes: &[u8]) -> bool {
        poll_fn(|context| {
            let mut state = self.lock();
            while !bytes.is_empty() && !state.is_reader_closed {
                let size = state.put(bytes);
                if size == 0 {
                    return state.wait(context);
                }
                bytes = &bytes[size..];
            }
            Poll::Ready(!state.is_reader_closed)
        })
        .await
    }

    /// Returns since when the pipe has bytes that the host does not try to read.
    pub(crate) fn passed_over_since(&self) -> Option<Instant> {
        let state = self.lock();
        let since = state.changed.max(state.due)?;
        let is_asked = state.asked.is_some_and(|asked| asked >= since);
        (!state.bytes.is_empty() && !is_asked).then_some(since)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl State {
    fn take(&mut self, limit: usize) -> Vec<u8> {
        let size = limit.min(self.bytes.len());
        self.changed = Some(Instant::now());
        self.asked = None;
        self.wake();
        self.bytes.drain(..size).collect()
    }

    fn put(&mut self, bytes: &[u8]) -> usize {
        let size = bytes.len().min(self.capacity - self.bytes.len());
        self.bytes.extend(&bytes[..size]);
        if size > 0 {
            self.changed = Some(Instant::now());
            self.asked = None;
            self.wake();
        }
        size
    }

    fn wait<T>(&mut self, context: &Context<'_>) -> Poll<T> {
        self.wakers.push(context.waker().clone());
        Poll::Pending
    }

    fn wake(&mut self) {
        self.wakers.drain(..).for_each(Waker::wake);
    }
}

/// The next action of the host's end of a pipe, and the delay before it.
#[derive(Default)]
enum Next {
    #[default]
    Unknown,
    Wait(Pin<Box<Sleep>>),
    /// Transfer at most this many bytes.
    Move(usize),
}

impl Next {
    /// Returns when to poll the action again.
    fn due(&self) -> Option<Instant> {
        match self {
            Self::Wait(until) => Some(until.deadline()),
            _ => None,
        }
    }

    /// Returns the size of the transfer once no delay remains.
    fn poll(&mut self, dice: &mut Random, context: &mut Context<'_>) -> Poll<usize> {
        loop {
            match self {
                Self::Unknown if dice.one_in(4) => *self = Self::Wait(Box::pin(sleep(pause(dice)))),
                Self::Unknown => *self = Self::Move(piece(dice)),
                Self::Wait(until) => {
                    ready!(until.as_mut().poll(context));
                    *self = Self::Move(piece(dice));
                }
                Self::Move(size) => return Poll::Ready(*size),
            }
        }
    }
}

/// Returns a random delay, mostly short.
pub(crate) fn pause(dice: &mut Random) -> Duration {
    let milliseconds = match dice.below(40) {
        0 => dice.below(100_000),
        1..6 => dice.below(5_000),
        _ => dice.below(100),
    };
    Duration::from_millis(milliseconds as u64)
}

fn piece(dice: &mut Random) -> usize {
    match dice.below(3) {
        0 => 1 + dice.below(20),
        1 => 1 + dice.below(1_000),
        _ => usize::MAX,
    }
}

/// The driver's input.
pub(crate) struct Reader {
    pub(crate) pipe: Pipe,
    pub(crate) wire: Wire,
    pub(crate) dice: Random,
    /// Whether reading fails at the end.
    pub(crate) fails_at_end: bool,
    next: Next,
}

impl Reader {
    pub(crate) fn new(pipe: Pipe, wire: Wire, dice: Random, fails_at_end: bool) -> Self {
        Self {
            pipe,
            wire,
            dice,
            fails_at_end,
            next: Next::Unknown,
        }
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let mut state = this.pipe.lock();
        state.asked = Some(Instant::now());
        if state.bytes.is_empty() && !state.ended {
            return state.wait(context);
        }
        let next = this.next.poll(&mut this.dice, context);
        state.due = this.next.due();
        let limit = ready!(next);
        this.next = Next::Unknown;
        let bytes = state.take(limit.min(buffer.remaining()));
        this.wire.read(&bytes);
        if bytes.is_empty() && this.fails_at_end {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        buffer.put_slice(&bytes);
        Poll::Ready(Ok(()))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.wire.output_dropped();
        self.pipe.stop_reading();
    }
}

/// The driver's output.
pub(crate) struct Writer {
    pub(crate) pipe: Pipe,
    pub(crate) wire: Wire,
    pub(crate) dice: Random,
    /// The number of bytes after which writing fails, if it fails.
    pub(crate) fails_after: Option<usize>,
    /// Whether closing the output never completes.
    pub(crate) hangs: bool,
    next: Next,
}

impl Writer {
    pub(crate) fn new(
        pipe: Pipe,
        wire: Wire,
        dice: Random,
        fails_after: Option<usize>,
        hangs: bool,
    ) -> Self {
        Self {
            pipe,
            wire,
            dice,
            fails_after,
            hangs,
            next: Next::Unknown,
        }
    }

    fn fail(&mut self) -> io::Result<usize> {
        self.wire.note("writing fails");
        self.pipe.end();
        match self.dice.below(3) {
            0 => Ok(0),
            1 => Err(io::ErrorKind::TimedOut.into()),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl AsyncWrite for Writer {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.wire.begins_to_write(bytes);
        let limit = ready!(this.next.poll(&mut this.dice, context));
        let mut state = this.pipe.lock();
        if state.is_reader_closed || this.fails_after == Some(0) {
            drop(state);
            return Poll::Ready(this.fail());
        }
        let limit = limit.min(this.fails_after.unwrap_or(usize::MAX));
        let size = state.put(&bytes[..limit.min(bytes.len())]);
        if size == 0 {
            return state.wait(context);
        }
        this.next = Next::Unknown;
        if let Some(left) = &mut this.fails_after {
            *left -= size;
        }
        this.wire.written(&bytes[..size]);
        Poll::Ready(Ok(size))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.next.poll(&mut this.dice, context));
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.wire.closing();
        if this.hangs {
            return Poll::Pending;
        }
        ready!(this.next.poll(&mut this.dice, context));
        this.wire.closed();
        this.pipe.end();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.wire.closed();
        self.pipe.end();
    }
}
