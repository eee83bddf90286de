//! Actions of the user in the simulation.

use crate::check::Kind;
use crate::world::{TIMEOUT, World};
use agentwire_protocol::control::{
    self, CancelAsyncMessage, HostRequest, Initialize, Interrupt, SetModel, SetPermissionMode,
};
use agentwire_protocol::host::{Prompt, QueueError, Request};
use agentwire_protocol::mcp::McpMessage;
use agentwire_protocol::message::{Priority, UserMessage};
use agentwire_protocol::outbox::Urgency;
use agentwire_protocol::permission::{PermissionMode, PermissionResult};
use serde_json::json;

impl World {
    pub(crate) fn run_user(&mut self) {
        match self.dice.below(26) {
            0..9 => self.send(),
            9..11 => {
                let id = self.id("model");
                let model = format!("m{}", self.dice.below(3));
                self.request(&id, &SetModel::to(model), Kind::Fence);
            }
            11 => {
                let id = self.id("stop");
                self.request(&id, &Interrupt::default(), Kind::Interrupt);
            }
            12 => {
                let id = self.id("stop");
                self.request(&id, &Interrupt::and_cancel_queued(), Kind::Interrupt);
            }
            13 if !self.sent.is_empty() => {
                let uuid = self.sent[self.dice.below(self.sent.len())].clone();
                let id = self.id("take");
                self.request(&id, &CancelAsyncMessage::new(uuid), Kind::Fence);
            }
            14 => {
                // An unknown request, to which an old agent does not respond.
                let id = self.id("odd");
                self.note(|| format!("user requests {id}"));
                let request = Request::raw(id.as_str(), "make_coffee", json!({})).unwrap();
                let made = self.host.request(self.now, request, TIMEOUT);
                self.check_submission(&id, Kind::Fence, made);
            }
            15 => {
                if let Some(id) = self.checks.some_request(&mut self.dice) {
                    self.note(|| format!("user cancels {id}"));
                    self.host.cancel(&id);
                }
            }
            16..20 => {
                if let Some(ask) = self.checks.pending_permissions.pop_first() {
                    self.answer(&ask);
                }
            }
            20 => {
                let id = self.id("mode");
                let mode = if self.dice.one_in(2) {
                    PermissionMode::Plan
                } else {
                    PermissionMode::Default
                };
                self.request(&id, &SetPermissionMode::to(mode), Kind::Fence);
            }
            21 if self.checks.is_initialized && self.dice.one_in(3) => {
                let id = self.id("hello");
                if !self.checks.pending_permissions.is_empty() {
                    self.checks
                        .coverage
                        .cover("ask: found open by a second greeting");
                }
                self.request(&id, &Initialize::default(), Kind::Fence);
            }
            22 if self.dice.one_in(30) => self.finish(),
            24 if self.is_unread => self.read_on(),
            // A consumer is only slow after `initialize`.
            24 if self.checks.is_initialized && !self.is_ending && self.dice.one_in(3) => {
                self.note(|| "user does not read".to_owned());
                self.is_unread = true;
                self.host.handle_reading_paused();
            }
            23 if self.dice.one_in(30) => {
                self.note(|| "user ends the session".to_owned());
                let from = if self.is_finishing {
                    "finishing"
                } else {
                    "open"
                };
                self.checks
                    .coverage
                    .cover(format!("pipe: {from} to ending"));
                self.is_ending = true;
                self.checks.may_lose = true;
                self.host.end();
            }
            25 => self.send_from_server(),
            _ => {}
        }
    }

    /// Sends a message of an MCP server in the host, often just before its
    /// response.
    fn send_from_server(&mut self) {
        self.relayed += 1;
        let id = format!("mcp-{}", self.relayed);
        self.note(|| format!("a server begins {id}"));
        let message = json!({"jsonrpc": "2.0", "method": "notifications/progress"});
        self.host.relay(&McpMessage::new("s", message));
        self.checks.coverage.cover("mcp: begins something");
        self.checks.called(&id, Kind::Mcp);
        if let Some(ask) = self.checks.pending_permissions.pop_first() {
            self.answer(&ask);
        }
    }

    pub(crate) fn finish(&mut self) {
        self.note(|| "user closes".to_owned());
        self.is_finishing = true;
        self.read_on();
        self.host.finish(self.now, TIMEOUT);
    }

    pub(crate) fn read_on(&mut self) {
        if std::mem::take(&mut self.is_unread) {
            self.host.handle_reading_resumed(self.now);
        }
    }

    fn send(&mut self) {
        let uuid = self.id("m");
        let priority = match self.dice.below(5) {
            0 => Some(Priority::Now),
            1 => Some(Priority::Next),
            2 => Some(Priority::Later),
            _ => None,
        };
        let urgency = Urgency::from(priority.as_ref());
        self.note(|| format!("user sends {uuid} {urgency:?}"));
        let mut message = UserMessage::text("x");
        message.priority = priority;
        let prompt = Prompt::new(uuid.as_str(), message).unwrap();
        if self.host.submit(self.now, prompt).is_ok() {
            self.checks.called(&uuid, Kind::User(urgency));
            self.sent.push(uuid);
        }
    }

    pub(crate) fn request<R: HostRequest>(&mut self, id: &str, request: &R, kind: Kind) {
        self.note(|| format!("user requests {id}"));
        let request = Request::new(id, request).unwrap();
        let made = self.host.request(self.now, request, TIMEOUT);
        self.check_submission(id, kind, made);
    }

    fn check_submission(&mut self, id: &str, kind: Kind, made: Result<(), QueueError>) {
        match made {
            Ok(()) => self.checks.called(id, kind),
            Err(QueueError::Full) => self.checks.coverage.cover("request: not taken, full"),
            Err(_) => self.checks.coverage.cover("request: not taken, closing"),
        }
    }

    pub(crate) fn answer(&mut self, ask: &str) {
        // The protocol ignores dialogs that were not declared.
        if ask.starts_with("dialog") {
            self.checks.coverage.cover("ask: open to left");
            return self.host.leave_unanswered(ask);
        }
        self.note(|| format!("user answers {ask}"));
        let result = match self.dice.below(6) {
            0 | 1 => PermissionResult::deny("no"),
            2 => PermissionResult::deny_and_interrupt("no"),
            _ => PermissionResult::allow(),
        };
        let line = control::success(ask, Some(&result)).unwrap();
        if self.host.respond(ask, line) {
            self.checks.coverage.cover("ask: open to answered");
            self.checks.called(ask, Kind::Answer);
        }
    }
}
