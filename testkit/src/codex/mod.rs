//! A fake Codex: the process `codex app-server`, without a model, a sandbox and
//! an account.
//!
//! [`FakeCodex`] is a state machine without I/O and without a clock. It takes
//! the model's replies from a [`Scenario`], as the [fake
//! agent](crate::fake_agent) does. [`main`] plays it on standard input and
//! output, with the script in the variable
//! [`FAKE_AGENT_SCRIPT`](crate::fake_agent::SCRIPT) and the gates in
//! [`FAKE_AGENT_GATES`](crate::fake_agent::GATES).
//!
//! | tool call | on the fake Codex |
//! |---|---|
//! | `exec_command {cmd}` | a command with the scripted `result`, which does not run |
//! | `apply_patch {input}` | a file change; the files change if the call has `writes` |
//! | `mcp__SERVER__TOOL` | an MCP tool of `config.mcp_servers`, with the scripted `result` |
//! | a name in `dynamicTools` | a request `item/tool/call` |
//! | `request_user_input` | a request `item/tool/requestUserInput`, if the feature `default_mode_request_user_input` is on |
//!
//! Approvals follow the real one's table of policies and sandboxes. `ask`,
//! `load` and `message` steps have no effect. A request that the fake does not
//! have fails with code -32600.
//!
//! ```
//! use agentwire_testkit::codex::{Config, FakeCodex, MemoryDisk};
//! use agentwire_testkit::{Scenario, Step};
//!
//! let scenario = Scenario::default().reply([Step::text("Hello.")]);
//! let mut codex = FakeCodex::new(&scenario, Config::default(), MemoryDisk::default());
//! codex.handle_line(br#"{"id":1,"method":"initialize","params":{"clientInfo":{"name":"me","version":"1"}}}"#);
//! assert!(codex.poll_line().is_some_and(|line| line.starts_with(r#"{"id":1,"result""#)));
//! ```

mod account;
mod call;
mod core;
mod disk;
mod patch;
mod process;
mod requests;
#[cfg(test)]
mod tests;
mod thread;
mod turn;

pub use disk::{Disk, MemoryDisk};
pub use process::main;

use self::core::{Core, Output};
use crate::scenario::{Fault, NoSuchGate, Scenario};
use serde_json::Value;
use std::collections::BTreeMap;
use thread::Thread;

/// The version that the fake Codex emulates.
pub const VERSION: &str = "0.171.0";

/// The environment of a [`FakeCodex`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// The path of `CODEX_HOME`.
    pub home: String,
    /// The working directory of the process.
    pub cwd: String,
    /// The time of the start, in milliseconds since 1970.
    pub started_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            home: "/codex".to_owned(),
            cwd: "/w".to_owned(),
            started_ms: 1_700_000_000_000,
        }
    }
}

/// The state machine of a fake Codex.
#[derive(Debug)]
pub struct FakeCodex {
    core: Core,
    threads: BTreeMap<String, Thread>,
    account: Option<&'static str>,
}

impl FakeCodex {
    /// Creates a process that follows a script. It reads the stored threads of
    /// `disk`.
    pub fn new(scenario: &Scenario, config: Config, disk: impl Disk + 'static) -> Self {
        let mut core = Core::new(scenario, config, Box::new(disk));
        let threads = thread::stored(&core);
        let turns: usize = threads.values().map(|it| it.stored.turns.len() + 1).sum();
        core.generation = u64::try_from(turns).unwrap_or_default();
        Self {
            core,
            threads,
            account: None,
        }
    }

    /// Handles a line of standard input. Invalid UTF-8 ends the process.
    pub fn handle_line(&mut self, line: &[u8]) {
        if self.core.has_exited {
            return;
        }
        let Ok(line) = std::str::from_utf8(line) else {
            self.core.has_exited = true;
            return;
        };
        // The real one does not answer what is not a JSON-RPC message.
        let Ok(Value::Object(mut message)) = serde_json::from_str(line) else {
            return;
        };
        let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
        let id = message.get("id").filter(|id| is_id(id)).cloned();
        let method = message.get("method").and_then(Value::as_str);
        match (id, method.map(str::to_owned)) {
            (Some(id), Some(method)) => {
                let params = message.remove("params");
                self.request(id, &method, params);
            }
            (Some(id), None) if self.core.client.is_some() => {
                let result = message.remove("result");
                self.answered(&id, result);
            }
            _ => {}
        }
        self.advance();
    }

    /// Ends the process, because standard input was closed. A running turn ends
    /// without `turn/completed`.
    pub fn handle_eof(&mut self) {
        for thread in self.threads.values_mut() {
            thread.abandon(&mut self.core);
        }
        self.core.has_exited = true;
    }

    /// Returns the next line of output, without a line end.
    pub fn poll_line(&mut self) -> Option<String> {
        match self.core.out.front() {
            Some(Output::Line(_)) => match self.core.out.pop_front() {
                Some(Output::Line(line)) => Some(line),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the next fault of the process. It is due after all lines that
    /// [`poll_line`](Self::poll_line) returns before.
    pub fn poll_fault(&mut self) -> Option<Fault> {
        match self.core.out.front() {
            Some(Output::Fault(_)) => match self.core.out.pop_front() {
                Some(Output::Fault(fault)) => Some(fault),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether the process exits, with status 0, after its last line.
    #[must_use]
    pub fn has_exited(&self) -> bool {
        self.core.has_exited
    }

    /// Returns the gates at which the script waits.
    pub fn shut_gates(&self) -> impl Iterator<Item = &str> {
        self.core.gates.shut()
    }

    /// Opens a gate permanently.
    ///
    /// # Errors
    ///
    /// Fails if the scenario has no gate of this name.
    pub fn open_gate(&mut self, name: &str) -> Result<(), NoSuchGate> {
        self.core.gates.open(name)?;
        self.advance();
        Ok(())
    }

    /// Returns the milliseconds until the next event. Returns `None` if there is
    /// none without input or a gate.
    #[must_use]
    pub fn timer_ms(&self) -> Option<u64> {
        let now = self.core.now;
        // What is due already waits for something else, such as the approval of another call.
        let due = self.threads.values().flat_map(Thread::due);
        let due = due.filter(|it| *it > now).min()?;
        Some(due - now)
    }

    /// Moves the clock forward.
    pub fn advance_ms(&mut self, time: u64) {
        self.core.now = self.core.now.saturating_add(time);
        self.advance();
    }

    /// Runs all turns until they wait.
    fn advance(&mut self) {
        for thread in self.threads.values_mut() {
            thread.advance(&mut self.core);
        }
    }
}
