//! The shared state of a process's threads: the script, the output and the
//! clock.

use super::{Config, Disk};
use crate::scenario::gate::Gates;
use crate::scenario::{Fault, Scenario};
use crate::script::Script;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The code of an error about a prompt that is too long.
pub(super) const TOO_LARGE: i64 = -32602;

/// An output of the process.
#[derive(Debug)]
pub(super) enum Output {
    Line(String),
    Fault(Fault),
}

/// The client, as `initialize` describes it.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) name: String,
    pub(super) is_experimental: bool,
    /// The notifications that the client does not want.
    pub(super) muted: BTreeSet<String>,
}

#[derive(Debug)]
pub(super) struct Core {
    pub(super) config: Config,
    pub(super) script: Script,
    pub(super) gates: Gates,
    pub(super) disk: Box<dyn Disk>,
    /// Files that scripted patches have changed. `None` is a deleted file.
    pub(super) files: BTreeMap<String, Option<String>>,
    /// The time since the start, in milliseconds.
    pub(super) now: u64,
    pub(super) out: VecDeque<Output>,
    pub(super) client: Option<Client>,
    pub(super) has_exited: bool,
    /// Distinguishes the IDs of this process from those of stored threads.
    pub(super) generation: u64,
    ids: u64,
    requests: u64,
}

impl Core {
    pub(super) fn new(scenario: &Scenario, config: Config, disk: Box<dyn Disk>) -> Self {
        Self {
            config,
            script: Script::new(scenario),
            gates: Gates::new(scenario),
            disk,
            files: BTreeMap::new(),
            now: 0,
            out: VecDeque::new(),
            client: None,
            has_exited: false,
            generation: 0,
            ids: 0,
            requests: 0,
        }
    }

    /// Returns the time in milliseconds since 1970.
    pub(super) fn time_ms(&self) -> u64 {
        self.config.started_ms.saturating_add(self.now)
    }

    /// Returns the time in seconds since 1970.
    pub(super) fn time(&self) -> u64 {
        self.time_ms() / 1000
    }

    /// Returns an ID in the form of real ones.
    pub(super) fn uuid(&mut self) -> String {
        self.ids += 1;
        let generation = self.generation & 0xffff;
        format!("01900000-{generation:04x}-7000-8000-{:012x}", self.ids)
    }

    fn send(&mut self, frame: &Value) {
        self.out.push_back(Output::Line(frame.to_string()));
    }

    pub(super) fn fault(&mut self, fault: Fault) {
        self.out.push_back(Output::Fault(fault));
    }

    pub(super) fn respond(&mut self, id: &Value, result: &Value) {
        self.send(&json!({ "id": id, "result": result }));
    }

    pub(super) fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let mut error = json!({ "code": code, "message": message });
        if code == TOO_LARGE {
            error["data"] = json!({ "input_error_code": "input_too_large" });
        }
        self.send(&json!({ "error": error, "id": id }));
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        let is_muted = |client: &Client| client.muted.contains(method);
        if !self.client.as_ref().is_some_and(is_muted) {
            let time = self.time_ms();
            self.send(&json!({ "method": method, "params": params, "emittedAtMs": time }));
        }
    }

    /// Returns the ID of a new request to the client.
    pub(super) fn request_id(&mut self) -> u64 {
        self.requests += 1;
        self.requests - 1
    }

    pub(super) fn send_request(&mut self, id: u64, method: &str, params: &Value) {
        self.send(&json!({ "method": method, "id": id, "params": params }));
    }

    /// Returns the text of a file, with the changes of scripted patches.
    pub(super) fn file(&self, path: &str) -> Option<String> {
        match self.files.get(path) {
            Some(file) => file.clone(),
            None => self.disk.read(path),
        }
    }
}
