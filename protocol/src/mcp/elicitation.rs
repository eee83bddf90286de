//! Elicitation: what an MCP server wants to know from people.

use crate::json::Json;
use crate::open::{object, open_enum};

object! {
    /// An MCP server wants something from the user. Answered with an
    /// [`McpElicitationResult`].
    #[derive(Default)]
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

impl McpElicitationResult {
    fn new(action: ElicitationAction) -> Self {
        Self {
            action,
            content: None,
            meta: None,
            extra: Default::default(),
        }
    }

    /// The user filled in the form.
    #[must_use]
    pub fn accept(content: impl Into<Json>) -> Self {
        Self {
            content: Some(content.into()),
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
