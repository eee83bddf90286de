//! The status of a session.

use agentwire::protocol::message::Usage;
use agentwire::{Activity, Event, TurnEnd, TurnEvent};
use std::fmt;
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub struct Status {
    pub state: State,
    pub turn: u64,
    /// The number of input and output tokens of all turns.
    pub tokens: u64,
    pub cost_usd: f64,
    /// When the session started.
    pub since: Instant,
    pub restarts: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// So many others go on before it.
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
            tokens: 0,
            cost_usd: 0.0,
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
            self.tokens += result.usage.as_ref().map_or(0, tokens);
            self.cost_usd = result.cost_usd().unwrap_or(self.cost_usd);
            outcome = result.error_text().unwrap_or(outcome);
        }
        self.state = State::Idle(outcome);
    }

    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }
}

fn tokens(usage: &Usage) -> u64 {
    let parts = [
        usage.input_tokens,
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
        usage.output_tokens,
    ];
    parts.into_iter().flatten().sum()
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
