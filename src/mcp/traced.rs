//! The span of a tool call.

use crate::handle::Handle;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ServerResult};
use rmcp::service::RequestContext;
use std::future::{Future, poll_fn};
use std::pin::pin;
use tokio_util::sync::CancellationToken;

/// The outcome of a request, or the message of a panic.
type Handled = Result<Result<ServerResult, ErrorData>, String>;

/// The part of a request's context that its span needs.
pub(super) struct Call {
    tool_use_id: Option<String>,
    cancelled: CancellationToken,
}

impl Call {
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Self {
        let tool_use_id = context.meta.get("claudecode/toolUseId");
        Self {
            tool_use_id: tool_use_id.and_then(|it| it.as_str().map(str::to_owned)),
            cancelled: context.ct.clone(),
        }
    }
}

/// Handles a request. If it calls a tool, it is handled in a span, which closes when the call ends
/// or the agent no longer waits for it.
pub(super) async fn traced(
    session: &Handle,
    tool: Option<&str>,
    call: Call,
    handling: impl Future<Output = Handled>,
) -> Handled {
    let Some(tool) = tool else {
        return handling.await;
    };
    let tool_use_id = call.tool_use_id.as_deref();
    let span = session.link().spans.execute_tool(tool, tool_use_id);
    let mut handling = pin!(handling);
    let handled = tokio::select! {
        biased;
        handled = poll_fn(|context| span.inside(|| handling.as_mut().poll(context))) => handled,
        () = call.cancelled.cancelled() => {
            drop(span);
            return handling.await;
        }
    };
    match &handled {
        Ok(Ok(ServerResult::CallToolResult(result))) if result.is_error == Some(true) => {
            span.ended("failed", Some("tool_error"));
        }
        Ok(Ok(_)) => span.ended("completed", None),
        Ok(Err(_)) => span.ended("failed", Some("json_rpc_error")),
        Err(_) => span.ended("failed", Some("panic")),
    }
    handled
}
