//! What the agent asks and is not answered.

use crate::frame::Frame;
use std::collections::BTreeMap;

/// Requests of the agent's that are open.
#[derive(Debug, Default)]
pub(super) struct Asks(BTreeMap<Box<str>, AnsweredBy>);

/// Who answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnsweredBy {
    /// Somebody, as a rule: whether a tool may run, what an MCP server wants
    /// to know.
    People,
    /// The host's program: hooks, and MCP servers inside the host. The agent
    /// does not count them as waiting, and need not take one back that it does
    /// not wait for any more.
    Program,
}

impl Asks {
    /// A request has come. `false` when it is open already.
    pub(super) fn open(&mut self, request_id: Box<str>, frame: &Frame) -> bool {
        let by = match frame.subtype() {
            Some("hook_callback" | "mcp_message") => AnsweredBy::Program,
            _ => AnsweredBy::People,
        };
        self.0.insert(request_id, by).is_none()
    }

    /// A request needs no answer any more. `false` when it was not open.
    pub(super) fn close(&mut self, request_id: &str) -> bool {
        self.0.remove(request_id).is_some()
    }

    pub(super) fn contains(&self, request_id: &str) -> bool {
        self.0.contains_key(request_id)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the agent waits for people.
    pub(super) fn wait_for_people(&self) -> bool {
        self.0.values().any(|by| *by == AnsweredBy::People)
    }

    /// All of them, which are not open any more.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Box<str>> + use<> {
        std::mem::take(&mut self.0).into_keys()
    }
}
