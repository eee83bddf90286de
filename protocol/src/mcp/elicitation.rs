//! Elicitations: requests of MCP servers for input from the user.

use crate::json::Json;
use crate::open::{object, open_enum};
use crate::permission::unless_null;

object! {
    /// A request of an MCP server for input from the user. The response is an
    /// [`McpElicitationResult`].
    pub struct McpElicitation tags("subtype" = "elicitation") {
        /// The name of the server.
        pub mcp_server_name: String,
        /// The message for the user.
        pub message: String,
        /// The mode. The default is a form.
        pub mode: Option<ElicitationMode>,
        /// The URL of the page to open in mode `url`.
        pub url: Option<String>,
        /// The ID that the `elicitation_complete` message about the page will
        /// carry.
        pub elicitation_id: Option<String>,
        /// The fields of the form, as a JSON Schema.
        pub requested_schema: Option<Json>,
        /// The order of the form's fields.
        pub property_order: Option<Vec<String>>,
        /// A title for the question.
        pub title: Option<String>,
        /// The display name of the server or its tool.
        pub display_name: Option<String>,
        /// A line below the title.
        pub description: Option<String>,
    }
}

open_enum! {
    /// The mode in which an MCP server requests input.
    pub enum ElicitationMode {
        /// A form.
        Form = "form",
        /// A page in a browser.
        Url = "url",
    }
}

open_enum! {
    /// The outcome of an elicitation.
    pub enum ElicitationAction {
        /// The user accepted.
        Accept = "accept",
        /// The user declined.
        Decline = "decline",
        /// The user cancelled.
        Cancel = "cancel",
    }
}

object! {
    /// The response to an [`McpElicitation`].
    pub struct McpElicitationResult {
        /// The outcome.
        pub action: ElicitationAction,
        /// The user's input, by field.
        pub content: Option<Json>,
        /// Metadata of MCP.
        pub meta: Option<Json> = "_meta",
    }
}

impl McpElicitation {
    /// Requests a form with the fields of this JSON Schema.
    pub fn form(
        mcp_server_name: impl Into<String>,
        message: impl Into<String>,
        requested_schema: impl Into<Json>,
    ) -> Self {
        Self {
            mode: Some(ElicitationMode::Form),
            requested_schema: unless_null(requested_schema),
            ..Self::new(mcp_server_name.into(), message.into())
        }
    }

    /// Requests that the user open this page.
    pub fn url(
        mcp_server_name: impl Into<String>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Self {
        Self {
            mode: Some(ElicitationMode::Url),
            url: Some(url.into()),
            ..Self::new(mcp_server_name.into(), message.into())
        }
    }

    fn new(mcp_server_name: String, message: String) -> Self {
        Self {
            mcp_server_name,
            message,
            mode: None,
            url: None,
            elicitation_id: None,
            requested_schema: None,
            property_order: None,
            title: None,
            display_name: None,
            description: None,
            extra: Default::default(),
        }
    }
}

impl McpElicitationResult {
    fn new(action: ElicitationAction) -> Self {
        Self {
            action,
            content: None,
            meta: None,
            extra: Default::default(),
        }
    }

    /// Creates the result of a form that the user filled in. `content` is an
    /// object with a member for each field.
    #[must_use]
    pub fn accept(content: impl Into<Json>) -> Self {
        Self {
            content: unless_null(content),
            ..Self::new(ElicitationAction::Accept)
        }
    }

    /// Creates the result of a page that the user agreed to open.
    #[must_use]
    pub fn accept_url() -> Self {
        Self::new(ElicitationAction::Accept)
    }

    /// Creates the result of an elicitation that the user declined.
    #[must_use]
    pub fn decline() -> Self {
        Self::new(ElicitationAction::Decline)
    }

    /// Creates the result of an elicitation that the user cancelled.
    #[must_use]
    pub fn cancel() -> Self {
        Self::new(ElicitationAction::Cancel)
    }
}
