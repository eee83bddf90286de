//! The child process: spawning, closing, dropping.

use super::SESSION_VARIABLE;
use super::closer::{CLOSER, Closer};
use super::closing::Closing;
use super::exit::Exit;
#[cfg(windows)]
use super::job::Job;
use super::policy::{ClosePolicy, CloseReport};
use shared_child::SharedChild;
use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use tokio::sync::watch;

/// The agent CLI's process.
///
/// Dropping it starts [`close`](Self::close), without blocking and without a
/// runtime. That only works if the host keeps running. Before exiting, await a
/// `close`, or call [`close_all`](super::close_all).
#[derive(Debug)]
pub(crate) struct ChildProcess {
    pid: u32,
    closer: &'static Closer,
    pub(super) closing: Arc<Closing>,
    session: String,
}

/// The child's ends of the three pipes. Close stdin before the child.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl ChildProcess {
    /// Spawns `command` with three pipes, on Unix in its own process group, on
    /// Windows in its own job object and without a window.
    ///
    /// `session` marks the child and its descendants in their environment. It must be unique to
    /// this child and contain no colon; otherwise, closing this child would end others.
    ///
    /// # Errors
    ///
    /// If the program or a thread cannot be started. `InvalidInput` if
    /// `session` is empty or contains a colon.
    pub(crate) fn spawn(
        command: Command,
        session: &str,
        policy: ClosePolicy,
    ) -> io::Result<(Self, Pipes)> {
        Self::spawn_for(&CLOSER, command, session, policy)
    }

    /// Like [`spawn`](Self::spawn), with another closer.
    pub(super) fn spawn_for(
        closer: &'static Closer,
        mut command: Command,
        session: &str,
        policy: ClosePolicy,
    ) -> io::Result<(Self, Pipes)> {
        if session.is_empty() || session.contains(':') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "invalid session name",
            ));
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let sessions = sessions(&command, session);
        command.env(SESSION_VARIABLE, sessions);
        detach(&mut command);
        // Not created from a spawned child, because that would reap a child that has already
        // exited.
        #[cfg(not(windows))]
        let child = SharedChild::spawn(&mut command)?;
        #[cfg(windows)]
        let child = command.spawn()?;
        #[cfg(windows)]
        let job = Job::of(&child)
            .inspect_err(|error| tracing::warn!(%error, "cannot put the child into a job object"))
            .ok();
        #[cfg(windows)]
        let child = SharedChild::new(child)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.take_stdin(), child.take_stdout(), child.take_stderr())
        else {
            unreachable!("all three are piped");
        };
        let pid = child.id();
        let closing = Closing::new(child, (closer.watched)(pid), session, policy);
        #[cfg(windows)]
        let closing = closing.in_job(job);
        let closing = Arc::new(closing);
        closer.watch(&closing).inspect_err(|_| {
            // The exit of an unwatched child would not be detected.
            let _ = closing.child.kill();
            let _ = closing.child.wait();
        })?;
        tracing::debug!(pid, session, "child started");
        let pipes = Pipes {
            stdin,
            stdout,
            stderr,
        };
        let this = Self {
            pid,
            closer,
            closing,
            session: session.to_owned(),
        };
        Ok((this, pipes))
    }

    /// Returns the child's PID. It may be reused after the child has exited.
    pub(crate) fn id(&self) -> u32 {
        self.pid
    }

    /// Returns the name that marks the child and its descendants.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// Waits for the report of closing, whether or not closing has started.
    /// Returns `None` only if something panicked, for instance a `tracing`
    /// subscriber.
    pub(crate) async fn closed(&self) -> Option<CloseReport> {
        let mut report = self.closing.report();
        report.wait_for(Option::is_some).await.ok()?.clone()
    }

    /// Returns whether the host sent the child a signal, which may explain its
    /// exit status.
    pub(crate) fn was_signalled(&self) -> bool {
        self.closing.was_signalled()
    }

    /// Returns a channel that contains `Some` once the child has exited, even if its output is
    /// still open elsewhere.
    pub(crate) fn exit(&self) -> watch::Receiver<Option<Exit>> {
        self.closing.exit()
    }

    /// Starts closing the child and its descendants: see [`Closer::close`].
    pub(crate) fn close(
        &self,
        close_input: impl FnOnce() + Send + 'static,
    ) -> watch::Receiver<Option<CloseReport>> {
        self.closer.close(&self.closing, close_input)
    }

    /// Kills the child and its descendants immediately: see [`Closer::kill`].
    pub(crate) fn kill(&self) {
        self.closer.kill(&self.closing);
    }

    /// Sets how [`close_all`](super::close_all) closes the child's input.
    pub(crate) fn set_input_closer(&self, close_input: impl FnOnce() + Send + 'static) {
        self.closing.set_input_closer(close_input);
    }

    /// Stores a resource until the child has exited. It is dropped before the exit is reported, and
    /// also if the child could not be closed.
    pub(crate) fn drop_after_exit(&self, what: impl Send + 'static) {
        self.closing.resource.set(what);
    }

    #[cfg(test)]
    pub(super) fn set_policy(&mut self, policy: ClosePolicy) {
        self.closing.set_policy(policy);
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.close(|| ());
    }
}

/// Returns the marker's value: the inherited session names, and its own.
fn sessions(command: &Command, session: &str) -> OsString {
    let set = command
        .get_envs()
        .find(|(name, _)| *name == OsStr::new(SESSION_VARIABLE));
    let inherited = match set {
        Some((_, value)) => value.map(OsStr::to_owned),
        None => std::env::var_os(SESSION_VARIABLE),
    };
    match inherited {
        Some(mut sessions) => {
            sessions.push(":");
            sessions.push(session);
            sessions
        }
        None => session.into(),
    }
}

#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    command.process_group(0);
}

#[cfg(windows)]
fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;

    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(any(unix, windows)))]
fn detach(_command: &mut Command) {}
