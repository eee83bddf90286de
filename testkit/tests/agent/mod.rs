//! The agent's state machine and the host's, joined in one thread: whole
//! turns, interrupts, the agent's queue, and the end.
#![allow(clippy::unwrap_used)]

mod commands;
mod end;
mod hooks;
mod input;
mod interrupt;
mod mcp;
mod people;
mod permission;
mod permission_hooks;
mod prompt_hooks;
mod queue;
mod requests;
mod script;
mod session;
mod stop_hooks;
mod tool_hooks;
mod turn;
