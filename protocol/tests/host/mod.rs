//! Tests of the host's state machine without I/O: which lines the host sends,
//! and how each pending operation ends.
#![allow(clippy::unwrap_used)]

mod activity;
mod asks;
mod end;
mod interrupt;
mod lines;
mod mcp;
mod moving;
mod news;
mod queueing;
mod reading;
mod requests;
mod sending;
mod session;
mod submissions;
mod turns;
