//! Tests of the state machines of agent and host, connected in one thread.
#![allow(clippy::unwrap_used)]

mod commands;
mod end;
mod hooks;
mod input;
mod interrupt;
mod mcp;
mod permission;
mod permission_hooks;
mod prompt_hooks;
mod questions;
mod queue;
mod requests;
mod script;
mod session;
mod stop_hooks;
mod tool_hooks;
mod turn;
