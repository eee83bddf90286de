//! Requests of the agent: dispatch to callbacks, and responses.

use crate::callback::{
    CallbackRequest, CallbackResponse, Callbacks, QUESTION_TOOL, Request, Response, Shared, encode,
};
use crate::command::{Command, Declared, Encode, LateAnswer, Out, RequestNumber, Servers};
use crate::event::{
    CallbackFailure, Error, Notice, PendingRequest, RequestKind, RequestSummary, SessionStatus,
    Unanswered,
};
use crate::handle::Handle;
use crate::permission::PermissionRequest;
use crate::process::panic_text;
use crate::telemetry::{RequestSpan, Spans};
use agentwire_protocol::control::{self, AgentRequest, ControlRequest, Refusal};
use agentwire_protocol::dialog::{RequestUserDialog, UserDialogResult};
use agentwire_protocol::hook::{HookCallback, HookOutput};
use agentwire_protocol::host;
use agentwire_protocol::mcp::{McpElicitation, McpElicitationResult};
use agentwire_protocol::message::PermissionDeniedMessage;
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use agentwire_protocol::sorted::SortedMap;
use agentwire_protocol::{Fault, Frame, Json};
use bytes::Bytes;
use std::collections::HashMap;
use std::future::{poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// The most callbacks that run at once, including those of cancelled requests.
const MOST_RUNNING: usize = 1024;
/// The total size of their requests, in bytes.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The shortest interval between two notices about requests denied because of these limits.
const REFUSAL_NOTICE_INTERVAL: Duration = Duration::from_secs(1);

/// Pending requests of the agent, and running callbacks, one task each.
#[derive(Debug)]
pub(super) struct PendingCallbacks {
    callbacks: Callbacks,
    session: Handle,
    /// The in-process servers, if supported.
    servers: Option<Box<dyn Servers>>,
    open: SortedMap<Box<str>, Open>,
    /// Lists the pending requests.
    status: Arc<watch::Sender<SessionStatus>>,
    tasks: JoinSet<Done>,
    /// The request of each task.
    running: HashMap<Id, Running>,
    /// The total size of their requests, in bytes.
    bytes: usize,
    /// The time of the last such notice, and the number of requests denied since.
    last_refusal_notice: Option<Instant>,
    suppressed: u32,
    count: u64,
}

/// A pending request.
#[derive(Debug)]
struct Open {
    number: RequestNumber,
    asked: RequestSummary,
    /// The part of the request that its response must repeat.
    to_repeat: Option<Json>,
    cancelled: CancellationToken,
    /// Whether it is in the streams.
    is_in_stream: bool,
    span: RequestSpan,
}

/// The request of a task. It may be cancelled or answered before the task ends.
#[derive(Debug)]
struct Running {
    request_id: Box<str>,
    number: RequestNumber,
    asked: RequestSummary,
    bytes: usize,
}

/// The outcome of a callback.
#[derive(Debug)]
enum Done {
    Answered(Encode),
    /// The response comes later.
    Later,
    Failed(String),
}

/// How to proceed with a request.
pub(super) enum Step {
    /// Send this line, and deliver the notice, if any.
    Line(Box<str>, Bytes, Option<Notice>),
    /// As `Line`, for a request in the streams.
    Answered(Box<str>, Bytes, Option<Notice>),
    /// Leave the request unanswered, and deliver the notice.
    Leave(Box<str>, Notice),
    /// Put the request into the streams.
    Show(PendingRequest, Unanswered),
    /// Nothing: a callback is running, or its outcome is no longer needed.
    Nothing,
    /// Execute these actions of the in-process servers.
    Serve(Vec<Out>),
    /// Only deliver the notice.
    Notify(Notice),
}

impl PendingCallbacks {
    pub(super) fn new(
        callbacks: Callbacks,
        session: Handle,
        status: Arc<watch::Sender<SessionStatus>>,
    ) -> Self {
        Self {
            callbacks,
            status,
            servers: servers(&session),
            session,
            open: SortedMap::new(),
            tasks: JoinSet::new(),
            running: HashMap::new(),
            bytes: 0,
            last_refusal_notice: None,
            suppressed: 0,
            count: 0,
        }
    }

    /// The handle that callbacks get.
    pub(super) fn session(&self) -> Handle {
        self.session.clone()
    }

    /// Returns the session's spans.
    pub(super) fn spans(&self) -> &Spans {
        &self.session.link().spans
    }

    /// Returns what agent and host have declared.
    pub(super) fn declared(&self) -> &Declared {
        self.session.link().declared()
    }

    /// Sets the in-process servers.
    #[cfg(feature = "mcp")]
    pub(super) fn set_servers(&mut self, servers: Box<dyn Servers>) {
        self.servers = Some(servers);
    }

    /// Replaces the servers for the next process.
    pub(super) fn restart(&mut self) {
        self.stop_servers();
        self.servers = servers(&self.session);
    }

    /// Stops the servers at the end of the session.
    pub(super) fn stop_servers(&mut self) {
        if let Some(servers) = &mut self.servers {
            servers.stop();
        }
    }

    /// Returns whether a server waits for a response of the agent.
    pub(super) fn servers_wait(&self) -> bool {
        self.servers.as_ref().is_some_and(|it| it.await_responses())
    }

    /// Returns whether a gate hook is declared.
    pub(super) fn has_gates(&self) -> bool {
        self.callbacks.hooks.has_gates()
    }

    /// Returns whether a request is pending, or a callback is running.
    pub(super) fn are_open(&self) -> bool {
        !self.open.is_empty() || !self.running.is_empty()
    }

    /// Returns the pending requests in the streams, from the oldest to the newest.
    pub(super) fn requests_in_streams(&self) -> Vec<PendingRequest> {
        let status = self.status.borrow();
        let is_in_stream = |it: &&PendingRequest| {
            let open = self.open.get(&it.request_id);
            open.is_some_and(|open| open.is_in_stream)
        };
        let requests = status.pending_requests.iter().filter(is_in_stream);
        requests.cloned().collect()
    }

    /// Dispatches a request of the agent to an in-process server or a callback.
    pub(super) fn dispatch(&mut self, ask: host::IncomingRequest) -> Step {
        if let Some(servers) = &mut self.servers
            && ask.frame.subtype() == Some("mcp_message")
            && let Ok(ControlRequest {
                request: AgentRequest::McpMessage(message),
                ..
            }) = ask.frame.read()
        {
            return Step::Serve(servers.receive(ask.request_id, message));
        }
        self.dispatch_callback(ask)
    }

    fn dispatch_callback(
        &mut self,
        host::IncomingRequest { request_id, frame }: host::IncomingRequest,
    ) -> Step {
        match frame.control_request() {
            Ok((ControlRequest { request, .. }, mut faults)) if !faults.is_empty() => {
                self.dispatch_invalid(request_id, &frame, request, faults.remove(0))
            }
            Ok((ControlRequest { request, .. }, _)) => match request {
                AgentRequest::CanUseTool(request) => {
                    self.dispatch_permission(request_id, &frame, request)
                }
                AgentRequest::HookCallback(request) => self.call_hook(request_id, &frame, request),
                AgentRequest::Elicitation(request) => self.elicit(request_id, &frame, request),
                AgentRequest::RequestUserDialog(request) => {
                    self.show_dialog(request_id, &frame, request)
                }
                _ => refuse(
                    request_id,
                    &frame,
                    "this host does not support it".to_owned(),
                ),
            },
            // Another host may handle this kind.
            Err(error) if frame.subtype() == Some(DIALOG) => {
                leave(request_id, &frame, error.to_string())
            }
            Err(error) => refuse(request_id, &frame, error.to_string()),
        }
    }

    /// Handles a request with an invalid member: a human must decide, or it is denied.
    fn dispatch_invalid(
        &mut self,
        request_id: Box<str>,
        frame: &Frame,
        request: AgentRequest,
        fault: Fault,
    ) -> Step {
        let deny = |asked: RequestSummary, fault| {
            let line = denial(&request_id, &asked);
            let notice = failed(
                request_id.clone(),
                asked,
                CallbackFailure::InvalidRequest(fault),
            );
            Step::Line(request_id.clone(), line, Some(notice))
        };
        match request {
            AgentRequest::CanUseTool(request) if request.tool_name == QUESTION_TOOL => {
                let tool_name = request.tool_name;
                deny(RequestSummary::Permission { tool_name }, fault)
            }
            // A decision requires both.
            AgentRequest::CanUseTool(mut request)
                if !request.tool_name.is_empty() && request.input.get().starts_with('{') =>
            {
                request.requires_user_interaction = Some(true);
                self.dispatch_permission(request_id, frame, request)
            }
            AgentRequest::HookCallback(request) => {
                match self.callbacks.hooks.get(&request.callback_id) {
                    Some(hook) if hook.is_gate => {
                        let event = hook.kind.clone();
                        let is_gate = true;
                        deny(RequestSummary::Hook { event, is_gate }, fault)
                    }
                    _ => refuse(request_id, frame, fault.to_string()),
                }
            }
            // Another host may handle this kind.
            _ if frame.subtype() == Some(DIALOG) => leave(request_id, frame, fault.to_string()),
            _ => refuse(request_id, frame, fault.to_string()),
        }
    }

    /// Returns a notice if the frame reports that the agent denied a tool call because there is no
    /// permission callback. Denials by a rule, the permission mode or a classifier name that as the
    /// reason.
    pub(super) fn denied_without_request(&self, frame: &Frame) -> Option<Notice> {
        if frame.subtype() != Some(DENIED) || self.callbacks.decide_about_tools() {
            return None;
        }
        let denied: PermissionDeniedMessage = frame.read().ok()?;
        match denied.decision_reason_type.as_deref() {
            None | Some("hook") => Some(Notice::NoPermissionCallback {
                tool_name: denied.tool_name,
                tool_use_id: denied.tool_use_id,
            }),
            Some(_) => None,
        }
    }

    fn dispatch_permission(
        &mut self,
        request_id: Box<str>,
        frame: &Frame,
        request: CanUseTool,
    ) -> Step {
        let tool_name = request.tool_name.clone();
        // A policy can be code of the application.
        let decide = AssertUnwindSafe(|| self.callbacks.decide(&request));
        match catch_unwind(decide) {
            Ok(None) => {}
            Ok(Some(result)) => {
                let asked = RequestSummary::Permission { tool_name };
                let decided = Shared::new(move |_: PermissionRequest| ready(result.clone()));
                return self.start(request_id, frame, request, asked, &decided, None);
            }
            Err(panic) => {
                let asked = RequestSummary::Permission { tool_name };
                let line = denial(&request_id, &asked);
                let failure = CallbackFailure::Panicked(panic_text(&*panic));
                let notice = failed(request_id.clone(), asked, failure);
                return Step::Line(request_id, line, Some(notice));
            }
        }
        match self.callbacks.permission(&tool_name).cloned() {
            Some(handler) => {
                let asked = RequestSummary::Permission { tool_name };
                let kind = RequestKind::Permission(Box::new(request.clone()));
                self.start(request_id, frame, request, asked, &handler, Some(kind))
            }
            None if self.callbacks.in_stream => {
                let asked = RequestSummary::Permission { tool_name };
                self.show(request_id, frame, request, asked, RequestKind::Permission)
            }
            None => {
                let why = format!("No permission callback is set, so {tool_name} was denied.");
                let line = success(&request_id, &PermissionResult::deny(why));
                without_callback(request_id, line, RequestSummary::Permission { tool_name })
            }
        }
    }

    fn call_hook(&mut self, request_id: Box<str>, frame: &Frame, request: HookCallback) -> Step {
        let Some(hook) = self.callbacks.hooks.get(&request.callback_id) else {
            let why = format!("no hook has the id `{}`", request.callback_id);
            return refuse(request_id, frame, why);
        };
        let asked = RequestSummary::Hook {
            event: hook.kind.clone(),
            is_gate: hook.is_gate,
        };
        let handler = hook.handler.clone();
        self.start(request_id, frame, request, asked, &handler, None)
    }

    fn elicit(&mut self, request_id: Box<str>, frame: &Frame, request: McpElicitation) -> Step {
        match self.callbacks.elicitation.clone() {
            Some(handler) => {
                let asked = RequestSummary::Elicitation {
                    server_name: request.mcp_server_name.clone(),
                };
                let kind = RequestKind::Elicitation(Box::new(request.clone()));
                self.start(request_id, frame, request, asked, &handler, Some(kind))
            }
            None if self.callbacks.in_stream => {
                let asked = RequestSummary::Elicitation {
                    server_name: request.mcp_server_name.clone(),
                };
                self.show(request_id, frame, request, asked, RequestKind::Elicitation)
            }
            None => {
                let line = success(&request_id, &McpElicitationResult::decline());
                let server_name = request.mcp_server_name;
                without_callback(
                    request_id,
                    line,
                    RequestSummary::Elicitation { server_name },
                )
            }
        }
    }

    /// Shows a dialog. The protocol requires that undeclared kinds are left to other hosts.
    fn show_dialog(
        &mut self,
        request_id: Box<str>,
        frame: &Frame,
        request: RequestUserDialog,
    ) -> Step {
        let dialog_kind = request.dialog_kind.clone();
        match self.callbacks.dialog(&dialog_kind).cloned() {
            Some(handler) => {
                let asked = RequestSummary::Dialog { dialog_kind };
                let kind = RequestKind::Dialog(Box::new(request.clone()));
                self.start(request_id, frame, request, asked, &handler, Some(kind))
            }
            None => {
                let why = format!("the dialog kind `{dialog_kind}` was not declared");
                leave(request_id, frame, why)
            }
        }
    }

    /// Spawns a callback, if the limits allow it.
    fn start<R: CallbackRequest>(
        &mut self,
        request_id: Box<str>,
        frame: &Frame,
        request: R,
        asked: RequestSummary,
        handler: &Shared<R>,
        kind: Option<RequestKind>,
    ) -> Step {
        let bytes = frame.raw().len();
        let is_too_long = !self.running.is_empty() && self.bytes + bytes > MOST_BYTES;
        if is_too_long || self.running.len() >= MOST_RUNNING {
            return self.deny(request_id, frame, &asked);
        }
        self.bytes += bytes;
        self.count += 1;
        let number = RequestNumber(self.count);
        let cancelled = CancellationToken::new();
        let to_repeat = request.to_repeat();
        if let Some(request) = kind {
            self.list(PendingRequest {
                request_id: request_id.clone(),
                request,
                size: bytes,
            });
        }
        let ask = Request {
            request,
            request_id: request_id.clone(),
            cancelled: cancelled.clone(),
            session: self.session.clone(),
            number,
        };
        let handler = handler.clone();
        // The call itself may panic too, so it is made inside the task.
        let task: Pin<Box<dyn Future<Output = Done> + Send>> = Box::pin(async move {
            let id = ask.request_id.clone();
            match handler.handle(ask).await {
                Response::Now(answer) => Done::Answered(encode(id, answer)),
                Response::Later => Done::Later,
                Response::Failed(why) => Done::Failed(why),
            }
        });
        let span = self.spans().request(&asked, frame);
        let task = self.tasks.spawn(span.around(task));
        let open = Open {
            number,
            asked: asked.clone(),
            to_repeat,
            cancelled,
            is_in_stream: false,
            span,
        };
        self.open.insert(request_id.clone(), open);
        let running = Running {
            request_id,
            number,
            asked,
            bytes,
        };
        self.running.insert(task.id(), running);
        Step::Nothing
    }

    /// Adds a request to the pending ones of the status.
    fn list(&self, request: PendingRequest) {
        self.status
            .send_modify(|status| status.pending_requests.push(request));
    }

    /// Removes a request from the pending ones of the status.
    fn unlist(&self, request_id: &str) {
        self.status.send_if_modified(|status| {
            let requests = &mut status.pending_requests;
            let before = requests.len();
            requests.retain(|it| *it.request_id != *request_id);
            requests.len() != before
        });
    }

    /// Puts a request into the streams.
    fn show<R: CallbackRequest>(
        &mut self,
        request_id: Box<str>,
        frame: &Frame,
        request: R,
        asked: RequestSummary,
        kind: fn(Box<R>) -> RequestKind,
    ) -> Step {
        self.count += 1;
        let number = RequestNumber(self.count);
        let span = self.spans().request(&asked, frame);
        let open = Open {
            number,
            asked,
            to_repeat: request.to_repeat(),
            cancelled: CancellationToken::new(),
            is_in_stream: true,
            span,
        };
        self.open.insert(request_id.clone(), open);
        let (link, id) = (self.session.link().clone(), request_id.clone());
        let unanswered = Unanswered::new(move || {
            let (reply, _) = oneshot::channel();
            // Fails only if the driver has ended, and so the agent too.
            let _ = link.command(Command::Answer(LateAnswer {
                request_id: id,
                number: Some(number),
                answer: Err(CallbackFailure::Unread),
                fits: |_| true,
                reply,
            }));
        });
        let request = PendingRequest {
            request_id,
            request: kind(Box::new(request)),
            size: frame.raw().len(),
        };
        self.list(request.clone());
        Step::Show(request, unanswered)
    }

    /// Denies a request because the limits are reached.
    fn deny(&mut self, request_id: Box<str>, frame: &Frame, asked: &RequestSummary) -> Step {
        let line = denial(&request_id, asked);
        let is_recent = self
            .last_refusal_notice
            .is_some_and(|last| last.elapsed() < REFUSAL_NOTICE_INTERVAL);
        let notice = if is_recent {
            self.suppressed += 1;
            None
        } else {
            self.last_refusal_notice = Some(Instant::now());
            Some(Notice::Wire(host::WireNotice::TooManyRequests {
                frame: frame.clone(),
                suppressed: std::mem::take(&mut self.suppressed),
            }))
        };
        Step::Line(request_id, line, notice)
    }

    /// Waits for a finished callback, or for an action of the in-process servers if `can_relay`.
    /// Cancel safe.
    pub(super) async fn next(&mut self, can_relay: bool) -> Step {
        poll_fn(|context| {
            if let Poll::Ready(Some(done)) = self.tasks.poll_join_next_with_id(context) {
                return Poll::Ready(self.done(done));
            }
            match &mut self.servers {
                Some(servers) if can_relay => servers.poll_next(context).map(Step::Serve),
                _ => Poll::Pending,
            }
        })
        .await
    }

    fn done(&mut self, done: Result<(Id, Done), JoinError>) -> Step {
        let id = match &done {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let Some(Running {
            request_id,
            number,
            asked,
            bytes,
        }) = self.running.remove(&id)
        else {
            return Step::Nothing;
        };
        self.bytes -= bytes;
        let answer = match done {
            Ok((_, Done::Later)) => return Step::Nothing,
            Ok((_, Done::Answered(answer))) => Ok(answer),
            Ok((_, Done::Failed(why))) => Err(CallbackFailure::Failed(why)),
            Err(error) => Err(CallbackFailure::Panicked(panic_message(error))),
        };
        let is_open = |open: &Open| open.number == number;
        match answer {
            _ if self.open.get(&request_id).is_some_and(is_open) => self.close(request_id, answer),
            // The request is closed, and its ID may have been reused.
            Err(failure @ CallbackFailure::Panicked(_)) => {
                Step::Notify(failed(request_id, asked, failure))
            }
            _ => Step::Nothing,
        }
    }

    /// Handles a response that the callback sent after it returned.
    pub(super) fn answer_late(&mut self, answer: LateAnswer) -> Step {
        let LateAnswer {
            request_id,
            number,
            answer,
            fits,
            reply,
        } = answer;
        let is_open = self.open.get(&request_id).is_some_and(|open| {
            fits(&open.asked) && number.is_none_or(|number| number == open.number)
        });
        // The receiver may have been dropped.
        if is_open {
            let _ = reply.send(Ok(()));
            self.close(request_id, answer)
        } else {
            let _ = reply.send(Err(Error::NoPendingRequest { request_id }));
            Step::Nothing
        }
    }

    /// Responds to a pending request.
    fn close(&mut self, request_id: Box<str>, answer: Result<Encode, CallbackFailure>) -> Step {
        let Some(Open {
            asked,
            to_repeat,
            cancelled,
            is_in_stream,
            span,
            ..
        }) = self.open.remove(&request_id)
        else {
            return Step::Nothing;
        };
        self.unlist(&request_id);
        // Notifies clones of the token.
        cancelled.cancel();
        let version = self.session.link().declared().cli_version();
        let (line, notice) =
            match answer.and_then(|answer| answer.line(&asked, to_repeat.as_ref(), version)) {
                Ok(line) => {
                    span.answered(&line);
                    (line, None)
                }
                Err(failure) => {
                    span.failed(&failure);
                    let line = denial(&request_id, &asked);
                    (line, Some(failed(request_id.clone(), asked, failure)))
                }
            };
        match is_in_stream {
            true => Step::Answered(request_id, line, notice),
            false => Step::Line(request_id, line, notice),
        }
    }

    /// Handles the agent's cancellation of a request.
    /// Returns whether the request was in the streams.
    pub(super) fn cancel(&mut self, request_id: &str) -> bool {
        if let Some(servers) = &mut self.servers {
            servers.cancel(request_id);
        }
        self.open.remove(request_id).is_some_and(|open| {
            self.unlist(request_id);
            open.cancelled.cancel();
            open.is_in_stream
        })
    }

    /// Cancels all pending requests. Running callbacks are notified, and may continue.
    pub(super) fn cancel_all(&mut self) {
        for open in self.open.values() {
            open.cancelled.cancel();
        }
        self.open.clear();
        self.status.send_if_modified(|status| {
            let had_requests = !status.pending_requests.is_empty();
            status.pending_requests.clear();
            had_requests
        });
        self.tasks.detach_all();
        self.running.clear();
        self.bytes = 0;
    }
}

/// Creates the session's in-process servers: none at first.
#[cfg(feature = "mcp")]
fn servers(session: &Handle) -> Option<Box<dyn Servers>> {
    Some(Box::new(crate::mcp::McpServers::new(session.clone())))
}

#[cfg(not(feature = "mcp"))]
fn servers(_: &Handle) -> Option<Box<dyn Servers>> {
    None
}

const DIALOG: &str = "request_user_dialog";

const DENIED: &str = "permission_denied";

/// Returns the denial that is sent if the callback fails.
fn denial(request_id: &str, asked: &RequestSummary) -> Bytes {
    match asked {
        RequestSummary::Permission { tool_name } => {
            let why = format!("The host could not decide about {tool_name}.");
            success(request_id, &PermissionResult::deny(why))
        }
        RequestSummary::Hook { event, is_gate } => {
            let why = format!("The host's hook of {event} failed.");
            match HookOutput::denial(event, &why).filter(|_| *is_gate) {
                Some(denial) => success(request_id, &denial),
                None => control::failure(request_id, &Refusal::new(why)),
            }
        }
        RequestSummary::Elicitation { .. } => success(request_id, &McpElicitationResult::decline()),
        RequestSummary::Dialog { .. } => success(request_id, &UserDialogResult::cancelled()),
    }
}

fn failed(request_id: Box<str>, request: RequestSummary, failure: CallbackFailure) -> Notice {
    Notice::CallbackFailed {
        request_id,
        request,
        failure,
    }
}

fn success<A: CallbackResponse>(request_id: &str, answer: &A) -> Bytes {
    control::success(request_id, Some(answer)).unwrap_or_else(|error| {
        // A value read from JSON can always be encoded. An error response denies.
        control::failure(request_id, &Refusal::new(error.to_string()))
    })
}

fn without_callback(request_id: Box<str>, line: Bytes, asked: RequestSummary) -> Step {
    let notice = failed(request_id.clone(), asked, CallbackFailure::NoCallback);
    Step::Line(request_id, line, Some(notice))
}

fn refuse(request_id: Box<str>, frame: &Frame, reason: String) -> Step {
    let line = control::failure(
        &request_id,
        &Refusal::new(&reason).code("unsupported_request"),
    );
    let notice = not_supported(request_id.clone(), frame, reason);
    Step::Line(request_id, line, Some(notice))
}

fn leave(request_id: Box<str>, frame: &Frame, reason: String) -> Step {
    let reason = format!("{reason}; no response is sent");
    let notice = not_supported(request_id.clone(), frame, reason);
    Step::Leave(request_id, notice)
}

fn not_supported(request_id: Box<str>, frame: &Frame, reason: String) -> Notice {
    let subtype = frame.subtype().unwrap_or("nothing").to_owned();
    Notice::NotSupported {
        request_id,
        subtype,
        reason,
    }
}

fn panic_message(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => panic_text(&*panic),
        Err(_) => "the task was cancelled".to_owned(),
    }
}
