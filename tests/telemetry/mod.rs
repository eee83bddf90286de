//! Tests of the feature `telemetry`: spans and the trace context of the agent.

mod context;
mod recorder;
mod spans;
