//! Pending requests of the agent.

use crate::frame::Frame;
use crate::ids::IdMap;
use crate::json::Json;
use crate::sorted::{SortedMap, sorted_ids};
use serde::Deserialize;
use std::sync::Arc;

/// The maximum number of pending requests.
const MAX_PENDING: usize = 4096;
/// The maximum total size of the pending requests, in bytes.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// The maximum length of a request ID, in bytes.
const MAX_ID: usize = 4096;

/// Pending requests of the agent.
#[derive(Debug, Default)]
pub(super) struct IncomingRequests {
    open: IdMap<Open, Box<str>>,
    /// Tool calls, with the IDs of the requests about them.
    about: SortedMap<(Box<str>, Box<str>), ()>,
    bytes: usize,
    /// The number of pending requests that require the user.
    for_user: usize,
}

#[derive(Debug)]
struct Open {
    by: AnsweredBy,
    /// The tool call that the request is about.
    tool_use_id: Option<Box<str>>,
    bytes: usize,
}

/// The side of the host that responds to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnsweredBy {
    /// The user, who responds to permission requests and elicitations.
    User,
    /// The host application, which responds for hooks and for MCP servers
    /// inside the host. Such a request does not make the agent report
    /// `requires_action`, and the agent may drop it without cancelling it.
    Host,
}

impl IncomingRequests {
    /// Returns the limit that this request exceeds, if it exceeds one.
    ///
    /// Hooks have twice the limit, because the agent does not treat an error as
    /// a denial. A caller that knows which hooks are gates should deny them
    /// earlier.
    pub(super) fn exceeded_limit(&self, request_id: &str, frame: &Frame) -> Option<&'static str> {
        let bytes = self.bytes.saturating_add(frame.raw().len());
        let share = match frame.subtype() {
            Some("hook_callback") => 2,
            _ => 1,
        };
        if request_id.len() > MAX_ID {
            Some("the request ID is too long")
        } else if self.open.len() >= MAX_PENDING * share {
            Some("too many requests are pending")
        } else if !self.open.is_empty() && bytes > MAX_BYTES * share {
            Some("the pending requests are too large")
        } else {
            None
        }
    }

    /// Adds a request. Returns `false` if it is already pending.
    pub(super) fn open(&mut self, request_id: Box<str>, frame: &Frame) -> bool {
        if self.open.contains_key(&request_id) {
            return false;
        }
        let by = match frame.subtype() {
            Some("hook_callback" | "mcp_message") => AnsweredBy::Host,
            _ => AnsweredBy::User,
        };
        let tool_use_id = match frame.subtype() {
            Some("can_use_tool" | "hook_callback") => tool_use_id(frame),
            _ => None,
        };
        let bytes = frame.raw().len();
        self.bytes += bytes;
        self.for_user += usize::from(by == AnsweredBy::User);
        if let Some(tool_use_id) = &tool_use_id {
            let about = (tool_use_id.clone(), request_id.clone());
            self.about.insert(about, ());
        }
        let open = Open {
            by,
            tool_use_id,
            bytes,
        };
        self.open.insert(request_id, open).is_none()
    }

    /// Handles the result of a tool call. The agent no longer waits for
    /// requests about the call. Removes these requests and returns their IDs.
    pub(super) fn close_about(&mut self, tool_use_id: &str) -> Vec<Box<str>> {
        let first: (Box<str>, Box<str>) = (tool_use_id.into(), "".into());
        let (Ok(first) | Err(first)) = self.about.find(&first);
        let mut about = vec![];
        for ((tool, request_id), ()) in &self.about.entries()[first..] {
            if **tool != *tool_use_id {
                break;
            }
            about.push(request_id.clone());
        }
        for request_id in &about {
            self.close(request_id);
        }
        about
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Removes a request. Returns `false` if it was not pending.
    pub(super) fn close(&mut self, request_id: &str) -> bool {
        let Some((request_id, closed)) = self.open.remove_entry(request_id) else {
            return false;
        };
        self.bytes -= closed.bytes;
        self.for_user -= usize::from(closed.by == AnsweredBy::User);
        if let Some(tool_use_id) = closed.tool_use_id {
            self.about.remove(&(tool_use_id, request_id));
        }
        true
    }

    pub(super) fn contains(&self, request_id: &str) -> bool {
        self.open.contains_key(request_id)
    }

    /// Returns whether a pending request requires the user.
    pub(super) fn await_user(&self) -> bool {
        self.for_user > 0
    }

    /// Removes and returns all pending requests.
    pub(super) fn take(&mut self) -> Vec<Arc<str>> {
        let ids = std::mem::take(self).open.into_keys();
        sorted_ids(ids.map(Into::into).collect())
    }
}

/// Returns the tool call that a request refers to.
fn tool_use_id(frame: &Frame) -> Option<Box<str>> {
    #[derive(Deserialize)]
    struct Envelope {
        request: Json,
    }
    let Envelope { request } = frame.read().ok()?;
    request.member("tool_use_id")?.read().ok()
}
