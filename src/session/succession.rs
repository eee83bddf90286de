//! What a session needs to have more than one process of the agent.

use super::starter::Starter;
use crate::event::{Error, Restart, SessionEnd};
use crate::options::{CommandLine, Options, RestartPolicy};
use agentwire_protocol::host::TurnRecovery;
use agentwire_protocol::sorted::SortedMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The response to a call that puts the agent to sleep.
pub(super) type Sleeper = oneshot::Sender<Result<(), Error>>;

/// What a session needs to have more than one process.
pub(super) struct Succession {
    /// `None` if it can have only one, or while a process is started.
    pub(super) starter: Option<Box<Starter>>,
    pub(super) policy: Option<RestartPolicy>,
    pub(super) sleep_after: Option<Duration>,
    /// Whether the agent has been put to sleep, and nothing has woken it.
    pub(super) is_asleep: bool,
    /// Since when the agent has had nothing to do.
    pub(super) idle_since: Option<Instant>,
    /// The number of the current process.
    pub(super) process: u64,
    /// The number of processes in a row in which no turn has ended.
    pub(super) in_a_row: u32,
    /// The ID that the session was started with.
    pub(super) session_id: Option<String>,
    /// Whether the session is on disk, as far as is known.
    pub(super) is_on_disk: bool,
    /// Whether the process could not resume the session.
    pub(super) was_refused: bool,
    /// How the last process ended.
    pub(super) ended: Option<Arc<SessionEnd>>,
    /// Those who wait until the agent is asleep.
    pub(super) sleepers: Vec<Sleeper>,
    /// Those who wait until it says that the turn which has ended was the last.
    pub(super) waiting_for_idle: Vec<Sleeper>,
    /// What the current process has not been told yet.
    pub(super) restoring: Option<Box<Restoring>>,
}

/// A process that is told what an earlier one knew.
pub(super) struct Restoring {
    pub(super) restart: Restart,
    /// Whether hooks are relied on.
    pub(super) has_gates: bool,
    pub(super) initialize: Box<str>,
    /// The settings that have no response yet.
    pub(super) pending: SortedMap<Box<str>, Setting>,
    /// Those that have one, and it.
    pub(super) restored: Vec<(Setting, Result<(), Error>)>,
}

/// A setting that is restored: its place among them, and its request.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Setting {
    pub(super) number: usize,
    pub(super) subtype: Box<str>,
}

impl Succession {
    pub(super) fn new(starter: Option<Starter>, options: &Options) -> Self {
        let line = starter.as_ref().map(|it| &it.line);
        Self {
            policy: options.restart,
            sleep_after: options.sleep_after,
            is_asleep: false,
            idle_since: None,
            process: 1,
            in_a_row: 0,
            session_id: line.and_then(CommandLine::session_id).map(str::to_owned),
            is_on_disk: line.is_some_and(CommandLine::resumes),
            was_refused: false,
            ended: None,
            sleepers: vec![],
            waiting_for_idle: vec![],
            restoring: None,
            starter: starter.filter(|it| it.line.is_persisted()).map(Box::new),
        }
    }

    /// Whether turns that are cut off go on.
    pub(super) fn turn_recovery(&self) -> TurnRecovery {
        self.policy
            .map_or(TurnRecovery::Resume, |it| it.turn_recovery)
    }

    /// Takes how the last process ended, if it was the last of several.
    pub(super) fn take_end(&mut self) -> Option<Arc<SessionEnd>> {
        self.ended.take()
    }

    /// A turn has ended with a result, and is on disk.
    pub(super) fn handle_result(&mut self) {
        self.is_on_disk = true;
        self.in_a_row = 0;
    }

    /// The session has another ID, and is not on disk under it yet.
    pub(super) fn handle_new_id(&mut self) {
        self.is_on_disk = false;
    }
}
