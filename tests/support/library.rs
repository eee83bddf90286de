//! An MCP server with resources and prompts, but without tools.

#![allow(
    deprecated,
    reason = "MCP gives logging and roots up, and agents speak today's MCP"
)]

use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    ListResourcesResult, LoggingLevel, LoggingMessageNotificationParam, PaginatedRequestParams,
    Prompt, PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server with a resource and a prompt. It sends log messages, and counts changes of
/// its client's roots.
#[derive(Clone, Default)]
pub(crate) struct Library {
    /// The number of changes of the roots.
    pub(crate) roots_changed: Arc<AtomicUsize>,
}

impl ServerHandler for Library {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_resources()
            .enable_prompts()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let logged = LoggingMessageNotificationParam::new(LoggingLevel::Info, "listed".into());
        context.peer.notify_logging_message(logged).await.unwrap();
        let page = Resource::new("book://page", "A page");
        Ok(ListResourcesResult::with_all_items(vec![page]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = ResourceContents::text("It was a dark night.", request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = Prompt::new("recite", Some("Recites."), None);
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        _: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let message = PromptMessage::new_text(Role::User, "Recite something of yours.");
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots_changed.fetch_add(1, Ordering::SeqCst);
    }
}
