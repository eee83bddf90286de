//! How agentwire keeps up with the declarations of the protocol: samples of
//! everything that they say is on the wire, and how far our types are from
//! them. And how its own crates are built: see [`house`].

pub mod compare;
pub mod coverage;
pub mod declarations;
pub mod drift;
pub mod house;
pub mod reasons;
pub mod sample;
pub mod samples;
pub mod schema;
pub mod secrets;
