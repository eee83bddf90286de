//! Gates as files in a directory, for the agent and for the test.

use super::environment::{GATES, ScriptError};
use crate::scenario::Scenario;
use crate::scenario::gate;
use crate::scenario::gate_name::REACHED;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};
use std::{env, fs, io, process, thread};

/// The interval between checks of the directory while the script waits at a
/// gate.
pub(crate) const PERIOD: Duration = Duration::from_millis(2);

/// How long [`Gates::reached`] waits.
const REACH_TIMEOUT: Duration = Duration::from_secs(60);

/// The gates of a script, for a test: a temporary directory, whose path goes into the
/// environment of the fake agent.
///
/// ```no_run
/// # async fn test() -> Result<(), Box<dyn std::error::Error>> {
/// use agentwire_testkit::fake_agent::{self, Gates};
/// use agentwire_testkit::{Scenario, Step};
/// use std::process::Command;
///
/// let script = Scenario::default()
///     .reply([Step::text("One moment."), Step::gate("checked"), Step::text("Go on.")]);
/// let gates = Gates::new()?;
/// let agent = Command::new(fake_agent::path()?)
///     .env(fake_agent::SCRIPT, script.to_json())
///     .env(fake_agent::GATES, gates.path())
///     .spawn()?;
/// // … here the test sends a prompt …
/// gates.reached("checked").await?;
/// // … and here it acts while the turn waits.
/// gates.open("checked")?;
/// # Ok(())
/// # }
/// ```
///
/// Dropping it removes the directory, and an agent that still waits at a gate exits.
#[derive(Debug)]
pub struct Gates(PathBuf);

impl Gates {
    /// Creates the directory.
    ///
    /// # Errors
    ///
    /// If it cannot be created in the system's directory for temporary files.
    pub fn new() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("fake-agent-gates-{}-{number}", process::id());
            let folder = env::temp_dir().join(name);
            match fs::create_dir(&folder) {
                // Of an earlier process with this ID.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|()| Self(folder)),
            }
        }
    }

    /// Returns the directory, for the variable [`GATES`].
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Opens a gate, now or before the script reaches it. It stays open, also for agents that
    /// are started later.
    ///
    /// # Errors
    ///
    /// If its file cannot be written.
    pub fn open(&self, name: &str) -> io::Result<()> {
        fs::write(self.0.join(name), "")
    }

    /// Waits until the script has reached a gate. Works on every runtime.
    ///
    /// # Errors
    ///
    /// [`TimedOut`](io::ErrorKind::TimedOut) after a minute.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub async fn reached(&self, name: &str) -> io::Result<()> {
        let file = self.0.join(format!("{name}{REACHED}"));
        let until = Instant::now() + REACH_TIMEOUT;
        poll_fn(|context| {
            if file.exists() {
                return Poll::Ready(Ok(()));
            }
            if Instant::now() > until {
                let why = format!("the script did not reach the gate {name:?} within a minute");
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, why)));
            }
            let waker = context.waker().clone();
            thread::spawn(move || {
                thread::sleep(PERIOD);
                waker.wake();
            });
            Poll::Pending
        })
        .await
    }
}

impl Drop for Gates {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// The directory of gates of an agent.
#[derive(Debug)]
pub(crate) struct GateFolder(PathBuf);

impl GateFolder {
    /// Opens the directory that the environment names.
    pub(crate) fn from_environment(scenario: &Scenario) -> Result<Self, ScriptError> {
        let folder = PathBuf::from(env::var_os(GATES).unwrap_or_default());
        if gate::Gates::new(scenario).is_empty() || folder.is_dir() {
            Ok(Self(folder))
        } else {
            Err(ScriptError::NoGates)
        }
    }

    /// Opens those of the shut gates whose files exist.
    ///
    /// Exits if the directory was removed, so that an agent does not outlive its
    /// test.
    pub(crate) fn open(&self, shut: &[String], mut open: impl FnMut(&str)) {
        if !shut.is_empty() && !self.0.is_dir() {
            exit(1);
        }
        for gate in shut {
            if self.0.join(gate).exists() {
                open(gate);
            }
        }
    }

    /// Creates the file that marks a gate as reached.
    pub(crate) fn mark_reached(&self, gate: &str) -> io::Result<()> {
        fs::write(self.0.join(format!("{gate}{REACHED}")), "")
    }
}
