//! Tests of conversions to and from other message systems.

#![allow(clippy::unwrap_used)]

mod support;

#[cfg(feature = "async-openai")]
mod async_openai;
mod authors;
mod cua;
mod cua_response;
mod members;
mod oracles;
mod pairs;
mod session;
mod systems;
mod transcript;
