//! The host's state machine, without any I/O: what it lets out and when, what
//! it waits for, and how everything that waits ends.
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
