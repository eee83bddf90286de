//! Tests of the feature `telemetry`: spans and the trace context of the agent.

#[cfg(unix)]
mod context;
mod recorder;
mod spans;
