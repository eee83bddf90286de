//! What the agent asks and is not answered.

use crate::frame::Frame;
use crate::json::Json;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Requests of the agent's that are open.
#[derive(Debug, Default)]
pub(super) struct Asks(BTreeMap<Box<str>, Open>);

#[derive(Debug)]
struct Open {
    by: AnsweredBy,
    /// The tool call that it is about.
    tool_use_id: Option<String>,
}

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
        let tool_use_id = match frame.subtype() {
            Some("can_use_tool" | "hook_callback") => tool_use_id(frame),
            _ => None,
        };
        self.0
            .insert(request_id, Open { by, tool_use_id })
            .is_none()
    }

    /// A tool call has its result: nobody waits any more for what was asked
    /// about it. Those asks, which are not open any more.
    pub(super) fn close_about(&mut self, tool_use_id: &str) -> Vec<Box<str>> {
        let is_about = |open: &Open| open.tool_use_id.as_deref() == Some(tool_use_id);
        let about = self.0.iter().filter(|(_, open)| is_about(open));
        let about: Vec<_> = about.map(|(request_id, _)| request_id.clone()).collect();
        self.0.retain(|_, open| !is_about(open));
        about
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
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
        self.0.values().any(|open| open.by == AnsweredBy::People)
    }

    /// All of them, which are not open any more.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Box<str>> + use<> {
        std::mem::take(&mut self.0).into_keys()
    }
}

/// The tool call that a request says it is about.
fn tool_use_id(frame: &Frame) -> Option<String> {
    #[derive(Deserialize)]
    struct Envelope {
        request: Json,
    }
    let Envelope { request } = frame.read().ok()?;
    request.member("tool_use_id")?.read().ok()
}
