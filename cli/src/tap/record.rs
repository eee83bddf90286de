//! Writes the recording on its own thread, so that slow or failing writes do not affect the
//! session.

use crate::files::append;
use agentwire_testkit::recording::{Direction, Recorder, Scrub, Spawn};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

/// The maximum size of the queue in bytes. Further bytes are forwarded but not recorded, and the
/// recording notes their number.
const MAX_QUEUED: usize = 64 << 20;

/// The timeout for writing the rest of the recording when the session has ended.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// An event of the session.
enum RecordEvent {
    Spawned(Spawn),
    Passed(Direction, Vec<u8>),
    Missed(Direction, usize),
    Ended(Direction),
    Exited(Option<i32>, Option<i32>),
}

/// A recording in progress.
pub(super) struct Recording {
    events: Sender<(Instant, RecordEvent)>,
    queued: Arc<AtomicUsize>,
    done: Receiver<io::Result<()>>,
}

/// Records the bytes of one pipe.
pub(super) struct Sink {
    direction: Direction,
    events: Sender<(Instant, RecordEvent)>,
    queued: Arc<AtomicUsize>,
    missed: std::cell::Cell<usize>,
}

impl Recording {
    /// Opens a file to append to, or creates a new one in a folder.
    pub(super) fn open(path: &Path, scrub: Scrub) -> io::Result<Self> {
        let file = open(path)?;
        let (sender, receiver) = channel();
        let (end, done) = channel();
        let queued = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&queued);
        let recorder = Recorder::new(Instant::now(), scrub);
        std::thread::spawn(move || {
            // Sending fails only if `finish` has timed out.
            drop(end.send(write(file, recorder, &receiver, &written)));
        });
        Ok(Self {
            events: sender,
            queued,
            done,
        })
    }

    pub(super) fn spawned(&self, spawn: Spawn) {
        self.send(RecordEvent::Spawned(spawn));
    }

    pub(super) fn exited(&self, code: Option<i32>, signal: Option<i32>) {
        self.send(RecordEvent::Exited(code, signal));
    }

    fn send(&self, event: RecordEvent) {
        // Sending fails only if the writing thread has failed, which `finish` reports.
        drop(self.events.send((Instant::now(), event)));
    }

    pub(super) fn sink(&self, direction: Direction) -> Sink {
        Sink {
            direction,
            events: self.events.clone(),
            queued: Arc::clone(&self.queued),
            missed: std::cell::Cell::new(0),
        }
    }

    /// Waits until the recording is written, up to the timeout.
    ///
    /// # Errors
    ///
    /// Fails if writing failed or timed out.
    pub(super) fn finish(self) -> io::Result<()> {
        drop(self.events);
        match self.done.recv_timeout(FINISH_TIMEOUT) {
            Ok(written) => written,
            Err(_) => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "writing it timed out",
            )),
        }
    }
}

impl Sink {
    pub(super) fn passed(&self, bytes: &[u8]) {
        if self.queued.load(Ordering::SeqCst) + bytes.len() > MAX_QUEUED {
            self.missed.set(self.missed.get() + bytes.len());
            return;
        }
        let missed = self.missed.take();
        if missed > 0 {
            self.send(RecordEvent::Missed(self.direction, missed));
        }
        self.queued.fetch_add(bytes.len(), Ordering::SeqCst);
        self.send(RecordEvent::Passed(self.direction, bytes.to_vec()));
    }

    pub(super) fn ended(&self) {
        let missed = self.missed.take();
        if missed > 0 {
            self.send(RecordEvent::Missed(self.direction, missed));
        }
        self.send(RecordEvent::Ended(self.direction));
    }

    fn send(&self, event: RecordEvent) {
        // Sending fails only if the writing thread has failed, which `finish` reports.
        drop(self.events.send((Instant::now(), event)));
    }
}

/// Writes until the session has ended.
fn write(
    file: File,
    mut recorder: Recorder,
    events: &Receiver<(Instant, RecordEvent)>,
    queued: &AtomicUsize,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    let mut next = events.recv().ok();
    while let Some((now, event)) = next {
        let is_last = matches!(event, RecordEvent::Exited(..));
        let lines = match event {
            RecordEvent::Spawned(spawn) => recorder.spawned(now, spawn),
            RecordEvent::Passed(direction, bytes) => {
                queued.fetch_sub(bytes.len(), Ordering::SeqCst);
                recorder.passed(now, direction, &bytes)
            }
            RecordEvent::Missed(direction, bytes) => recorder.missed(now, direction, bytes),
            RecordEvent::Ended(direction) => recorder.ended(now, direction),
            RecordEvent::Exited(code, signal) => recorder.exited(now, code, signal),
        };
        file.write_all(&lines)?;
        if is_last {
            // A pipe that another process keeps open does not end.
            break;
        }
        next = match events.try_recv() {
            Ok(next) => Some(next),
            // The queue is empty. Flush, so that readers of the file see all events so far.
            Err(_) => {
                file.flush()?;
                events.recv().ok()
            }
        };
    }
    file.flush()
}

fn open(path: &Path) -> io::Result<File> {
    let path = if path.is_dir() {
        new_file_in(path)
    } else {
        path.to_owned()
    };
    let mut file = append(&path)?;
    // A truncated recording may end in the middle of a line.
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// Returns a path in the folder, with a unique name that contains the current time.
fn new_file_in(folder: &Path) -> PathBuf {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    folder.join(format!("{millis}-{}.ndjson", std::process::id()))
}
