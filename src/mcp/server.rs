//! Servers of any type.

use super::guard::{Guarded, catch};
use super::wire::{Outlet, Wire};
use crate::handle::Handle;
use rmcp::service::{QuitReason, serve_server_with_ct};
use rmcp::{RoleServer, Service};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A server that is shared and implements `Debug`.
#[derive(Clone)]
pub(crate) struct SharedServer(Arc<dyn AnyServer>);

/// A type-erased server.
trait AnyServer: Send + Sync {
    /// Serves a connection until it ends, and returns the reason.
    fn serve(
        &self,
        wire: Wire,
        outlet: Outlet,
        session: Handle,
        stop: CancellationToken,
    ) -> Pin<Box<dyn Future<Output = String> + Send + '_>>;
}

impl<S: Service<RoleServer> + Clone> AnyServer for S {
    fn serve(
        &self,
        wire: Wire,
        outlet: Outlet,
        session: Handle,
        stop: CancellationToken,
    ) -> Pin<Box<dyn Future<Output = String> + Send + '_>> {
        Box::pin(async move {
            let server = Guarded::new(self.clone(), outlet, session);
            match serve_server_with_ct(server, wire, stop).await {
                Ok(running) => match running.waiting().await {
                    Ok(QuitReason::JoinError(error)) | Err(error) => error.to_string(),
                    Ok(_) => "its connection was closed".to_owned(),
                },
                Err(error) => error.to_string(),
            }
        })
    }
}

impl SharedServer {
    pub(crate) fn new(server: impl Service<RoleServer> + Clone) -> Self {
        Self(Arc::new(server))
    }

    /// Serves a connection, and reports its end.
    pub(super) async fn serve(
        self,
        wire: Wire,
        outlet: Outlet,
        session: Handle,
        stop: CancellationToken,
    ) {
        let serving = async { self.0.serve(wire, outlet.clone(), session, stop).await };
        let reason = catch(serving)
            .await
            .unwrap_or_else(|panic| format!("it panicked: {panic}"));
        outlet.ended(reason);
    }
}

impl fmt::Debug for SharedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("McpServer")
    }
}
