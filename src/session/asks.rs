//! What the agent asks of the host: who is asked, and what is answered.

use crate::event::Notice;
use crate::handle::Handle;
use crate::permission::{PermissionAsk, SharedHandler};
use agentwire_protocol::Frame;
use agentwire_protocol::control::{self, AgentRequest, ControlRequest, Refusal};
use agentwire_protocol::host::Ask;
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use bytes::Bytes;
use std::any::Any;
use std::collections::HashMap;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// Callbacks that run, one task each.
#[derive(Debug)]
pub(super) struct Asks {
    handler: Option<SharedHandler>,
    session: Handle,
    tasks: JoinSet<PermissionResult>,
    running: HashMap<Id, Running>,
}

#[derive(Debug)]
struct Running {
    request_id: Box<str>,
    tool_name: String,
    cancelled: CancellationToken,
}

/// What is to be done about an ask, now.
pub(super) enum Reply {
    /// Send this line, and tell the user, if there is something to tell.
    Line(Box<str>, Bytes, Option<Notice>),
    /// Leave it unanswered, and tell the user.
    Leave(Box<str>, Notice),
    /// Nothing but tell the user.
    Tell(Notice),
    /// Nothing: a callback runs, or nobody waits for what it said.
    Later,
}

impl Asks {
    pub(super) fn new(handler: Option<SharedHandler>, session: Handle) -> Self {
        Self {
            handler,
            session,
            tasks: JoinSet::new(),
            running: HashMap::new(),
        }
    }

    /// Deals with something that the agent asks.
    pub(super) fn ask(&mut self, Ask { request_id, frame }: Ask) -> Reply {
        // The protocol wants a dialog of a kind that was not declared left to
        // other hosts of the session, whatever is in it.
        if frame.subtype() == Some("request_user_dialog") {
            let reason = "no dialogs were declared, so it is left unanswered".to_owned();
            let notice = not_supported(request_id.clone(), &frame, reason);
            return Reply::Leave(request_id, notice);
        }
        match frame.read::<ControlRequest>() {
            Ok(ControlRequest {
                request: AgentRequest::CanUseTool(request),
                ..
            }) => self.ask_permission(request_id, request),
            Ok(_) => refuse(
                request_id,
                &frame,
                "this host does not support it".to_owned(),
            ),
            Err(error) => refuse(request_id, &frame, error.to_string()),
        }
    }

    fn ask_permission(&mut self, request_id: Box<str>, request: CanUseTool) -> Reply {
        let Some(SharedHandler(handler)) = self.handler.clone() else {
            let denial =
                PermissionResult::deny(format!("Nobody was there to allow {}.", request.tool_name));
            let line = answer_line(&request_id, &denial);
            return Reply::Line(request_id, line, None);
        };
        let cancelled = CancellationToken::new();
        let running = Running {
            request_id: request_id.clone(),
            tool_name: request.tool_name.clone(),
            cancelled: cancelled.clone(),
        };
        let ask = PermissionAsk {
            request,
            request_id,
            cancelled,
            session: self.session.clone(),
        };
        // The callback itself runs in the task too: it may panic as well.
        let task = self.tasks.spawn(async move { handler.decide(ask).await });
        self.running.insert(task.id(), running);
        Reply::Later
    }

    /// The next callback that is done. Pending for ever when none runs.
    /// Cancel safe.
    pub(super) async fn next_done(&mut self) -> Reply {
        let Some(done) = self.tasks.join_next_with_id().await else {
            return std::future::pending().await;
        };
        let id = match &done {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let Some(Running {
            request_id,
            tool_name,
            cancelled,
        }) = self.running.remove(&id)
        else {
            return Reply::Later;
        };
        let (result, notice) = match done {
            Ok((_, result)) => (result, None),
            Err(error) => {
                let message = panic_message(error);
                let denial =
                    PermissionResult::deny(format!("The host could not decide about {tool_name}."));
                let request_id = request_id.clone();
                (
                    denial,
                    Some(Notice::CallbackPanicked {
                        request_id,
                        tool_name,
                        message,
                    }),
                )
            }
        };
        let line = answer_line(&request_id, &result);
        if cancelled.is_cancelled() {
            // Nobody waits for it, and the id may be another ask's by now.
            return notice.map_or(Reply::Later, Reply::Tell);
        }
        Reply::Line(request_id, line, notice)
    }

    /// The agent does not wait for an answer any more.
    pub(super) fn cancel(&mut self, request_id: &str) {
        for running in self.running.values() {
            if &*running.request_id == request_id {
                running.cancelled.cancel();
            }
        }
    }

    /// Nobody waits for any answer any more. Callbacks that run are told so,
    /// and may come to their end.
    pub(super) fn cancel_all(&mut self) {
        for running in self.running.values() {
            running.cancelled.cancel();
        }
        self.tasks.detach_all();
        self.running.clear();
    }
}

fn answer_line(request_id: &str, result: &PermissionResult) -> Bytes {
    control::success(request_id, Some(result)).unwrap_or_else(|error| {
        // Nothing that was read from JSON fails here; an error denies.
        control::failure(request_id, &Refusal::new(error.to_string()))
    })
}

fn refuse(request_id: Box<str>, frame: &Frame, reason: String) -> Reply {
    let line = control::failure(
        &request_id,
        &Refusal::new(&reason).code("unsupported_request"),
    );
    let notice = not_supported(request_id.clone(), frame, reason);
    Reply::Line(request_id, line, Some(notice))
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
    let Ok(panic) = error.try_into_panic() else {
        return "the task was cancelled".to_owned();
    };
    text_of(&*panic).unwrap_or("it left no message").to_owned()
}

fn text_of(panic: &(dyn Any + Send)) -> Option<&str> {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| Some(panic.downcast_ref::<String>()?))
}
