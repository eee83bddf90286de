//! The state of a session across processes of the agent.

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

/// The state of a session across processes.
pub(super) struct Succession {
    /// `None` if no process may follow, and while one is being started.
    pub(super) starter: Option<Box<Starter>>,
    pub(super) policy: Option<RestartPolicy>,
    pub(super) sleep_after: Option<Duration>,
    /// Whether the agent sleeps.
    pub(super) is_asleep: bool,
    /// Since when the agent has been idle.
    pub(super) idle_since: Option<Instant>,
    /// The number of the current process.
    pub(super) process: u64,
    /// Processes in a row without a finished turn.
    pub(super) in_a_row: u32,
    /// The ID from the first command line.
    pub(super) session_id: Option<String>,
    /// Whether the session is known to be on disk.
    pub(super) is_on_disk: bool,
    /// Whether the process could not resume the session.
    pub(super) was_refused: bool,
    /// How the last process exited.
    pub(super) ended: Option<Arc<SessionEnd>>,
    /// Pending sleep requests, notified when the agent is asleep.
    pub(super) sleepers: Vec<Sleeper>,
    /// Pending sleep requests that wait until the agent reports that it is idle.
    pub(super) waiting_for_idle: Vec<Sleeper>,
    /// The settings that are being restored in the current process.
    pub(super) restoring: Option<Box<Restoring>>,
}

/// A process whose settings are being restored.
pub(super) struct Restoring {
    pub(super) restart: Restart,
    /// Whether gate hooks are declared.
    pub(super) has_gates: bool,
    pub(super) initialize: Box<str>,
    /// Restored settings without a response.
    pub(super) pending: SortedMap<Box<str>, Setting>,
    /// Restored settings with their outcomes.
    pub(super) restored: Vec<(Setting, Result<(), Error>)>,
}

/// A setting to restore, sorted by its position.
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

    /// Returns how interrupted turns continue.
    pub(super) fn turn_recovery(&self) -> TurnRecovery {
        self.policy
            .map_or(TurnRecovery::Resume, |it| it.turn_recovery)
    }

    /// Takes the end of the last process, if the session had several.
    pub(super) fn take_end(&mut self) -> Option<Arc<SessionEnd>> {
        self.ended.take()
    }

    /// Records a result: the session is on disk.
    pub(super) fn handle_result(&mut self) {
        self.is_on_disk = true;
        self.in_a_row = 0;
    }

    /// Records a new session ID, which is not on disk yet.
    pub(super) fn handle_new_id(&mut self) {
        self.is_on_disk = false;
    }
}
