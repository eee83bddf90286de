//! Conversions to and from other message systems.

#![allow(clippy::unwrap_used)]

mod support;

#[cfg(feature = "async-openai")]
mod async_openai;
mod authors;
mod bridgic;
mod cua;
mod cua_library;
mod cua_response;
mod machinery;
mod openhands;
mod session;
mod systems;
mod transcript;
