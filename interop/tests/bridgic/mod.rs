//! Bridgic's two families of messages.
#![allow(clippy::unwrap_used)]

mod checklist;
mod faults;
mod oracle;
mod systems;
mod theirs;
mod tools;
