//! The CLI as a child of this process.

use super::{CloseInput, Connection, Peer, PeerFuture, Transport};
use crate::event::Error;
use crate::options::{CommandLine, PrivateFiles};
#[cfg(unix)]
use crate::process::explain;
use crate::process::{ChildProcess, ClosePolicy, CloseReport, find_cli, harmful_variables};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use uuid::Uuid;

/// Spawns the CLI as a child of this process. [`Client::connect`](crate::Client::connect) uses
/// this.
///
/// Closing also ends all processes that the CLI started, as configured by [`ClosePolicy`]. It
/// runs in a thread shared by all sessions, and needs no runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalCli;

impl Transport for LocalCli {
    async fn open(&mut self, line: &CommandLine, policy: ClosePolicy) -> Result<Connection, Error> {
        line.check_here()?;
        let cli = find_cli(line.cli.as_deref())?;
        let command = line.command(cli.command());
        let suspects = harmful_variables(&command);
        let private = (!line.private.is_empty()).then(|| line.private.clone());
        let mut connection = spawn(command, cli.file, policy, private)?;
        connection.owns_files = true;
        connection.suspects = suspects;
        Ok(connection)
    }

    fn program(&self, line: &CommandLine) -> Option<PathBuf> {
        let cli = find_cli(line.cli.as_deref()).ok()?;
        Some(cli.file)
    }
}

impl Connection {
    /// Spawns a program as a child of this process, with pipes, as [`LocalCli`] spawns the CLI.
    /// For agents with another protocol: a session of this crate does not use it.
    ///
    /// Close it with [`Peer::close`] of [`peer`](Self::peer), and await [`Peer::closed`]. That
    /// also ends all processes that the program has started. Dropping the last peer starts
    /// closing; [`close_all`](crate::close_all) closes it, too.
    ///
    /// Must be called in a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`Error::Spawn`] if the program cannot be started.
    pub fn spawn(command: Command, policy: ClosePolicy) -> Result<Self, Error> {
        let program = PathBuf::from(command.get_program());
        spawn(command, program, policy, None)
    }
}

/// The size of the pipe from the program, in bytes. Each time a program fills its pipe, it and
/// the driver wait for each other.
#[cfg(target_os = "linux")]
const OUTPUT: usize = 256 * 1024;

/// Spawns a program. `private` are files that are removed when it has exited.
fn spawn(
    command: Command,
    program: PathBuf,
    policy: ClosePolicy,
    private: Option<PrivateFiles>,
) -> Result<Connection, Error> {
    let failed = |error| Error::Spawn {
        program: program.clone(),
        error: Arc::new(error),
    };
    let id = Uuid::new_v4().to_string();
    #[cfg(unix)]
    let found = PathBuf::from(command.get_program());
    let spawned = ChildProcess::spawn(command, &id, policy);
    #[cfg(unix)]
    let spawned = spawned.map_err(|error| explain(&found, error));
    let (child, pipes) = spawned.map_err(failed)?;
    if let Some(private) = private {
        child.drop_after_exit(private);
    }
    tracing::debug!(session = id, pid = child.id(), "started the agent");
    // Fails above the limit of a user. The pipe then has its default size, of 64 KiB.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(&pipes.stdout, OUTPUT);
    let output = ChildStdout::from_std(pipes.stdout).map_err(failed)?;
    let input = ChildStdin::from_std(pipes.stdin).map_err(failed)?;
    let stderr = ChildStderr::from_std(pipes.stderr).map_err(failed)?;
    Ok(Connection::new(output, input, child).stderr(stderr))
}

impl Peer for ChildProcess {
    fn pid(&self) -> Option<u32> {
        Some(self.id())
    }

    fn mark(&self) -> Option<&str> {
        Some(self.session())
    }

    fn exited(&self) -> PeerFuture<'_, Option<ExitStatus>> {
        Box::pin(async {
            match self.exit().wait_for(Option::is_some).await {
                Ok(exit) => exit.clone()?.ok(),
                Err(_) => None,
            }
        })
    }

    fn attached(&self, close_input: CloseInput) {
        self.set_input_closer(close_input);
    }

    fn close(&self, close_input: CloseInput) {
        drop(Self::close(self, close_input));
    }

    fn kill(&self) {
        Self::kill(self);
    }

    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>> {
        Box::pin(Self::closed(self))
    }

    fn was_signalled(&self) -> bool {
        Self::was_signalled(self)
    }
}
