//! Tests of the chat in a terminal, with agents that follow a script.

mod fake;
#[cfg(feature = "live")]
mod live;
mod recording;

const CHAT: &str = env!("CARGO_BIN_EXE_chat");
