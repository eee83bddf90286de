//! What the closer waits for: that a child exits, or that something is asked of it.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;

#[cfg(target_os = "linux")]
pub(super) use linux::{Events, Watched};
#[cfg(not(target_os = "linux"))]
pub(super) use portable::{Events, Watched};
