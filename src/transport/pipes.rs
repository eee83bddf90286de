//! Pipes to an agent that was spawned elsewhere.

use super::{CloseInput, Connection, Peer, PeerFuture, Transport};
use crate::event::Error;
use crate::options::CommandLine;
use crate::process::{ClosePolicy, CloseReport, CloseStep, spawn};
use std::process::ExitStatus;
use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf, split};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// Pipes to an agent that was spawned elsewhere: in a container, over ssh, in a
/// test.
///
/// The agent's process is unknown. Therefore:
///
/// - [`Options`](crate::Options) about the process have no effect: the CLI, its
///   directory, environment, arguments and standard error. Spawn the CLI with
///   [`Options::arguments`](crate::Options::arguments) and the variables of
///   [`CommandLine::environment`]. Without
///   `CLAUDE_CODE_SDK_READS_SESSION_STATE`, the CLI does not report when it
///   becomes busy or idle.
/// - The end of the agent's output ends the session, with
///   [`EndReason::OutputClosed`](crate::EndReason) if the host did not close
///   it.
/// - Closing shuts down the agent's input, drops it, and waits for the end of its output, for
///   at most [`ClosePolicy::exit`]. After that the session ends with
///   [`EndReason::StillAlive`](crate::EndReason).
/// - All of this runs in the session's runtime. If that is shut down, the pipes
///   are dropped.
///
/// See [`CloseReport`] for its contents in this case.
#[derive(Debug)]
pub struct Pipes<R, W>(Option<(R, W)>);

impl<R, W> Pipes<R, W> {
    /// Creates a transport that reads the agent's output from `reader` and
    /// writes to its input by `writer`.
    pub fn new(reader: R, writer: W) -> Self {
        Self(Some((reader, writer)))
    }
}

impl<T: AsyncRead + AsyncWrite> Pipes<ReadHalf<T>, WriteHalf<T>> {
    /// Creates a transport from a bidirectional stream, such as a socket.
    pub fn of(stream: T) -> Self {
        Self(Some(split(stream)))
    }
}

impl<R, W> Transport for Pipes<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    async fn open(&mut self, _: &CommandLine, policy: ClosePolicy) -> Result<Connection, Error> {
        let Some((output, input)) = self.0.take() else {
            return Err(Error::transport("the pipes can only be opened once"));
        };
        Ok(Connection::new(output, input, UnknownProcess::new(policy)))
    }

    fn starts_agent(&self) -> bool {
        false
    }
}

/// An agent whose process is unknown.
#[derive(Debug)]
struct UnknownProcess {
    exited: CancellationToken,
    closing: CancellationToken,
    report: watch::Receiver<Option<CloseReport>>,
}

impl UnknownProcess {
    /// Spawns the task that waits for the end of the output once closing starts.
    fn new(policy: ClosePolicy) -> Self {
        let (exited, closing) = (CancellationToken::new(), CancellationToken::new());
        let (reporter, report) = watch::channel(None);
        let this = Self {
            exited: exited.clone(),
            closing: closing.clone(),
            report,
        };
        spawn(async move {
            closing.cancelled().await;
            let started = Instant::now();
            let step = match timeout(policy.exit, exited.cancelled()).await {
                Ok(()) => CloseStep::Exited,
                Err(_) => CloseStep::StillAlive,
            };
            reporter.send_replace(Some(CloseReport {
                step,
                took: started.elapsed(),
                descendants_unknown: true,
                ..CloseReport::default()
            }));
        });
        this
    }
}

impl Peer for UnknownProcess {
    fn exited(&self) -> PeerFuture<'_, Option<ExitStatus>> {
        Box::pin(async {
            self.exited.cancelled().await;
            None
        })
    }

    fn output_ended(&self) {
        self.exited.cancel();
    }

    fn close(&self, close_input: CloseInput) {
        close_input();
        self.closing.cancel();
    }

    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>> {
        Box::pin(async {
            let mut report = self.report.clone();
            report.wait_for(Option::is_some).await.ok()?.clone()
        })
    }
}
