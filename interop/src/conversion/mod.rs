//! How a conversation is carried over, what is lost, and how it comes back.

mod delta;
mod fingerprint;

pub use delta::{Delta, DoesNotFit, Step};
pub use fingerprint::Fingerprint;
