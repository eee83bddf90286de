//! What the agent asks and is not answered.

use crate::frame::Frame;
use crate::json::Json;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// How many asks may be open at once.
const MOST: usize = 4096;
/// How many bytes these may have.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// How long the id of one may be, in bytes.
const LONGEST_ID: usize = 4096;

/// Requests of the agent's that are open.
#[derive(Debug, Default)]
pub(super) struct Asks {
    open: BTreeMap<Box<str>, Open>,
    /// Tool calls, and the ids of requests about them.
    about: BTreeSet<(Box<str>, Box<str>)>,
    bytes: usize,
    /// How many of them wait for people.
    for_people: usize,
}

#[derive(Debug)]
struct Open {
    by: AnsweredBy,
    /// The tool call that it is about.
    tool_use_id: Option<Box<str>>,
    bytes: usize,
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
    /// Why there is no room for this one, if so.
    ///
    /// For hooks there is twice the room: to the agent an error is no denial, so
    /// whoever knows which of them are gates should deny before.
    pub(super) fn is_too_much(&self, request_id: &str, frame: &Frame) -> Option<&'static str> {
        let bytes = self.bytes.saturating_add(frame.raw().len());
        let share = match frame.subtype() {
            Some("hook_callback") => 2,
            _ => 1,
        };
        if request_id.len() > LONGEST_ID {
            Some("the id of the request is too long")
        } else if self.open.len() >= MOST * share {
            Some("too many requests are open already")
        } else if !self.open.is_empty() && bytes > MOST_BYTES * share {
            Some("the requests that are open already are too long")
        } else {
            None
        }
    }

    /// A request has come. `false` when it is open already.
    pub(super) fn open(&mut self, request_id: Box<str>, frame: &Frame) -> bool {
        if self.open.contains_key(&request_id) {
            return false;
        }
        let by = match frame.subtype() {
            Some("hook_callback" | "mcp_message") => AnsweredBy::Program,
            _ => AnsweredBy::People,
        };
        let tool_use_id = match frame.subtype() {
            Some("can_use_tool" | "hook_callback") => tool_use_id(frame),
            _ => None,
        };
        let bytes = frame.raw().len();
        self.bytes += bytes;
        self.for_people += usize::from(by == AnsweredBy::People);
        if let Some(tool_use_id) = &tool_use_id {
            self.about.insert((tool_use_id.clone(), request_id.clone()));
        }
        let open = Open {
            by,
            tool_use_id,
            bytes,
        };
        self.open.insert(request_id, open).is_none()
    }

    /// A tool call has its result: nobody waits any more for what was asked
    /// about it. Those asks, which are not open any more.
    pub(super) fn close_about(&mut self, tool_use_id: &str) -> Vec<Box<str>> {
        let first: (Box<str>, Box<str>) = (tool_use_id.into(), "".into());
        let about = self.about.range(first..);
        let about = about.take_while(|(tool, _)| &**tool == tool_use_id);
        let about: Vec<Box<str>> = about.map(|(_, request_id)| request_id.clone()).collect();
        for request_id in &about {
            self.close(request_id);
        }
        about
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// A request needs no answer any more. `false` when it was not open.
    pub(super) fn close(&mut self, request_id: &str) -> bool {
        let Some((request_id, closed)) = self.open.remove_entry(request_id) else {
            return false;
        };
        self.bytes -= closed.bytes;
        self.for_people -= usize::from(closed.by == AnsweredBy::People);
        if let Some(tool_use_id) = closed.tool_use_id {
            self.about.remove(&(tool_use_id, request_id));
        }
        true
    }

    pub(super) fn contains(&self, request_id: &str) -> bool {
        self.open.contains_key(request_id)
    }

    /// Whether the agent waits for people.
    pub(super) fn wait_for_people(&self) -> bool {
        self.for_people > 0
    }

    /// All of them, which are not open any more.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Box<str>> + use<> {
        std::mem::take(self).open.into_keys()
    }
}

/// The tool call that a request says it is about.
fn tool_use_id(frame: &Frame) -> Option<Box<str>> {
    #[derive(Deserialize)]
    struct Envelope {
        request: Json,
    }
    let Envelope { request } = frame.read().ok()?;
    request.member("tool_use_id")?.read().ok()
}
