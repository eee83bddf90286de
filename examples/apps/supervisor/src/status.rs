//! The status of a session.

use agentwire::{Activity, Event, TurnEnd, TurnEvent};
use agentwire_pool::ledger::Cost;
use std::fmt;
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub struct Status {
    pub state: State,
    pub turn: u64,
    /// The cost of all turns of the task, including those before a restart.
    pub cost: Cost,
    /// When the session started.
    pub since: Instant,
    pub restarts: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// The number of callers ahead of it.
    Waiting(usize),
    Starting,
    Running,
    /// The session is idle. The text is the outcome of the last turn.
    Idle(String),
    /// The program is stopping; the turn may finish.
    Closing,
    /// The session is over.
    Ended(String),
}

impl Status {
    pub fn new(restarts: u32) -> Self {
        Self {
            state: State::Starting,
            turn: 0,
            cost: Cost::default(),
            since: Instant::now(),
            restarts,
        }
    }

    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Activity(Activity::Running) if self.state == State::Starting => {
                self.state = State::Running;
            }
            Event::Turn(TurnEvent::Started { turn }) => {
                self.turn = *turn;
                self.state = State::Running;
            }
            Event::Turn(TurnEvent::Ended(end)) => self.turn_ended(end),
            _ => {}
        }
    }

    fn turn_ended(&mut self, end: &TurnEnd) {
        let mut outcome = end.outcome.to_string();
        if let Some(result) = end.result() {
            outcome = result.error_text().unwrap_or(outcome);
        }
        self.state = State::Idle(outcome);
    }

    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting(ahead) => write!(f, "waiting: {ahead} ahead"),
            Self::Starting => f.write_str("starting"),
            Self::Running => f.write_str("running"),
            Self::Idle(outcome) => write!(f, "idle: {outcome}"),
            Self::Closing => f.write_str("closing"),
            Self::Ended(why) => write!(f, "ended: {why}"),
        }
    }
}
