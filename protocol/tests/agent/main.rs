//! The agent's state machine and the host's, joined in one thread: whole
//! turns, interrupts, the agent's queue, and the end.
#![allow(clippy::unwrap_used)]

mod end;
mod input;
mod interrupt;
mod permission;
mod queue;
mod requests;
mod session;
mod turn;
