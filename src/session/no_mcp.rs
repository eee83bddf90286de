//! Stands in for MCP servers that run inside the host, where the feature `mcp`
//! is off.

use super::driver::Driver;
use crate::handle::Handle;
use agentwire_protocol::host::Ask;
use std::convert::Infallible;

/// No servers.
#[derive(Debug)]
pub(super) struct McpServers;

/// What they say: nothing.
pub(super) type Said = Infallible;

impl McpServers {
    pub(super) fn new(_: Handle) -> Self {
        Self
    }

    pub(super) async fn next(&mut self) -> Said {
        std::future::pending().await
    }

    pub(super) fn await_responses(&self) -> bool {
        false
    }

    pub(super) fn cancel(&mut self, _: &str) {}

    pub(super) fn stop(&mut self) {}
}

impl Driver {
    pub(super) fn ask_server(&mut self, ask: Ask) -> Option<Ask> {
        Some(ask)
    }

    pub(super) fn hear_server(&mut self, said: Said) {
        match said {}
    }
}
