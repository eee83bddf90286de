//! MCP servers that run inside the host: the agent's messages to them, and
//! theirs to the agent.

use super::driver::Driver;
use crate::command::Out;
use crate::event::Event;
use agentwire_protocol::control::{self, AgentRequest, ControlRequest, Refusal};
use agentwire_protocol::host::Ask;

impl Driver {
    /// Passes on what is for a server. Gives an ask back that is not, or
    /// cannot be read.
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

    /// The session is over: the servers are stopped.
    pub(super) fn stop_servers(&mut self) {
        if let Some(servers) = &mut self.mcp {
            servers.stop();
        }
    }

    /// Does what servers want done.
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
