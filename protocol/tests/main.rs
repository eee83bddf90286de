//! Tests of the wire types and the state machines.

#![allow(clippy::unwrap_used)]

#[path = "common/exact.rs"]
mod exact;
#[path = "common/recorded.rs"]
mod recorded;

mod building;
#[cfg(feature = "audit")]
mod content;
mod host;
mod joined;
#[cfg(all(feature = "audit", feature = "schema", feature = "tools"))]
mod members;
mod open_types;
mod readme;
mod recordings;
#[cfg(all(feature = "schema", feature = "tools"))]
mod schema;
#[cfg(all(feature = "audit", feature = "tools"))]
mod tools;
#[cfg(feature = "transcript")]
mod transcript;
