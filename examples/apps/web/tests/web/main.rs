//! Tests of the server as a process, with agents that follow a script.

mod http;
#[cfg(feature = "live")]
mod live;
mod server;
