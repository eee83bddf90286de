//! The span of a request of the agent.

use super::spans::{millis, text};
use crate::callback::BoxFuture;
use crate::event::CallbackFailure;
use agentwire_protocol::{Frame, Json};
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Instant;
use tracing::Span;

/// The span of a pending request. It closes when the request has a response or is cancelled, even
/// if its callback runs on.
#[derive(Debug)]
pub(crate) struct RequestSpan {
    span: Arc<Span>,
    since: Instant,
    outcome: &'static str,
    error: Option<&'static str>,
}

impl RequestSpan {
    pub(super) fn new(span: Span) -> Self {
        Self {
            span: Arc::new(span),
            since: Instant::now(),
            outcome: "cancelled",
            error: Some("cancelled"),
        }
    }

    /// Adds the tool call that the request is about.
    pub(super) fn of_request(span: Span, frame: &Frame) -> Self {
        if !span.is_disabled()
            && let Some(request) = frame.member("request")
        {
            let of_hook = || request.member("input")?.member("tool_name");
            let tool = request.member("tool_name").or_else(of_hook);
            span.record("gen_ai.tool.name", text(tool));
            span.record("gen_ai.tool.call.id", text(request.member("tool_use_id")));
        }
        Self::new(span)
    }

    /// Runs a callback inside the span as long as it is open.
    pub(crate) fn around<T: 'static>(&self, mut future: BoxFuture<T>) -> BoxFuture<T> {
        if self.span.is_disabled() {
            return future;
        }
        let span = Arc::downgrade(&self.span);
        Box::pin(poll_fn(move |context| {
            let span = span.upgrade();
            let _entered = span.as_ref().map(|it| it.enter());
            future.as_mut().poll(context)
        }))
    }

    /// Calls a function inside the span.
    #[cfg(feature = "mcp")]
    pub(crate) fn inside<T>(&self, function: impl FnOnce() -> T) -> T {
        self.span.in_scope(function)
    }

    /// Closes the span of a request with this response.
    pub(crate) fn answered(mut self, line: &[u8]) {
        let answer = match self.span.is_disabled() {
            true => None,
            false => serde_json::from_slice::<Json>(line).ok(),
        };
        let decision = answer.and_then(|it| {
            it.member("response")?
                .member("response")?
                .member("behavior")
        });
        self.outcome = match text(decision).as_deref() {
            Some("allow") => "allow",
            Some("deny") => "deny",
            _ => "answered",
        };
        self.error = None;
    }

    /// Closes the span of a request that is denied because there was no response.
    pub(crate) fn failed(self, failure: &CallbackFailure) {
        let error = match failure {
            CallbackFailure::Panicked(_) => "panic",
            CallbackFailure::Failed(_) => "callback_failed",
            CallbackFailure::Dropped => "responder_dropped",
            CallbackFailure::Unread => "unread",
            CallbackFailure::NoCallback => "no_callback",
            CallbackFailure::InvalidRequest(_) => "invalid_request",
            CallbackFailure::Invalid(_) => "invalid_response",
        };
        self.ended("failed", Some(error));
    }

    /// Closes the span with this outcome and class of error.
    pub(crate) fn ended(mut self, outcome: &'static str, error: Option<&'static str>) {
        self.outcome = outcome;
        self.error = error;
    }
}

impl Drop for RequestSpan {
    fn drop(&mut self) {
        if self.span.is_disabled() {
            return;
        }
        self.span.record("agentwire.wait_ms", millis(self.since));
        self.span.record("agentwire.outcome", self.outcome);
        if let Some(error) = self.error {
            self.span.record("error.type", error);
            self.span.record("otel.status_code", "ERROR");
        }
        // For OpenTelemetry, a span ends when it was last exited.
        self.span.in_scope(|| ());
    }
}
