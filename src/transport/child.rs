//! The CLI as a child of this process.

use super::{CloseInput, Connection, Peer, PeerFuture, Transport};
use crate::event::Error;
use crate::options::CommandLine;
#[cfg(unix)]
use crate::process::explain;
use crate::process::{ChildProcess, ClosePolicy, CloseReport, Pipes, find_cli, suspects};
use std::path::PathBuf;
use std::process::ExitStatus;
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
        let failed = |error| Error::Spawn {
            program: cli.file.clone(),
            error: Arc::new(error),
        };
        let id = Uuid::new_v4().to_string();
        let command = line.command(cli.command());
        let suspects = suspects(&command);
        #[cfg(unix)]
        let program = PathBuf::from(command.get_program());
        let spawned = ChildProcess::spawn(command, &id, policy);
        #[cfg(unix)]
        let spawned = spawned.map_err(|error| explain(&program, error));
        let (child, pipes) = spawned.map_err(failed)?;
        if !line.private.is_empty() {
            child.keep(line.private.clone());
        }
        tracing::debug!(session = id, pid = child.id(), "started the agent CLI");
        let Pipes {
            stdin,
            stdout,
            stderr,
        } = pipes;
        let output = ChildStdout::from_std(stdout).map_err(failed)?;
        let input = ChildStdin::from_std(stdin).map_err(failed)?;
        let stderr = ChildStderr::from_std(stderr).map_err(failed)?;
        let mut connection = Connection::new(output, input, child).stderr(stderr);
        connection.owns_files = true;
        connection.suspects = suspects;
        Ok(connection)
    }

    fn program(&self, line: &CommandLine) -> Option<PathBuf> {
        let cli = find_cli(line.cli.as_deref()).ok()?;
        Some(cli.file)
    }
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
        self.closed_with_all_by(close_input);
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
