//! Messages of Chat Completions.

use super::{Part, ThinkingBlock};
use crate::{Encrypted, TextOr};
use agentwire_protocol::content::CacheControl;
use agentwire_protocol::open::{object, union};
use agentwire_protocol::{Json, Members};

/// The content of a message: a text, or parts.
pub type Content = TextOr<Vec<Part>>;

union! {
    /// A message of Chat Completions.
    pub enum Message by "role" {
        /// What the model is told beside the conversation.
        "system" => System(SystemMessage),
        /// The same, under its newer name.
        "developer" => Developer(DeveloperMessage),
        /// What a user said.
        "user" => User(UserMessage),
        /// What the model said.
        "assistant" => Assistant(Box<AssistantMessage>),
        /// What a tool answered.
        "tool" => Tool(ToolMessage),
        /// What a function answered, before there were tools.
        "function" => Function(FunctionMessage),
    }
}

object! {
    /// What the model is told beside the conversation.
    #[derive(Default)]
    pub struct SystemMessage tags("role" = "system") {
        /// The content.
        pub content: Option<Content>,
        /// The name of who says it.
        pub name: Option<String>,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What the model is told beside the conversation.
    #[derive(Default)]
    pub struct DeveloperMessage tags("role" = "developer") {
        /// The content.
        pub content: Option<Content>,
        /// The name of who says it.
        pub name: Option<String>,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What a user said.
    #[derive(Default)]
    pub struct UserMessage tags("role" = "user") {
        /// The content.
        pub content: Option<Content>,
        /// The user's name.
        pub name: Option<String>,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What the model said.
    #[derive(Default)]
    pub struct AssistantMessage tags("role" = "assistant") {
        /// The content. Often none, when tools are called.
        pub content: Option<Content>,
        /// The tools that it calls.
        pub tool_calls: Option<Vec<ToolCall>>,
        /// What it thought.
        pub reasoning_content: Option<String>,
        /// What it thought, as the Messages API has it.
        pub thinking_blocks: Option<Vec<ThinkingBlock>>,
        /// What it thought, as Responses has it.
        pub reasoning_items: Option<Vec<ReasoningItem>>,
        /// Why it refused.
        pub refusal: Option<String>,
        /// The function that it calls, before there were tools.
        pub function_call: Option<FunctionCall>,
        /// What it spoke.
        pub audio: Option<Json>,
        /// What it painted.
        pub images: Option<Vec<Json>>,
        /// What its text cites.
        pub annotations: Option<Vec<Annotation>>,
        /// The name of who says it.
        pub name: Option<String>,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
        /// What a provider adds.
        pub provider_specific_fields: Option<Json>,
    }
}

object! {
    /// What a tool answered.
    #[derive(Default)]
    pub struct ToolMessage tags("role" = "tool") {
        /// The answer.
        pub content: Option<Content>,
        /// The call that it answers.
        pub tool_call_id: Option<String>,
        /// The tool.
        pub name: Option<String>,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What a function answered, before there were tools.
    #[derive(Default)]
    pub struct FunctionMessage tags("role" = "function") {
        /// The answer.
        pub content: Option<Content>,
        /// The function.
        pub name: Option<String>,
        /// The call that it answers.
        pub tool_call_id: Option<String>,
    }
}

object! {
    /// A call of a tool.
    #[derive(Default)]
    pub struct ToolCall {
        /// The id that the answer refers to.
        pub id: Option<String>,
        /// `function` or `custom`. Some libraries take a call without it for
        /// one of a function.
        pub kind: Option<String> = "type",
        /// The function that is called.
        pub function: Option<FunctionCall>,
        /// The custom tool that is called.
        pub custom: Option<CustomCall>,
        /// Which call it is, in a stream.
        pub index: Option<u64>,
    }
}

object! {
    /// A call of a function.
    #[derive(Default)]
    pub struct FunctionCall {
        /// The function.
        pub name: Option<String>,
        /// Its arguments, as a model wrote them: JSON, if all went well. Some
        /// libraries take an object as well.
        pub arguments: Option<TextOr<Members>>,
        /// What a provider adds.
        pub provider_specific_fields: Option<Json>,
    }
}

object! {
    /// A call of a custom tool, which takes a text.
    pub struct CustomCall {
        /// The tool.
        pub name: String,
        /// The text that it is given.
        pub input: String,
    }
}

object! {
    /// What a model thought, as Responses has it.
    #[derive(Default)]
    pub struct ReasoningItem {
        /// `reasoning`.
        pub kind: Option<String> = "type",
        /// Its id.
        pub id: Option<String>,
        /// All of it, encrypted.
        pub encrypted_content: Option<Encrypted>,
        /// Its summary.
        pub summary: Option<Vec<SummaryText>>,
    }
}

object! {
    /// A part of a summary of reasoning.
    pub struct SummaryText tags("type" = "summary_text") {
        /// The text.
        pub text: String,
    }
}

object! {
    /// What a text cites.
    #[derive(Default)]
    pub struct Annotation {
        /// `url_citation`.
        pub kind: Option<String> = "type",
        /// A page that is cited.
        pub url_citation: Option<UrlCitation>,
    }
}

object! {
    /// A page that is cited.
    pub struct UrlCitation {
        /// Its URL.
        pub url: String,
        /// Its title.
        pub title: Option<String>,
        /// Where in the text the citation begins.
        pub start_index: Option<u64>,
        /// Where it ends.
        pub end_index: Option<u64>,
    }
}

impl ToolCall {
    /// A call of a function with these arguments, which should be JSON.
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

    /// What it is: `function`, when it does not say so.
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
    /// The arguments as a text; an object as JSON.
    #[must_use]
    pub fn arguments(&self) -> String {
        match &self.arguments {
            None => String::new(),
            Some(TextOr::Text(text)) => text.clone(),
            Some(TextOr::Other(object)) => serde_json::to_string(object).unwrap_or_default(),
        }
    }
}
