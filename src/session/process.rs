//! The agent's process of a session: its pipes, its exit, and closing.

use super::peers::{Gone, Peers};
use super::stderr::StderrTail;
use super::writer::Writer;
use crate::handle::Handle;
use crate::options::{PrivateFiles, StderrCallback};
use crate::process::{CloseReport, CloseStep, blocking};
use crate::transport::{Connection, Peer, Reader};
use bytes::{BufMut, Bytes, BytesMut};
use std::cell::Cell;
use std::future::{pending, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

/// How long the pipe must be idle after the CLI's exit before all output counts as read. A
/// process started by the CLI may hold the pipe open forever.
const QUIET: Duration = Duration::from_millis(100);

/// The size of a read.
const READ: usize = 32 * 1024;

/// A longer line is read into its own buffer.
const LONG: usize = 16 * 1024;

thread_local! {
    /// The read buffer shared by the sessions of a thread. A session that waits for output has
    /// none.
    static SHARED: Cell<Option<BytesMut>> = const { Cell::new(None) };
}

/// The current process, or the last one.
pub(super) struct Process {
    peer: Arc<dyn Peer>,
    /// The current process, for observers that outlive it.
    peers: Arc<Peers>,
    /// Files for the agent, unless the peer owns them.
    private: Option<PrivateFiles>,
    /// `None` after the CLI closed it.
    reader: Option<Reader>,
    writer: Writer,
    ended: Pin<Box<dyn Future<Output = ProcessEnd> + Send>>,
    stderr: Option<StderrTail>,
    on_stderr: Option<StderrCallback>,
    /// Environment variables that can stop the CLI.
    suspects: Vec<String>,
}

/// An event of a process.
pub(super) enum PipeEvent {
    /// The number of bytes read: 0 at the end of the output.
    Read(io::Result<usize>),
    Written(io::Result<()>),
    Ended(ProcessEnd),
}

/// The end of a process.
#[derive(Debug, Clone, Copy)]
pub(super) enum ProcessEnd {
    Exited(Option<ExitStatus>),
    /// The process did not exit.
    StillAlive,
}

impl Process {
    pub(super) fn new(
        connection: Connection,
        private: PrivateFiles,
        on_stderr: Option<StderrCallback>,
    ) -> Self {
        let peer = connection.peer;
        Self {
            peers: Arc::new(Peers::new(Arc::clone(&peer))),
            private: (!connection.owns_files && !private.is_empty()).then_some(private),
            reader: Some(connection.output),
            writer: Writer::new(connection.input),
            ended: Box::pin(ended(Arc::clone(&peer))),
            stderr: (connection.stderr).map(|it| StderrTail::start(it, on_stderr.clone())),
            on_stderr,
            suspects: connection.suspects,
            peer,
        }
    }

    /// Replaces the process.
    pub(super) fn follow(
        &mut self,
        connection: Connection,
        private: PrivateFiles,
        session: &Handle,
    ) {
        self.peers.follow(&connection.peer);
        let mut other = Self::new(connection, private, self.on_stderr.clone());
        std::mem::swap(self, &mut other);
        // Observers watch the peers of the first process.
        std::mem::swap(&mut self.peers, &mut other.peers);
        self.attach(session);
    }

    /// Releases the process, which has exited and is closed: whatever its transport counts by
    /// process is free for the next one.
    pub(super) fn release(&mut self, report: Option<CloseReport>) {
        let pid = self.peer.pid();
        self.peer = Arc::new(Gone { pid, report });
        self.ended = Box::pin(pending());
        self.peers.release(&self.peer);
    }

    /// Connects the process with the session, for [`close_all`](crate::close_all).
    pub(super) fn attach(&self, session: &Handle) {
        super::peers::attach(&self.peer, session);
    }

    pub(super) fn peers(&self) -> Arc<Peers> {
        Arc::clone(&self.peers)
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.peer.pid()
    }

    pub(super) fn mark(&self) -> Option<&str> {
        self.peer.mark()
    }

    /// Returns whether output can still arrive.
    pub(super) fn has_output(&self) -> bool {
        self.reader.is_some()
    }

    /// Returns whether a line is only partly written.
    pub(super) fn is_writing(&self) -> bool {
        self.writer.is_writing()
    }

    pub(super) fn was_signalled(&self) -> bool {
        self.peer.was_signalled()
    }

    /// Starts writing a line. The state machine provides one at a time.
    pub(super) fn write(&mut self, line: Bytes) {
        self.writer.write(line);
    }

    /// Returns how many bytes may be added to the current write; `None` if it has begun.
    pub(super) fn room_behind(&self) -> Option<usize> {
        self.writer.room_behind()
    }

    /// Adds lines to the current write.
    pub(super) fn write_behind(&mut self, lines: &[Bytes]) {
        self.writer.write_behind(lines);
    }

    /// Returns how many bytes of the last write are written.
    pub(super) fn written(&self) -> usize {
        self.writer.written()
    }

    /// Writes as much as the pipe accepts immediately. Returns the outcome if that is everything.
    pub(super) async fn written_at_once(&mut self) -> Option<io::Result<()>> {
        self.writer.written_at_once().await
    }

    /// Waits for the next event, and reads into `buffer` if `reads`. Cancel safe.
    pub(super) async fn next(&mut self, buffer: &mut BytesMut, reads: bool) -> PipeEvent {
        poll_fn(|context| {
            if let Poll::Ready(outcome) = self.writer.poll_written(context) {
                return Poll::Ready(PipeEvent::Written(outcome));
            }
            if reads && let Poll::Ready(outcome) = self.poll_read(buffer, context) {
                return Poll::Ready(PipeEvent::Read(outcome));
            }
            self.ended.as_mut().poll(context).map(PipeEvent::Ended)
        })
        .await
    }

    fn poll_read(
        &mut self,
        buffer: &mut BytesMut,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let Some(reader) = &mut self.reader else {
            return Poll::Pending;
        };
        if buffer.len() >= LONG {
            return poll_read(reader, buffer, context);
        }
        let mut shared = SHARED.take().unwrap_or_default();
        shared.reserve(LONG + READ);
        shared.extend_from_slice(buffer);
        let read = poll_read(reader, &mut shared, context);
        if let Poll::Ready(Ok(1..)) = &read {
            std::mem::swap(buffer, &mut shared);
        } else {
            shared.clear();
            SHARED.set(Some(shared));
        }
        read
    }

    /// Records the end of the output.
    pub(super) fn output_ended(&mut self) {
        self.reader = None;
        self.peer.output_ended();
    }

    /// Reads remaining output after the CLI's exit; `None` at its end. Cancel safe.
    pub(super) async fn read_rest(&mut self, buffer: &mut BytesMut) -> Option<usize> {
        let read = poll_fn(|context| self.poll_read(buffer, context));
        match timeout(QUIET, read).await {
            Ok(Ok(length @ 1..)) => Some(length),
            _ => None,
        }
    }

    /// Stops reading. Returns whether the output was still open.
    pub(super) fn stop_reading(&mut self) -> bool {
        self.reader.take().is_some()
    }

    /// Closes the input, within an unfinished line if `now`, and then the process.
    pub(super) fn close(&mut self, now: bool) {
        self.peer.close(Box::new(self.writer.finish(now)));
    }

    /// Waits for the report of closing.
    pub(super) async fn closed(&mut self) -> Option<CloseReport> {
        self.peer.closed().await
    }

    /// Kills the process and its descendants.
    pub(super) fn kill(&self) {
        self.peer.kill();
    }

    /// Closes the input for good, and returns the tail of standard error.
    pub(super) async fn shut_down(&mut self) -> String {
        let _ = timeout(QUIET, self.writer.close()).await;
        match &mut self.stderr.take() {
            Some(stderr) => stderr.at_end().await,
            None => String::new(),
        }
    }

    /// Removes the agent's private files. Without a runtime, the session's task drops them.
    pub(super) async fn remove_files(&mut self) {
        if let Some(private) = self.private.take() {
            // Removing files may block.
            blocking(move || drop(private)).await;
        }
    }

    /// Records that no process follows.
    pub(super) fn is_last(&self) {
        self.peers.end();
    }

    /// Takes the names of the variables that can stop the CLI.
    pub(super) fn take_suspects(&mut self) -> Vec<String> {
        std::mem::take(&mut self.suspects)
    }
}

impl Drop for Process {
    /// The session has ended, the runtime is shutting down, or the driver panicked. The CLI is no
    /// longer driven.
    fn drop(&mut self) {
        self.peers.end();
        self.peer.close(Box::new(|| ()));
    }
}

/// Waits until a process has exited or cannot be closed.
async fn ended(peer: Arc<dyn Peer>) -> ProcessEnd {
    let still_alive = async {
        match peer.closed().await {
            Some(report) if report.step == CloseStep::StillAlive => ProcessEnd::StillAlive,
            // `ended` reports the exit.
            _ => pending().await,
        }
    };
    tokio::select! {
        exit = peer.exited() => ProcessEnd::Exited(exit),
        ended = still_alive => ended,
    }
}

fn poll_read(
    reader: &mut Reader,
    buffer: &mut BytesMut,
    context: &mut Context<'_>,
) -> Poll<io::Result<usize>> {
    buffer.reserve(READ);
    // The future has no state of its own.
    pin!(reader.read_buf(&mut buffer.limit(READ))).poll(context)
}

/// Returns the shared buffer after a read. An incomplete line is copied.
pub(super) fn share(buffer: &mut BytesMut) {
    if buffer.len() < LONG {
        let rest = BytesMut::from(&buffer[..]);
        let mut shared = std::mem::replace(buffer, rest);
        shared.clear();
        shared.reserve(LONG + READ);
        SHARED.set(Some(shared));
    }
}
