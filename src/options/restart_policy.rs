//! The policy for restarting the agent.

use agentwire_protocol::host::TurnRecovery;
use std::time::Duration;

/// The policy for restarting the agent after its process exited unexpectedly, and for the
/// interrupted turn; see [`Options::restart`](crate::Options::restart).
///
/// ```
/// use agentwire::protocol::host::TurnRecovery;
/// use agentwire::{Options, RestartPolicy};
/// use std::time::Duration;
///
/// let policy = RestartPolicy::default()
///     .hang(Duration::from_secs(120))
///     .turn_recovery(TurnRecovery::CutOff);
/// let options = Options::new().restart(policy);
/// # drop(options);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestartPolicy {
    /// The maximum number of consecutive processes without a finished turn. Default: 3.
    pub most: u32,
    /// The pause before the first restart. It doubles with each further one, up to
    /// [`longest_pause`](Self::longest_pause). Default: 0.5 s.
    pub pause: Duration,
    /// The longest pause. Default: 30 s.
    pub longest_pause: Duration,
    /// How long an agent with pending work may write nothing before it is sent a probe, and how
    /// long it may then take to respond. An agent that does not respond is killed and restarted.
    /// Default: `None`, no watchdog.
    pub hang: Option<Duration>,
    /// How the interrupted turn continues. Default: [`TurnRecovery::Resume`].
    pub turn_recovery: TurnRecovery,
}

impl Default for RestartPolicy {
    fn default() -> Self {
        Self {
            most: 3,
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(30),
            hang: None,
            turn_recovery: TurnRecovery::Resume,
        }
    }
}

impl RestartPolicy {
    /// Sets [`most`](Self::most).
    #[must_use]
    pub fn most(mut self, processes: u32) -> Self {
        self.most = processes;
        self
    }

    /// Sets the first and the longest pause.
    #[must_use]
    pub fn pause(mut self, first: Duration, longest: Duration) -> Self {
        (self.pause, self.longest_pause) = (first, longest);
        self
    }

    /// Sets [`hang`](Self::hang).
    #[must_use]
    pub fn hang(mut self, timeout: Duration) -> Self {
        self.hang = Some(timeout);
        self
    }

    /// Sets [`turn_recovery`](Self::turn_recovery).
    #[must_use]
    pub fn turn_recovery(mut self, recovery: TurnRecovery) -> Self {
        self.turn_recovery = recovery;
        self
    }

    /// Returns the pause before the process with this number in a row, from 1.
    pub(crate) fn pause_before(&self, number: u32) -> Duration {
        let doublings = number.saturating_sub(1).min(20);
        let pause = self.pause.saturating_mul(1 << doublings);
        pause.min(self.longest_pause)
    }
}
