//! How agentwire keeps up with the declarations of the protocol: samples of
//! everything that they say is on the wire.

pub mod coverage;
pub mod declarations;
pub mod reasons;
pub mod sample;
pub mod samples;
