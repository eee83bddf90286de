//! Events for the closer: exits of children, and requests from other threads.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;

#[cfg(target_os = "linux")]
pub(super) use linux::{Events, Watched};
#[cfg(not(target_os = "linux"))]
pub(super) use portable::{Events, Watched};
