//! A wrapper around servers that catches panics and adds the session to
//! requests.

use super::wire::Outlet;
use crate::handle::Handle;
use crate::process::panic_text;
use rmcp::model::{
    CallToolResult, ClientNotification, ClientRequest, ContentBlock, ErrorData, ProtocolVersion,
    ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, Service};
use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

pub(super) struct Guarded<S> {
    server: S,
    outlet: Outlet,
    session: Handle,
}

impl<S> Guarded<S> {
    pub(super) fn new(server: S, outlet: Outlet, session: Handle) -> Self {
        Self {
            server,
            outlet,
            session,
        }
    }
}

impl<S: Service<RoleServer>> Service<RoleServer> for Guarded<S> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        context.extensions.insert(self.session.clone());
        let method = request.method().to_owned();
        let tool = match &request {
            ClientRequest::CallToolRequest(call) => Some(call.params.name.to_string()),
            _ => None,
        };
        #[cfg(feature = "telemetry")]
        let call = super::traced::Call::new(&context);
        let handling = catch(async { self.server.handle_request(request, context).await });
        #[cfg(feature = "telemetry")]
        let handling = super::traced::traced(&self.session, tool.as_deref(), call, handling);
        match handling.await {
            Ok(result) => result,
            Err(panic) => {
                self.outlet.panicked(tool.clone().unwrap_or(method), panic);
                match tool {
                    // Reports to the model that the tool failed.
                    Some(tool) => Ok(failed(format!("The tool `{tool}` panicked."))),
                    None => Err(ErrorData::internal_error("the server panicked", None)),
                }
            }
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        mut context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        context.extensions.insert(self.session.clone());
        let handling = async { self.server.handle_notification(notification, context).await };
        catch(handling).await.unwrap_or_else(|panic| {
            self.outlet.panicked("a notification".to_owned(), panic);
            Ok(())
        })
    }

    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.server.supported_protocol_versions()
    }
}

fn failed(text: String) -> ServerResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    // Agents use protocol versions without this member.
    result.result_type = None;
    ServerResult::CallToolResult(result)
}

/// Returns the output of a future, or its panic message.
pub(super) async fn catch<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = pin!(future);
    poll_fn(
        |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(panic) => Poll::Ready(Err(panic_text(&*panic))),
        },
    )
    .await
}
