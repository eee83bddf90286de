//! Relaying messages between the agent and in-process MCP servers.

use super::driver::Driver;
use crate::command::{Out, Servers};
use crate::event::Event;
use crate::handle::Handle;
use agentwire_protocol::control::{self, AgentRequest, ControlRequest, Refusal};
use agentwire_protocol::host::Ask;

impl Driver {
    /// Relays a request that is for a server. Returns any other request, or one
    /// that is invalid.
    pub(super) fn ask_server(&mut self, ask: Ask) -> Option<Ask> {
        let Some(servers) = &mut self.mcp else {
            return Some(ask);
        };
        if ask.frame.subtype() != Some("mcp_message") {
            return Some(ask);
        }
        let Ok(ControlRequest {
            request: AgentRequest::McpMessage(message),
            ..
        }) = ask.frame.read()
        else {
            return Some(ask);
        };
        let outs = servers.receive(ask.request_id, message);
        self.do_for_servers(outs);
        None
    }

    /// Stops the servers at the end of the session.
    pub(super) fn stop_servers(&mut self) {
        if let Some(servers) = &mut self.mcp {
            servers.stop();
        }
    }

    /// Executes the actions of servers.
    pub(super) fn do_for_servers(&mut self, outs: Vec<Out>) {
        for out in outs {
            match out {
                Out::Answer(ask, reply) => {
                    let line = control::success(&ask, Some(&reply)).unwrap_or_else(|error| {
                        control::failure(&ask, &Refusal::new(error.to_string()))
                    });
                    self.host.respond(&ask, line);
                }
                Out::Refuse(ask, refusal) => {
                    self.host.respond(&ask, control::failure(&ask, &refusal));
                }
                Out::Begin(message) => self.host.relay(&message),
                Out::Tell(notice) => self.streams.put(Event::Notice(notice)),
            }
        }
    }
}

/// Creates the session's in-process servers: none at first.
#[cfg(feature = "mcp")]
pub(super) fn servers(session: &Handle) -> Option<Box<dyn Servers>> {
    Some(Box::new(crate::mcp::McpServers::new(session.clone())))
}

#[cfg(not(feature = "mcp"))]
pub(super) fn servers(_: &Handle) -> Option<Box<dyn Servers>> {
    None
}
