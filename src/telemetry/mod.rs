//! Spans of turns, tool calls and requests, and the trace context of the agent's processes.
//!
//! Without the feature `telemetry`, these types are empty and their methods do nothing.

#[cfg(feature = "telemetry")]
mod context;
#[cfg(not(feature = "telemetry"))]
mod off;
#[cfg(feature = "telemetry")]
mod request;
#[cfg(feature = "telemetry")]
mod spans;

#[cfg(feature = "telemetry")]
pub(crate) use context::propagate;
#[cfg(not(feature = "telemetry"))]
pub(crate) use off::{Origin, RequestSpan, Spans};
#[cfg(feature = "telemetry")]
pub(crate) use request::RequestSpan;
#[cfg(feature = "telemetry")]
pub(crate) use spans::{Origin, Spans};
