//! Copies the three pipes between a host and its CLI.

use super::record::{Recording, Sink};
use agentwire_testkit::recording::Direction;
use shared_child::SharedChild;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The timeout of a silent pipe that another process keeps open after the CLI has exited.
const SILENCE_TIMEOUT: Duration = Duration::from_millis(500);

/// The capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// The CLI's pipes and the threads that copy them.
pub(super) struct Pipes {
    progress: Arc<Progress>,
    /// Receives a value for each output that has ended.
    ended: Receiver<()>,
}

/// The progress of the CLI's outputs.
#[derive(Default)]
struct Progress {
    bytes: AtomicU64,
    /// The number of pipes that wait for their reader.
    blocked: AtomicU64,
}

impl Pipes {
    /// Starts to copy the pipes.
    pub(super) fn copy(child: &SharedChild, recording: &Recording) -> Self {
        let [input, output, errors] = standard();
        let progress = Arc::new(Progress::default());
        let (end, ended) = channel();
        if let Some(to) = child.take_stdin() {
            let sink = recording.sink(Direction::Sent);
            spawn(move || copy(input, to, sink, &Progress::default()));
        }
        if let Some(from) = child.take_stdout() {
            let sink = recording.sink(Direction::Received);
            copy_out(from, output, sink, &progress, &end);
        }
        if let Some(from) = child.take_stderr() {
            let sink = recording.sink(Direction::Stderr);
            copy_out(from, errors, sink, &progress, &end);
        }
        Self { progress, ended }
    }

    /// Waits until the output of an exited CLI is forwarded. Waits for slow hosts. Another
    /// process may keep a pipe of the CLI open, so a pipe is abandoned when it is silent for
    /// [`SILENCE_TIMEOUT`].
    pub(super) fn drain(self) {
        let mut progress = self.progress.bytes.load(Ordering::SeqCst);
        loop {
            match self.ended.recv_timeout(SILENCE_TIMEOUT) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let now = self.progress.bytes.load(Ordering::SeqCst);
                    let is_quiet = std::mem::replace(&mut progress, now) == now;
                    if is_quiet && self.progress.blocked.load(Ordering::SeqCst) == 0 {
                        return;
                    }
                }
            }
        }
    }
}

fn copy_out(
    from: impl Read + Send + 'static,
    to: File,
    sink: Sink,
    progress: &Arc<Progress>,
    end: &Sender<()>,
) {
    let (progress, end) = (Arc::clone(progress), end.clone());
    spawn(move || {
        copy(from, to, sink, &progress);
        // Sending fails only if the output was abandoned.
        let _ = end.send(());
    });
}

/// Copies until the input ends or the output fails, and then closes both ends.
fn copy(mut from: impl Read, mut to: impl Write, sink: Sink, progress: &Progress) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = &chunk[..length];
        // Record the bytes before forwarding them, so that responses are recorded later.
        sink.passed(bytes);
        progress.blocked.fetch_add(1, Ordering::SeqCst);
        let passed = to.write_all(bytes).and_then(|()| to.flush());
        progress.bytes.fetch_add(length as u64, Ordering::SeqCst);
        progress.blocked.fetch_sub(1, Ordering::SeqCst);
        if passed.is_err() {
            break;
        }
    }
    sink.ended();
}

fn spawn(run: impl FnOnce() + Send + 'static) {
    std::thread::spawn(run);
}

/// Returns this process's standard streams, unbuffered. On Unix, standard input and output
/// have no other handle, so dropping these handles closes them.
#[cfg(unix)]
fn standard() -> [File; 3] {
    use std::os::fd::AsFd;
    let own = |it: io::Result<std::os::fd::OwnedFd>| it.map(File::from).unwrap_or_else(|_| null());
    let files = [
        own(io::stdin().as_fd().try_clone_to_owned()),
        own(io::stdout().as_fd().try_clone_to_owned()),
        own(io::stderr().as_fd().try_clone_to_owned()),
    ];
    // Standard error stays open for error messages.
    let null = null();
    let _ = rustix::stdio::dup2_stdin(&null);
    let _ = rustix::stdio::dup2_stdout(&null);
    files
}

#[cfg(windows)]
fn standard() -> [File; 3] {
    use std::os::windows::io::AsHandle;
    let own = |it: io::Result<std::os::windows::io::OwnedHandle>| {
        it.map(File::from).unwrap_or_else(|_| null())
    };
    [
        own(io::stdin().as_handle().try_clone_to_owned()),
        own(io::stdout().as_handle().try_clone_to_owned()),
        own(io::stderr().as_handle().try_clone_to_owned()),
    ]
}

/// Opens the null device.
fn null() -> File {
    let path = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let opened = File::options().read(true).write(true).open(path);
    opened.expect("every system has a null device")
}
