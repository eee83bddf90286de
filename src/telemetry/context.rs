//! The trace context of the agent's processes.

use crate::process::{TRACEPARENT, TRACESTATE, same};
use opentelemetry::Context;
use opentelemetry::trace::TraceContextExt;
use std::ffi::OsString;

/// Adds the active OpenTelemetry context to the environment of an agent, unless it has one.
pub(crate) fn propagate(environment: &mut Vec<(OsString, OsString)>) {
    let is_set = |wanted: &str| {
        environment
            .iter()
            .any(|(name, _)| same(name, wanted.as_ref()))
    };
    let (has_parent, has_state) = (is_set(TRACEPARENT), is_set(TRACESTATE));
    let context = Context::current();
    let span = context.span();
    let active = span.span_context();
    if has_parent || !active.is_valid() {
        return;
    }
    let (trace, id, flags) = (active.trace_id(), active.span_id(), active.trace_flags());
    let parent = format!("00-{trace}-{id}-{:02x}", flags.to_u8());
    environment.push((TRACEPARENT.into(), parent.into()));
    let state = active.trace_state().header();
    if !has_state && !state.is_empty() {
        environment.push((TRACESTATE.into(), state.into()));
    }
}
