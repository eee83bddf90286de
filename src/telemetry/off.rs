//! The types of this module without the feature `telemetry`.

use crate::callback::BoxFuture;
use crate::event::{CallbackFailure, RequestSummary, SessionStatus};
use agentwire_protocol::Frame;
use agentwire_protocol::host::{Prompt, SubmissionState, TurnEvent};
use agentwire_protocol::message::Init;
use tokio::sync::watch;

#[derive(Debug)]
pub(crate) struct Origin;

impl Origin {
    pub(crate) fn current() -> Self {
        Self
    }

    pub(crate) fn unknown() -> Self {
        Self
    }

    pub(crate) fn of(self, _: &Prompt) -> Self {
        self
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Spans;

impl Spans {
    pub(crate) fn new(_: &watch::Sender<SessionStatus>) -> Self {
        Self
    }

    pub(crate) fn submitted(&self, _: Origin) {}

    pub(crate) fn observe_submission(&self, _: &str, _: SubmissionState) {}

    pub(crate) fn observe_turn(&self, _: &TurnEvent) {}

    pub(crate) fn observe_frame(&self, _: &Frame) {}

    pub(crate) fn observe_init(&self, _: &Init) {}

    pub(crate) fn end(&self) {}

    pub(crate) fn request(&self, _: &RequestSummary, _: &Frame) -> RequestSpan {
        RequestSpan
    }
}

#[derive(Debug)]
pub(crate) struct RequestSpan;

impl RequestSpan {
    pub(crate) fn around<T>(&self, future: BoxFuture<T>) -> BoxFuture<T> {
        future
    }

    pub(crate) fn answered(self, _: &[u8]) {}

    pub(crate) fn failed(self, _: &CallbackFailure) {}
}
