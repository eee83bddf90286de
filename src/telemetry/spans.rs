//! Spans by OpenTelemetry's conventions for generative AI.

use super::request::RequestSpan;
use crate::event::{RequestSummary, SessionStatus};
use agentwire_protocol::host::{Prompt, SubmissionState, TurnEnd, TurnEvent, TurnOutcome};
use agentwire_protocol::message::{Init, ResultMessage, ResultSubtype};
use agentwire_protocol::{Frame, Json};
use opentelemetry::trace::TraceContextExt;
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;
use tracing::Span;
use tracing::field::Empty;

/// Creates a span: a child of `$parent` or, without one, of the context in which the session was
/// opened.
macro_rules! span {
    ($state:expr, $parent:expr, $name:literal, $($fields:tt)*) => {
        match $parent {
            Some(parent) => {
                tracing::info_span!(target: "agentwire::telemetry", parent: parent, $name, $($fields)*)
            }
            None => {
                let _opened_in = $state.opened_in.clone().attach();
                tracing::info_span!(target: "agentwire::telemetry", $name, $($fields)*)
            }
        }
    };
}

/// The span and the time in which a message was submitted. `None` if they are not needed.
#[derive(Debug)]
pub(crate) struct Origin(Option<(Box<str>, Span, Instant)>);

impl Origin {
    pub(crate) fn current() -> Self {
        let is_needed = tracing::dispatcher::has_been_set();
        Self(is_needed.then(|| ("".into(), Span::current(), Instant::now())))
    }

    /// Returns the origin of a message that an earlier host accepted.
    pub(crate) fn unknown() -> Self {
        Self(None)
    }

    /// Adds the message's ID.
    pub(crate) fn of(self, message: &Prompt) -> Self {
        Self((self.0).map(|(_, span, at)| (message.uuid().into(), span, at)))
    }

    fn is_of(&self, uuid: &str) -> bool {
        matches!(&self.0, Some((it, ..)) if **it == *uuid)
    }
}

/// The spans of a session.
#[derive(Clone)]
pub(crate) struct Spans(Arc<Mutex<State>>);

struct State {
    opened_in: Context,
    status: watch::Receiver<SessionStatus>,
    /// The model that the agent reported last.
    model: Option<String>,
    /// The origins of messages that no turn has picked up.
    origins: Vec<Origin>,
    turn: Option<RunningTurn>,
}

struct RunningTurn {
    number: u64,
    /// Created when its parent is known.
    span: Option<Span>,
    has_response_model: bool,
}

impl Spans {
    /// Creates the spans of a session that is opened now.
    pub(crate) fn new(status: &watch::Sender<SessionStatus>) -> Self {
        let active = Context::current().span().span_context().clone();
        // The active context itself would hold the active span open.
        let opened_in = match active.is_valid() {
            true => Context::new().with_remote_span_context(active),
            false => Context::new(),
        };
        Self(Arc::new(Mutex::new(State {
            opened_in,
            status: status.subscribe(),
            model: None,
            origins: vec![],
            turn: None,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Retains the origin of a message until a turn picks the message up.
    pub(crate) fn submitted(&self, origin: Origin) {
        if origin.0.is_some() {
            self.lock().origins.push(origin);
        }
    }

    /// Discards the origin of a message that no turn will pick up.
    pub(crate) fn observe_submission(&self, uuid: &str, state: SubmissionState) {
        if state.is_end() {
            self.lock().origins.retain(|it| !it.is_of(uuid));
        }
    }

    pub(crate) fn observe_turn(&self, event: &TurnEvent) {
        let mut state = self.lock();
        match event {
            TurnEvent::Started { turn } => {
                state.turn = Some(RunningTurn {
                    number: *turn,
                    span: None,
                    has_response_model: false,
                });
            }
            TurnEvent::PickedUp { uuid, .. } => state.pick_up(uuid),
            TurnEvent::Ended(end) => {
                let Some(span) = state.turn_span() else {
                    return;
                };
                state.record_end(&span, end);
                state.turn = None;
            }
            _ => {}
        }
    }

    /// Records the model that has responded.
    pub(crate) fn observe_frame(&self, frame: &Frame) {
        if frame.kind() != "assistant" {
            return;
        }
        let mut state = self.lock();
        let Some(span) = state.turn_span().filter(|it| !it.is_disabled()) else {
            return;
        };
        let is_of_main = |it: &Frame| text(it.member("parent_tool_use_id")).is_none();
        if let Some(turn) = state.turn.as_mut().filter(|it| !it.has_response_model)
            && is_of_main(frame)
            && let Some(model) = text(frame.member("message").and_then(|it| it.member("model")))
            // The model of messages that the agent has made up.
            && model != "<synthetic>"
        {
            turn.has_response_model = true;
            span.record("gen_ai.response.model", model);
        }
    }

    pub(crate) fn observe_init(&self, init: &Init) {
        if let Some(model) = &init.model {
            self.lock().model = Some(model.clone());
        }
    }

    /// Closes all spans.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.origins.clear();
        state.turn = None;
    }

    /// Creates the span of a request of the agent.
    pub(crate) fn request(&self, asked: &RequestSummary, frame: &Frame) -> RequestSpan {
        let mut state = self.lock();
        let parent = state.turn_span();
        macro_rules! request_span {
            ($name:literal, $what:expr) => {
                span!(
                    state,
                    parent,
                    $name,
                    otel.name = format!(concat!($name, " {}"), $what),
                    otel.status_code = Empty,
                    gen_ai.conversation.id = state.conversation(),
                    gen_ai.tool.name = Empty,
                    gen_ai.tool.call.id = Empty,
                    agentwire.request.id = frame.request_id(),
                    agentwire.request.bytes = frame.raw().len(),
                    agentwire.wait_ms = Empty,
                    agentwire.outcome = Empty,
                    "error.type" = Empty,
                )
            };
        }
        let span = match asked {
            RequestSummary::Permission { tool_name } => request_span!("permission", tool_name),
            RequestSummary::Hook { event, .. } => request_span!("hook", event),
            RequestSummary::Elicitation { server_name } => {
                request_span!("elicitation", server_name)
            }
            RequestSummary::Dialog { dialog_kind } => request_span!("dialog", dialog_kind),
        };
        RequestSpan::of_request(span, frame)
    }

    /// Creates the span of a call of an in-process tool.
    #[cfg(feature = "mcp")]
    pub(crate) fn execute_tool(&self, tool: &str, call: Option<&str>) -> RequestSpan {
        let mut state = self.lock();
        let parent = state.turn_span();
        RequestSpan::new(span!(
            state,
            parent,
            "execute_tool",
            otel.name = format!("execute_tool {tool}"),
            otel.status_code = Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.conversation.id = state.conversation(),
            gen_ai.tool.name = tool,
            gen_ai.tool.call.id = call,
            "gen_ai.tool.type" = "function",
            agentwire.outcome = Empty,
            "error.type" = Empty,
        ))
    }
}

impl State {
    fn conversation(&self) -> Option<String> {
        let status = self.status.borrow();
        status.session_id.as_deref().map(str::to_owned)
    }

    /// Makes the message's origin the parent of the turn, or a link if it has a parent.
    fn pick_up(&mut self, uuid: &str) {
        let at = self.origins.iter().position(|it| it.is_of(uuid));
        let origin = at.map_or(Origin::unknown(), |at| self.origins.remove(at));
        let span = self.turn.as_ref().and_then(|turn| turn.span.clone());
        let span = match (span, &origin.0) {
            (Some(span), Some((_, origin, _))) => {
                span.follows_from(origin);
                span
            }
            (Some(span), None) => span,
            (None, from) => {
                let span = self.new_turn_span(from.as_ref().and_then(|(_, span, _)| span.id()));
                if let Some((_, _, at)) = from {
                    span.record("agentwire.wait_ms", millis(*at));
                }
                span.record("agentwire.message.id", uuid);
                span
            }
        };
        if let Some(turn) = &mut self.turn {
            turn.span = Some(span);
        }
    }

    /// Returns the span of the running turn. A turn that has picked up no message by now was
    /// started by the agent.
    fn turn_span(&mut self) -> Option<Span> {
        let turn = self.turn.as_ref()?;
        let span = turn.span.clone();
        let span = span.unwrap_or_else(|| self.new_turn_span(None));
        self.turn.as_mut()?.span = Some(span.clone());
        Some(span)
    }

    fn new_turn_span(&self, parent: Option<tracing::Id>) -> Span {
        span!(
            self,
            parent,
            "invoke_agent",
            otel.status_code = Empty,
            gen_ai.operation.name = "invoke_agent",
            gen_ai.provider.name = "anthropic",
            gen_ai.conversation.id = self.conversation(),
            gen_ai.request.model = Empty,
            gen_ai.response.model = Empty,
            gen_ai.response.finish_reasons = Empty,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            gen_ai.usage.cache_write.input_tokens = Empty,
            agentwire.turn = self.turn.as_ref().map(|it| it.number),
            agentwire.message.id = Empty,
            agentwire.wait_ms = Empty,
            agentwire.outcome = Empty,
            "error.type" = Empty,
        )
    }

    fn record_end(&self, span: &Span, end: &TurnEnd) {
        if span.is_disabled() {
            return;
        }
        let result = end.result();
        // Unknown when the first turn started.
        span.record("gen_ai.conversation.id", self.conversation());
        span.record("gen_ai.request.model", self.model.as_deref());
        if let Some(result) = &result {
            record_result(span, result);
        }
        let (outcome, error) = outcome(end, result.as_ref());
        span.record("agentwire.outcome", outcome);
        if let Some(error) = error {
            span.record("error.type", error);
            span.record("otel.status_code", "ERROR");
        }
    }
}

fn record_result(span: &Span, result: &ResultMessage) {
    if let Some(usage) = &result.usage {
        let read = usage.cache_read_input_tokens;
        let written = usage.cache_creation_input_tokens;
        // By the convention, the input includes what was cached.
        let input = usage.input_tokens.into_iter().chain(read).chain(written);
        span.record("gen_ai.usage.input_tokens", input.sum::<u64>());
        span.record("gen_ai.usage.output_tokens", usage.output_tokens);
        span.record("gen_ai.usage.cache_read.input_tokens", read);
        span.record("gen_ai.usage.cache_write.input_tokens", written);
    }
    if let Some(reason) = &result.stop_reason {
        span.in_scope(|| {
            const KEY: &str = "gen_ai.response.finish_reasons";
            let context = Context::current();
            // A field of tracing cannot be a list, as the convention requires.
            if context.span().span_context().is_valid() {
                let reasons = Array::String(vec![StringValue::from(reason.clone())]);
                let reasons = KeyValue::new(KEY, Value::Array(reasons));
                context.span().set_attribute(reasons);
            } else {
                span.record(KEY, tracing::field::debug([reason]));
            }
        });
    }
}

/// Returns how a turn ended, and the class of its error.
fn outcome(end: &TurnEnd, result: Option<&ResultMessage>) -> (&'static str, Option<String>) {
    let (outcome, error) = match end.outcome {
        TurnOutcome::Completed => ("completed", None),
        TurnOutcome::Preempted => ("preempted", None),
        TurnOutcome::Interrupted => ("interrupted", Some("interrupted".to_owned())),
        TurnOutcome::ApiError => {
            let status = result.and_then(|it| it.api_error_status);
            let error = status.map_or("api_error".to_owned(), |it| it.to_string());
            ("api_error", Some(error))
        }
        TurnOutcome::Failed => {
            let subtype = result.map(|it| &it.subtype);
            let subtype = subtype.filter(|it| **it != ResultSubtype::Success);
            let error = subtype.map_or("failed", ResultSubtype::as_str).to_owned();
            ("failed", Some(error))
        }
        TurnOutcome::NoResult => ("no_result", Some("no_result".to_owned())),
        TurnOutcome::CutOff => ("cut_off", Some("cut_off".to_owned())),
        TurnOutcome::Lost => ("lost", Some("session_ended".to_owned())),
        _ => ("other", Some("_OTHER".to_owned())),
    };
    (outcome, error)
}

/// Returns a text; `None` for any other value.
pub(super) fn text(json: Option<Json>) -> Option<String> {
    json?.read().ok()
}

/// Returns the time since then in milliseconds.
pub(super) fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spans")
    }
}
