//! How agentwire keeps up with the declarations of the protocol: samples of
//! everything that they say is on the wire, and how far our types are from
//! them.

pub mod bugs;
#[cfg(feature = "parser")]
pub mod compare;
#[cfg(feature = "parser")]
pub mod coverage;
#[cfg(feature = "parser")]
pub mod declarations;
#[cfg(feature = "parser")]
pub mod drift;
pub mod reasons;
#[cfg(feature = "parser")]
pub mod sample;
#[cfg(feature = "parser")]
pub mod samples;
#[cfg(feature = "parser")]
pub mod schema;
