//! Elicitation: what an MCP server wants to know from people.

use crate::json::Json;
use crate::open::{object, open_enum};
use crate::permission::unless_null;

object! {
    /// An MCP server wants something from the user. Answered with an
    /// [`McpElicitationResult`].
    pub struct McpElicitation tags("subtype" = "elicitation") {
        /// The server.
        pub mcp_server_name: String,
        /// What it wants, for people to read.
        pub message: String,
        /// How it wants it. A form, when absent.
        pub mode: Option<ElicitationMode>,
        /// The page to open, with `url`.
        pub url: Option<String>,
        /// What the page's `elicitation_complete` message will carry.
        pub elicitation_id: Option<String>,
        /// The fields of the form, as a JSON Schema.
        pub requested_schema: Option<Json>,
        /// The order of those fields.
        pub property_order: Option<Vec<String>>,
        /// A title for the question.
        pub title: Option<String>,
        /// The server or its tool, as people are to read it.
        pub display_name: Option<String>,
        /// A line below the title.
        pub description: Option<String>,
    }
}

open_enum! {
    /// How an MCP server wants to be told something.
    pub enum ElicitationMode {
        /// By a form.
        Form = "form",
        /// By a page in a browser.
        Url = "url",
    }
}

open_enum! {
    /// What became of an elicitation.
    pub enum ElicitationAction {
        /// The user did it.
        Accept = "accept",
        /// The user refused.
        Decline = "decline",
        /// The user turned away.
        Cancel = "cancel",
    }
}

object! {
    /// The answer to an [`McpElicitation`].
    pub struct McpElicitationResult {
        /// What became of it.
        pub action: ElicitationAction,
        /// What was filled in, by field.
        pub content: Option<Json>,
        /// What MCP carries beside it.
        pub meta: Option<Json> = "_meta",
    }
}

impl McpElicitation {
    /// This server wants the fields of this JSON Schema filled in.
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

    /// This server wants this page to be opened.
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

    /// The user filled in the form: an object with a member for each field.
    #[must_use]
    pub fn accept(content: impl Into<Json>) -> Self {
        Self {
            content: unless_null(content),
            ..Self::new(ElicitationAction::Accept)
        }
    }

    /// The user agreed to open the page.
    #[must_use]
    pub fn accept_url() -> Self {
        Self::new(ElicitationAction::Accept)
    }

    /// The user refused.
    #[must_use]
    pub fn decline() -> Self {
        Self::new(ElicitationAction::Decline)
    }

    /// The user turned away.
    #[must_use]
    pub fn cancel() -> Self {
        Self::new(ElicitationAction::Cancel)
    }
}
