//! Bridgic's two families of messages.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod checklist;
mod faults;
mod oracle;
mod systems;
mod theirs;
mod tools;
