//! Compares agentwire with the declarations of the protocol: generates samples
//! of everything on the wire, and lists the differences between our types and
//! the declarations.

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
