//! The host's state machine without I/O: the lines that it sends, and the ends of all
//! pending operations.
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
