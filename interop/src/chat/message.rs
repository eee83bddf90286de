//! Messages of Chat Completions.

use super::{Part, ThinkingBlock};
use crate::{Encrypted, TextOr};
use agentwire_protocol::content::CacheControl;
use agentwire_protocol::open::{object, union};
use agentwire_protocol::{Json, Members};

/// The content of a message, which is a text or a list of parts.
pub type Content = TextOr<Vec<Part>>;

union! {
    /// A message of Chat Completions.
    pub enum Message by "role" {
        /// A system prompt.
        "system" => System(SystemMessage),
        /// A system prompt, for newer models.
        "developer" => Developer(DeveloperMessage),
        /// A user message.
        "user" => User(UserMessage),
        /// A message of the model.
        "assistant" => Assistant(Box<AssistantMessage>),
        /// The result of a tool.
        "tool" => Tool(ToolMessage),
        /// The result of a function. Deprecated.
        "function" => Function(FunctionMessage),
    }
}

object! {
    /// A system prompt.
    #[derive(Default)]
    pub struct SystemMessage tags("role" = "system") {
        /// The content.
        pub content: Option<Content>,
        /// The name of the participant.
        pub name: Option<String>,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A system prompt.
    #[derive(Default)]
    pub struct DeveloperMessage tags("role" = "developer") {
        /// The content.
        pub content: Option<Content>,
        /// The name of the participant.
        pub name: Option<String>,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A user message.
    #[derive(Default)]
    pub struct UserMessage tags("role" = "user") {
        /// The content.
        pub content: Option<Content>,
        /// The user's name.
        pub name: Option<String>,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A message of the model.
    #[derive(Default)]
    pub struct AssistantMessage tags("role" = "assistant") {
        /// The content, often absent if there are tool calls.
        pub content: Option<Content>,
        /// The tool calls.
        pub tool_calls: Option<Vec<ToolCall>>,
        /// The reasoning.
        pub reasoning_content: Option<String>,
        /// The reasoning as blocks of the Messages API.
        pub thinking_blocks: Option<Vec<ThinkingBlock>>,
        /// The reasoning as an item of Responses.
        pub reasoning_items: Option<Vec<ReasoningItem>>,
        /// The refusal.
        pub refusal: Option<String>,
        /// The function call. Deprecated.
        pub function_call: Option<FunctionCall>,
        /// The audio.
        pub audio: Option<Json>,
        /// The images.
        pub images: Option<Vec<Json>>,
        /// The citations.
        pub annotations: Option<Vec<Annotation>>,
        /// The name of the participant.
        pub name: Option<String>,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
        /// Members of the provider.
        pub provider_specific_fields: Option<Json>,
    }
}

object! {
    /// The result of a tool.
    #[derive(Default)]
    pub struct ToolMessage tags("role" = "tool") {
        /// The result.
        pub content: Option<Content>,
        /// The ID of the call.
        pub tool_call_id: Option<String>,
        /// The name of the tool.
        pub name: Option<String>,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The result of a function. Deprecated.
    #[derive(Default)]
    pub struct FunctionMessage tags("role" = "function") {
        /// The result.
        pub content: Option<Content>,
        /// The name of the function.
        pub name: Option<String>,
        /// The ID of the call.
        pub tool_call_id: Option<String>,
    }
}

object! {
    /// A tool call.
    #[derive(Default)]
    pub struct ToolCall {
        /// The ID of the call.
        pub id: Option<String>,
        /// The type, `function` or `custom`. Some libraries read a call without a type as
        /// `function`.
        pub kind: Option<String> = "type",
        /// The function.
        pub function: Option<FunctionCall>,
        /// The custom tool.
        pub custom: Option<CustomCall>,
        /// The index of the call in a stream.
        pub index: Option<u64>,
    }
}

object! {
    /// A function call.
    #[derive(Default)]
    pub struct FunctionCall {
        /// The name of the function.
        pub name: Option<String>,
        /// The arguments as JSON in a text, which may be malformed. Some libraries accept an
        /// object.
        pub arguments: Option<TextOr<Members>>,
        /// Members of the provider.
        pub provider_specific_fields: Option<Json>,
    }
}

object! {
    /// A call of a custom tool.
    pub struct CustomCall {
        /// The name of the tool.
        pub name: String,
        /// The input.
        pub input: String,
    }
}

object! {
    /// A reasoning item of Responses.
    #[derive(Default)]
    pub struct ReasoningItem {
        /// The type, `reasoning`.
        pub kind: Option<String> = "type",
        /// The ID.
        pub id: Option<String>,
        /// The encrypted reasoning.
        pub encrypted_content: Option<Encrypted>,
        /// The summary.
        pub summary: Option<Vec<SummaryText>>,
    }
}

object! {
    /// A part of a summary.
    pub struct SummaryText tags("type" = "summary_text") {
        /// The text.
        pub text: String,
    }
}

object! {
    /// A citation.
    #[derive(Default)]
    pub struct Annotation {
        /// The type, `url_citation`.
        pub kind: Option<String> = "type",
        /// The cited page.
        pub url_citation: Option<UrlCitation>,
    }
}

object! {
    /// A cited page.
    pub struct UrlCitation {
        /// The URL.
        pub url: String,
        /// The title.
        pub title: Option<String>,
        /// The index of the citation's start in the text.
        pub start_index: Option<u64>,
        /// The index of the citation's end in the text.
        pub end_index: Option<u64>,
    }
}

impl ToolCall {
    /// Creates a function call with JSON arguments.
    pub fn function(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: Some(id.into()),
            kind: Some("function".to_owned()),
            function: Some(FunctionCall {
                name: Some(name.into()),
                arguments: Some(TextOr::Text(arguments.into())),
                ..Default::default()
            }),
            ..Default::default()
        }
    }

    /// Returns the type. Default: `function`.
    #[must_use]
    pub fn kind(&self) -> &str {
        match &self.kind {
            Some(kind) => kind,
            None if self.custom.is_some() => "custom",
            None => "function",
        }
    }
}

impl FunctionCall {
    /// Returns the arguments as a text.
    #[must_use]
    pub fn arguments(&self) -> String {
        match &self.arguments {
            None => String::new(),
            Some(TextOr::Text(text)) => text.clone(),
            Some(TextOr::Other(object)) => serde_json::to_string(object).unwrap_or_default(),
        }
    }
}
