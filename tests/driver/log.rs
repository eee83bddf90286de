//! The log of a session, and its first error.

use agentwire::EndReason;
use std::fmt;
use std::sync::{Arc, Mutex};
use tokio::time::Instant;

#[derive(Clone)]
pub(crate) struct Log {
    since: Instant,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    lines: Vec<String>,
    /// The first error.
    problem: Option<String>,
    end: Option<EndReason>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self {
            since: Instant::now(),
            state: Arc::default(),
        }
    }

    pub(crate) fn note(&self, what: impl fmt::Display) {
        let time = self.since.elapsed().as_secs_f64();
        let line = format!("{time:>12.6}  {what}");
        self.state.lock().unwrap().lines.push(line);
    }

    pub(crate) fn report_problem(&self, what: impl fmt::Display) {
        self.note(format_args!("WRONG: {what}"));
        let mut state = self.state.lock().unwrap();
        state.problem.get_or_insert_with(|| what.to_string());
    }

    pub(crate) fn problem(&self) -> Option<String> {
        self.state.lock().unwrap().problem.clone()
    }

    pub(crate) fn ended(&self, reason: EndReason) {
        self.note(format_args!("the session is over: {reason:?}"));
        self.state.lock().unwrap().end = Some(reason);
    }

    /// Returns the end of the session, if the session was started.
    pub(crate) fn end(&self) -> Option<EndReason> {
        self.state.lock().unwrap().end
    }

    pub(crate) fn len(&self) -> usize {
        self.state.lock().unwrap().lines.len()
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.state.lock().unwrap().lines.join("\n"))
    }
}
