//! Pipes to an agent that somebody else has started.

use super::{CloseInput, Connection, Peer, PeerFuture, Transport};
use crate::event::Error;
use crate::options::CommandLine;
use crate::process::{ClosePolicy, CloseReport, CloseStep};
use std::process::ExitStatus;
use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf, split};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// Pipes to an agent that somebody else has started: in a container, over ssh,
/// in a test.
///
/// Nothing is known of the agent's process, so that
///
/// - what [`Options`](crate::Options) say of a process has no effect: the CLI,
///   its directory, environment, arguments and standard error. Whoever starts
///   the CLI passes [`Options::arguments`](crate::Options::arguments), and sets
///   what [`CommandLine::environment`] has: without
///   `CLAUDE_CODE_SDK_READS_SESSION_STATE` the CLI does not report when it
///   begins to work and to rest;
/// - the end of what the agent writes is the end of the session, with
///   [`EndReason::OutputClosed`](crate::EndReason) if nobody closed it;
/// - closing shuts down what the agent reads, drops it, and waits for the end
///   of what it writes for as long as [`ClosePolicy::exit`] says. Then that is
///   given up, and the session ends with
///   [`EndReason::StillAlive`](crate::EndReason);
/// - all of that is done by the runtime of the session: when it is gone, the
///   pipes are dropped, and nothing more is done.
///
/// [`CloseReport`] says what it says then.
#[derive(Debug)]
pub struct Pipes<R, W> {
    output: R,
    input: W,
}

impl<R, W> Pipes<R, W> {
    /// What the agent writes is read from `reader`, what it reads is written
    /// to `writer`.
    pub fn new(reader: R, writer: W) -> Self {
        Self {
            output: reader,
            input: writer,
        }
    }
}

impl<T: AsyncRead + AsyncWrite> Pipes<ReadHalf<T>, WriteHalf<T>> {
    /// A stream in both directions, such as a socket.
    pub fn of(stream: T) -> Self {
        let (output, input) = split(stream);
        Self { output, input }
    }
}

impl<R, W> Transport for Pipes<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    async fn open(self, _line: &CommandLine, policy: ClosePolicy) -> Result<Connection, Error> {
        let peer = Elsewhere::new(policy);
        Ok(Connection::new(self.output, self.input, peer))
    }
}

/// An agent of which nothing can be known but whether its output has ended.
#[derive(Debug)]
struct Elsewhere {
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
                descendants_unknown: true,
                ..CloseReport::default()
            }));
        });
        this
    }
}

impl Peer for Elsewhere {
    fn gone(&self) -> PeerFuture<'_, Option<ExitStatus>> {
        Box::pin(async {
            self.gone.cancelled().await;
            None
        })
    }

    fn output_ended(&self) {
        self.gone.cancel();
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
