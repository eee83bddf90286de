//! What a session runs over: the pipes, and the agent at their far end.
//!
//! The agent is a child of this process, or somebody else started it and only
//! its pipes are known. The driver does not know which.

use crate::error::{EndReason, Error};
use crate::options::{CommandLine, Options};
use crate::process::{ChildProcess, ClosePolicy, CloseReport, CloseStep, Pipes};
use std::fmt;
use std::process::ExitStatus;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What the agent writes.
pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// What the agent reads.
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// The pipes to an agent, and the agent.
pub(crate) struct Transport {
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
    pub(crate) stderr: Option<ChildStderr>,
    pub(crate) far_end: FarEnd,
}

impl Transport {
    /// Starts the CLI.
    pub(crate) fn spawn(options: &Options, line: &CommandLine) -> Result<Self, Error> {
        let cli = options.find()?;
        let command = line.command(cli.command());
        let failed = |source| Error::Spawn {
            program: cli.file.clone(),
            source: Arc::new(source),
        };
        let id = Uuid::new_v4().to_string();
        let (child, pipes) = ChildProcess::spawn(command, &id, options.close).map_err(failed)?;
        tracing::debug!(session = id, pid = child.id(), "started the agent CLI");
        let Pipes {
            stdin,
            stdout,
            stderr,
        } = pipes;
        Ok(Self {
            reader: Box::new(ChildStdout::from_std(stdout).map_err(failed)?),
            writer: Box::new(ChildStdin::from_std(stdin).map_err(failed)?),
            stderr: Some(ChildStderr::from_std(stderr).map_err(failed)?),
            far_end: FarEnd::Child(child),
        })
    }

    /// Pipes to an agent that is there already.
    pub(crate) fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        policy: ClosePolicy,
    ) -> Self {
        Self {
            reader: Box::new(reader),
            writer: Box::new(writer),
            stderr: None,
            far_end: FarEnd::Elsewhere(Elsewhere::new(policy)),
        }
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport")
            .field("far_end", &self.far_end)
            .finish_non_exhaustive()
    }
}

/// The agent, at the other end of the pipes.
#[derive(Debug)]
pub(crate) enum FarEnd {
    Child(ChildProcess),
    Elsewhere(Elsewhere),
}

impl FarEnd {
    /// The agent's process id, if it is a child of this process.
    pub(crate) fn pid(&self) -> Option<u32> {
        match self {
            Self::Child(child) => Some(child.id()),
            Self::Elsewhere(_) => None,
        }
    }

    /// The agent's output has ended.
    pub(crate) fn output_ended(&self) {
        match self {
            // It is about to exit, or not.
            Self::Child(_) => {}
            Self::Elsewhere(it) => it.gone.cancel(),
        }
    }

    /// Waits until the agent is gone; its exit status, if that can be known.
    /// Cancel safe.
    pub(crate) async fn gone(&self) -> Option<ExitStatus> {
        match self {
            Self::Child(child) => match child.exit().wait_for(Option::is_some).await {
                Ok(exit) => exit.clone()?.ok(),
                Err(_) => None,
            },
            Self::Elsewhere(it) => {
                it.gone.cancelled().await;
                None
            }
        }
    }

    /// Waits until closing was given up. Cancel safe.
    pub(crate) async fn given_up(&self) {
        match self.closed().await {
            Some(report) if report.step == CloseStep::StillAlive => {}
            // It is gone, which is told by the other way.
            _ => std::future::pending().await,
        }
    }

    /// Asks the agent to end, and helps along if it does not, as far as that
    /// is possible; `close_input` closes its input. Only the first call does
    /// more than that. It waits for nothing.
    pub(crate) fn close(&self, close_input: impl FnOnce() + Send + 'static) {
        match self {
            Self::Child(child) => drop(child.close(close_input)),
            Self::Elsewhere(it) => {
                close_input();
                it.closing.cancel();
            }
        }
    }

    /// What is done to have the agent's input closed when all sessions of this
    /// process are.
    pub(crate) fn closed_with_all_by(&self, close_input: impl FnOnce() + Send + 'static) {
        if let Self::Child(child) = self {
            child.closed_with_all_by(close_input);
        }
    }

    /// The report of a close that somebody has started, or will start. `None`
    /// when there will be none.
    pub(crate) async fn closed(&self) -> Option<CloseReport> {
        match self {
            Self::Child(child) => child.closed().await,
            Self::Elsewhere(it) => it.closed().await,
        }
    }

    /// Whether the agent was sent a signal from here.
    pub(crate) fn was_signalled(&self) -> bool {
        match self {
            Self::Child(child) => child.was_signalled(),
            Self::Elsewhere(_) => false,
        }
    }

    /// Why a session ends when the agent is gone and nobody closed it.
    pub(crate) fn unasked(&self) -> EndReason {
        match self {
            Self::Child(_) => EndReason::Exited,
            Self::Elsewhere(_) => EndReason::OutputClosed,
        }
    }
}

/// An agent that somebody else started. All that can be known of it is whether
/// its output has ended.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    gone: CancellationToken,
    closing: CancellationToken,
    report: watch::Receiver<Option<CloseReport>>,
}

impl Elsewhere {
    /// Starts the task that waits for its end once it is to end.
    fn new(policy: ClosePolicy) -> Self {
        let (gone, closing) = (CancellationToken::new(), CancellationToken::new());
        let (reporter, report) = watch::channel(None);
        let this = Self {
            gone: gone.clone(),
            closing: closing.clone(),
            report,
        };
        tokio::spawn(async move {
            closing.cancelled().await;
            let started = Instant::now();
            let step = match timeout(policy.exit, gone.cancelled()).await {
                Ok(()) => CloseStep::Exited,
                Err(_) => CloseStep::StillAlive,
            };
            reporter.send_replace(Some(CloseReport {
                step,
                took: started.elapsed(),
                ..CloseReport::default()
            }));
        });
        this
    }

    async fn closed(&self) -> Option<CloseReport> {
        let mut report = self.report.clone();
        report.wait_for(Option::is_some).await.ok()?.clone()
    }
}
