//! The three pipes between a host and its CLI.

use super::record::{Recording, Sink};
use agentwire_testkit::recording::Direction;
use shared_child::SharedChild;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long nothing may come from a pipe that somebody holds open when the CLI
/// is gone.
const QUIET: Duration = Duration::from_millis(500);

/// As much as a pipe holds.
const CHUNK: usize = 64 * 1024;

/// The CLI's pipes, and the threads that copy.
pub(super) struct Pipes {
    said: Arc<Said>,
    /// The outputs that have ended.
    ended: Receiver<()>,
}

/// What the CLI has said.
#[derive(Default)]
struct Said {
    bytes: AtomicU64,
    /// How many pipes wait for their reader.
    blocked: AtomicU64,
}

impl Pipes {
    /// Copies all of them from now on.
    pub(super) fn copy(child: &SharedChild, recording: &Recording) -> Self {
        let [input, output, errors] = standard();
        let said = Arc::new(Said::default());
        let (end, ended) = channel();
        if let Some(to) = child.take_stdin() {
            let sink = recording.sink(Direction::Sent);
            spawn(move || copy(input, to, sink, &Said::default()));
        }
        if let Some(from) = child.take_stdout() {
            let sink = recording.sink(Direction::Received);
            copy_out(from, output, sink, &said, &end);
        }
        if let Some(from) = child.take_stderr() {
            let sink = recording.sink(Direction::Stderr);
            copy_out(from, errors, sink, &said, &end);
        }
        Self { said, ended }
    }

    /// Waits until all has been passed on that a CLI had to say which is gone.
    /// What it has left behind may hold its pipes for as long as it likes: it
    /// is not waited for when it is quiet. A host that is slow to read is.
    pub(super) fn drain(self) {
        let mut said = self.said.bytes.load(Ordering::SeqCst);
        loop {
            match self.ended.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let now = self.said.bytes.load(Ordering::SeqCst);
                    let is_quiet = std::mem::replace(&mut said, now) == now;
                    if is_quiet && self.said.blocked.load(Ordering::SeqCst) == 0 {
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
    said: &Arc<Said>,
    end: &Sender<()>,
) {
    let (said, end) = (Arc::clone(said), end.clone());
    spawn(move || {
        copy(from, to, sink, &said);
        // Nobody listens any more when the CLI has been given up.
        let _ = end.send(());
    });
}

/// Passes on what comes, until nothing comes or nobody takes it. Both ends are
/// closed then, so that each side learns it of the other.
fn copy(mut from: impl Read, mut to: impl Write, sink: Sink, said: &Said) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = &chunk[..length];
        // Before anybody can answer it, so that the order is kept.
        sink.passed(bytes);
        said.blocked.fetch_add(1, Ordering::SeqCst);
        let passed = to.write_all(bytes).and_then(|()| to.flush());
        said.bytes.fetch_add(length as u64, Ordering::SeqCst);
        said.blocked.fetch_sub(1, Ordering::SeqCst);
        if passed.is_err() {
            break;
        }
    }
    sink.ended();
}

fn spawn(run: impl FnOnce() + Send + 'static) {
    std::thread::spawn(run);
}

/// This process's own pipes, without buffers. Where that can be done they are
/// held by nobody else, so that they close when they are dropped.
#[cfg(unix)]
fn standard() -> [File; 3] {
    use std::os::fd::AsFd;
    let own = |it: io::Result<std::os::fd::OwnedFd>| it.map(File::from).unwrap_or_else(|_| null());
    let files = [
        own(io::stdin().as_fd().try_clone_to_owned()),
        own(io::stdout().as_fd().try_clone_to_owned()),
        own(io::stderr().as_fd().try_clone_to_owned()),
    ];
    // Standard error stays: what goes wrong here is told there.
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

/// What nobody reads, and where nothing comes from.
fn null() -> File {
    let path = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let opened = File::options().read(true).write(true).open(path);
    opened.expect("every system has a null device")
}
