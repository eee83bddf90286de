//! A machine on which the session can spawn any number of agent processes, and on which
//! the test kills them.

use crate::agent::Agent;
use crate::disk::Disk;
use crate::log::Log;
use agentwire::options::CommandLine;
use agentwire::process::{CloseReport, CloseStep};
use agentwire::transport::{CloseInput, Connection, Peer, PeerFuture, Transport};
use agentwire::{ClosePolicy, Error};
use agentwire_testing::Random;
use std::future::pending;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// The simulated machine. Clones share their state.
#[derive(Clone)]
pub(crate) struct Machine {
    pub(crate) log: Log,
    pub(crate) disk: Disk,
    dice: Arc<Mutex<Random>>,
    running: Arc<Mutex<Option<Arc<Process>>>>,
    /// Whether starts after the first may fail.
    pub(crate) may_fail: bool,
}

/// The time until the cleanup after a process is complete.
const CLEANING: Duration = Duration::from_millis(20);

/// A process of the agent.
#[derive(Debug)]
struct Process {
    task: AbortHandle,
    hangs: watch::Sender<bool>,
    is_gone: watch::Receiver<bool>,
    /// Whether the descendants of the process have exited, which takes some time.
    is_clean: watch::Sender<bool>,
    policy: ClosePolicy,
    is_closing: Mutex<bool>,
}

impl Machine {
    pub(crate) fn new(dice: Random, log: Log, may_fail: bool) -> Self {
        Self {
            log,
            disk: Disk::default(),
            dice: Arc::new(Mutex::new(dice)),
            running: Arc::default(),
            may_fail,
        }
    }

    /// Kills the running process. Its output can still be read.
    pub(crate) fn kill(&self) {
        if let Some(process) = &*self.running.lock().unwrap() {
            if *process.is_gone.borrow() {
                return;
            }
            self.log.note("a process is killed");
            process.task.abort();
        }
    }

    /// Makes the running process hang.
    pub(crate) fn hang(&self) {
        if let Some(process) = &*self.running.lock().unwrap() {
            self.log.note("a process hangs");
            process.hangs.send_replace(true);
        }
    }

    fn dice(&self) -> Random {
        self.dice.lock().unwrap().split()
    }
}

impl Transport for Machine {
    async fn open(&mut self, line: &CommandLine, policy: ClosePolicy) -> Result<Connection, Error> {
        let mut dice = self.dice();
        if self.disk.lock().processes > 0 && self.may_fail && dice.one_in(6) {
            self.log.note("a process cannot be started");
            return Err(Error::transport("there is no memory"));
        }
        if dice.one_in(2) {
            tokio::time::sleep(Duration::from_millis(dice.below(500) as u64)).await;
        }
        let capacity = if dice.one_in(2) {
            1 + dice.below(300)
        } else {
            64 * 1024
        };
        let last = self.running.lock().unwrap().clone();
        if last.is_some_and(|it| !*it.is_clean.borrow()) {
            self.log.report_problem("there are two processes at once");
        }
        let (ours, theirs) = tokio::io::duplex(capacity);
        let (gone, is_gone) = watch::channel(false);
        let agent = Agent::new(dice, self.log.clone(), self.disk.clone(), line, theirs);
        let (hangs, mut has_hung) = watch::channel(false);
        let life = tokio::spawn(async move {
            let mut life = std::pin::pin!(agent.live());
            tokio::select! {
                biased;
                () = async { drop(has_hung.wait_for(|it| *it).await) } => pending().await,
                () = &mut life => {}
            }
        });
        let task = life.abort_handle();
        tokio::spawn(async move {
            let _ = life.await;
            gone.send_replace(true);
        });
        let process = Arc::new(Process {
            task,
            hangs,
            is_gone,
            is_clean: watch::Sender::new(false),
            policy,
            is_closing: Mutex::new(false),
        });
        *self.running.lock().unwrap() = Some(Arc::clone(&process));
        let (output, input) = tokio::io::split(ours);
        Ok(Connection::new(output, input, Guarded(process)))
    }
}

/// The session's handle to a process.
#[derive(Debug)]
struct Guarded(Arc<Process>);

async fn wait_for_exit(process: Arc<Process>) {
    let mut is_gone = process.is_gone.clone();
    let _ = is_gone.wait_for(|it| *it).await;
}

impl Peer for Guarded {
    fn exited(&self) -> PeerFuture<'_, Option<ExitStatus>> {
        Box::pin(async {
            wait_for_exit(Arc::clone(&self.0)).await;
            None
        })
    }

    fn close(&self, close_input: CloseInput) {
        close_input();
        if std::mem::replace(&mut *self.0.is_closing.lock().unwrap(), true) {
            return;
        }
        let process = Arc::clone(&self.0);
        if tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        tokio::spawn(async move {
            let exits = wait_for_exit(Arc::clone(&process));
            if tokio::time::timeout(process.policy.exit, exits)
                .await
                .is_err()
            {
                process.task.abort();
                wait_for_exit(Arc::clone(&process)).await;
            }
            tokio::time::sleep(CLEANING).await;
            process.is_clean.send_replace(true);
        });
    }

    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>> {
        Box::pin(async {
            let mut is_clean = self.0.is_clean.subscribe();
            let _ = is_clean.wait_for(|it| *it).await;
            let mut report = CloseReport::default();
            report.step = CloseStep::Exited;
            Some(report)
        })
    }
}
