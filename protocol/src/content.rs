//! Content blocks: what messages are made of, as the Messages API has them.

use crate::json::Json;
use crate::open::{Field, object, open_enum, read_list, union};
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

union! {
    /// One piece of a message's content.
    pub enum ContentBlock by "type" {
        /// Text.
        "text" => Text(TextBlock),
        /// The model's thinking.
        "thinking" => Thinking(ThinkingBlock),
        /// Thinking that the API returns encrypted.
        "redacted_thinking" => RedactedThinking(RedactedThinkingBlock),
        /// The model calls a tool.
        "tool_use" => ToolUse(ToolUseBlock),
        /// What a tool answered.
        "tool_result" => ToolResult(ToolResultBlock),
        /// An image.
        "image" => Image(ImageBlock),
        /// A document.
        "document" => Document(DocumentBlock),
        /// A search result that the host gives.
        "search_result" => SearchResult(SearchResultBlock),
        /// The model calls a tool that the API runs.
        "server_tool_use" => ServerToolUse(ServerToolUseBlock),
        /// What the API's web search found.
        "web_search_tool_result" => WebSearchToolResult(WebSearchToolResultBlock),
        /// What the API's web fetch fetched.
        "web_fetch_tool_result" => WebFetchToolResult(WebFetchToolResultBlock),
        /// What code that the API ran printed.
        "code_execution_tool_result" => CodeExecutionToolResult(CodeExecutionToolResultBlock),
        /// What a shell command that the API ran printed.
        "bash_code_execution_tool_result" => BashCodeExecutionToolResult(BashCodeExecutionToolResultBlock),
        /// What the API's text editor answered.
        "text_editor_code_execution_tool_result" => TextEditorCodeExecutionToolResult(TextEditorCodeExecutionToolResultBlock),
        /// What the API's tool search found.
        "tool_search_tool_result" => ToolSearchToolResult(ToolSearchToolResultBlock),
        /// What the API's advisor said.
        "advisor_tool_result" => AdvisorToolResult(AdvisorToolResultBlock),
        /// The model calls a tool of an MCP server that the API talks to.
        "mcp_tool_use" => McpToolUse(McpToolUseBlock),
        /// What that tool answered.
        "mcp_tool_result" => McpToolResult(McpToolResultBlock),
        /// A file that was put into the API's container.
        "container_upload" => ContainerUpload(ContainerUploadBlock),
        /// The summary that stands for a compacted conversation.
        "compaction" => Compaction(CompactionBlock),
        /// A tool, by its name.
        "tool_reference" => ToolReference(ToolReferenceBlock),
    }
}

object! {
    /// Text.
    pub struct TextBlock tags("type" = "text") {
        /// The text.
        pub text: String,
        /// What the text cites.
        pub citations: Option<Vec<Citation>>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The model's thinking.
    pub struct ThinkingBlock tags("type" = "thinking") {
        /// The thinking.
        pub thinking: String,
        /// The API's signature, without which it does not take thinking back.
        pub signature: Option<String>,
    }
}

object! {
    /// Thinking that the API returns encrypted.
    pub struct RedactedThinkingBlock tags("type" = "redacted_thinking") {
        /// The encrypted thinking.
        pub data: String,
    }
}

object! {
    /// The model calls a tool.
    pub struct ToolUseBlock tags("type" = "tool_use") {
        /// The id that the result refers to.
        pub id: String,
        /// The tool.
        pub name: String,
        /// The tool's input, an object.
        pub input: Json,
        /// Who called: the model, or code that the API runs.
        pub caller: Option<Json>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What a tool answered.
    pub struct ToolResultBlock tags("type" = "tool_result") {
        /// The call that it answers.
        pub tool_use_id: String,
        /// The answer.
        pub content: Option<Content>,
        /// Whether the tool failed or was refused.
        pub is_error: Option<bool>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// An image.
    pub struct ImageBlock tags("type" = "image") {
        /// Where the image is.
        pub source: Source,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A document.
    pub struct DocumentBlock tags("type" = "document") {
        /// Where the document is.
        pub source: Source,
        /// Its title.
        pub title: Option<String>,
        /// What the model is told about it.
        pub context: Option<String>,
        /// Whether the model may cite it.
        pub citations: Option<CitationsConfig>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A search result that the host gives.
    pub struct SearchResultBlock tags("type" = "search_result") {
        /// What was found.
        pub content: Vec<ContentBlock>,
        /// Where it was found.
        pub source: String,
        /// Its title.
        pub title: String,
        /// Whether the model may cite it.
        pub citations: Option<CitationsConfig>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The model calls a tool that the API runs.
    pub struct ServerToolUseBlock tags("type" = "server_tool_use") {
        /// The id that the result refers to.
        pub id: String,
        /// The tool, such as `web_search`.
        pub name: String,
        /// The tool's input, an object.
        pub input: Json,
        /// Who called: the model, or code that the API runs.
        pub caller: Option<Json>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

/// The results of tools that the API runs differ in what they hold, not in
/// their frame.
macro_rules! server_tool_result {
    ($(#[$meta:meta] $name:ident = $tag:literal,)*) => {$(
        object! {
            #[$meta]
            pub struct $name tags("type" = $tag) {
                /// The call that it answers.
                pub tool_use_id: String,
                /// What the tool found, printed or failed with.
                pub content: Json,
                /// Who called: the model, or code that the API runs.
                pub caller: Option<Json>,
                /// Where the API may cache the prompt.
                pub cache_control: Option<CacheControl>,
            }
        }
    )*};
}

server_tool_result! {
    /// What the API's web search found.
    WebSearchToolResultBlock = "web_search_tool_result",
    /// What the API's web fetch fetched.
    WebFetchToolResultBlock = "web_fetch_tool_result",
    /// What code that the API ran printed.
    CodeExecutionToolResultBlock = "code_execution_tool_result",
    /// What a shell command that the API ran printed.
    BashCodeExecutionToolResultBlock = "bash_code_execution_tool_result",
    /// What the API's text editor answered.
    TextEditorCodeExecutionToolResultBlock = "text_editor_code_execution_tool_result",
    /// What the API's tool search found.
    ToolSearchToolResultBlock = "tool_search_tool_result",
    /// What the API's advisor said.
    AdvisorToolResultBlock = "advisor_tool_result",
}

object! {
    /// The model calls a tool of an MCP server that the API talks to.
    pub struct McpToolUseBlock tags("type" = "mcp_tool_use") {
        /// The id that the result refers to.
        pub id: String,
        /// The tool.
        pub name: String,
        /// The server that has it.
        pub server_name: String,
        /// The tool's input, an object.
        pub input: Json,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What a tool of such a server answered.
    pub struct McpToolResultBlock tags("type" = "mcp_tool_result") {
        /// The call that it answers.
        pub tool_use_id: String,
        /// The answer.
        pub content: Option<Content>,
        /// Whether the tool failed.
        pub is_error: Option<bool>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A file that was put into the API's container.
    pub struct ContainerUploadBlock tags("type" = "container_upload") {
        /// The file's id at the API.
        pub file_id: String,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The summary that stands for a compacted conversation.
    pub struct CompactionBlock tags("type" = "compaction") {
        /// The summary; `None` when compacting failed.
        pub content: Option<String>,
        /// The summary as only the API can read it.
        pub encrypted_content: Option<String>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A tool, by its name.
    pub struct ToolReferenceBlock tags("type" = "tool_reference") {
        /// The tool.
        pub tool_name: String,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

union! {
    /// Where an image or a document is.
    pub enum Source by "type" {
        /// In the block itself, as base64.
        "base64" => Base64(Base64Source),
        /// At a URL.
        "url" => Url(UrlSource),
        /// Among the files that were uploaded to the API.
        "file" => File(FileSource),
        /// In the block itself, as text.
        "text" => Text(TextSource),
        /// In the block itself, as content.
        "content" => Content(ContentSource),
    }
}

object! {
    /// Bytes in the block itself.
    pub struct Base64Source tags("type" = "base64") {
        /// What the bytes are, such as `image/png`.
        pub media_type: String,
        /// The bytes as base64.
        pub data: String,
    }
}

object! {
    /// Something at a URL.
    pub struct UrlSource tags("type" = "url") {
        /// The URL.
        pub url: String,
    }
}

object! {
    /// A file that was uploaded to the API.
    pub struct FileSource tags("type" = "file") {
        /// The file's id at the API.
        pub file_id: String,
    }
}

object! {
    /// Text in the block itself.
    pub struct TextSource tags("type" = "text") {
        /// What the text is: `text/plain`.
        pub media_type: String,
        /// The text.
        pub data: String,
    }
}

object! {
    /// Content in the block itself.
    pub struct ContentSource tags("type" = "content") {
        /// The content.
        pub content: Content,
    }
}

union! {
    /// What a text cites.
    pub enum Citation by "type" {
        /// Characters of a document.
        "char_location" => CharLocation(CharLocation),
        /// Pages of a document.
        "page_location" => PageLocation(PageLocation),
        /// Blocks of a document.
        "content_block_location" => ContentBlockLocation(ContentBlockLocation),
        /// A page that the API's web search found.
        "web_search_result_location" => WebSearchResultLocation(WebSearchResultLocation),
        /// A search result that the host gave.
        "search_result_location" => SearchResultLocation(SearchResultLocation),
    }
}

object! {
    /// Characters of a document.
    pub struct CharLocation tags("type" = "char_location") {
        /// What is cited.
        pub cited_text: String,
        /// The document, counted from 0.
        pub document_index: u64,
        /// The document's title.
        pub document_title: Option<String>,
        /// The document's id at the API.
        pub file_id: Option<String>,
        /// The first character.
        pub start_char_index: u64,
        /// The character behind the last one.
        pub end_char_index: u64,
    }
}

object! {
    /// Pages of a document.
    pub struct PageLocation tags("type" = "page_location") {
        /// What is cited.
        pub cited_text: String,
        /// The document, counted from 0.
        pub document_index: u64,
        /// The document's title.
        pub document_title: Option<String>,
        /// The document's id at the API.
        pub file_id: Option<String>,
        /// The first page, counted from 1.
        pub start_page_number: u64,
        /// The page behind the last one.
        pub end_page_number: u64,
    }
}

object! {
    /// Blocks of a document.
    pub struct ContentBlockLocation tags("type" = "content_block_location") {
        /// What is cited.
        pub cited_text: String,
        /// The document, counted from 0.
        pub document_index: u64,
        /// The document's title.
        pub document_title: Option<String>,
        /// The document's id at the API.
        pub file_id: Option<String>,
        /// The first block.
        pub start_block_index: u64,
        /// The block behind the last one.
        pub end_block_index: u64,
    }
}

object! {
    /// A page that the API's web search found.
    pub struct WebSearchResultLocation tags("type" = "web_search_result_location") {
        /// What is cited.
        pub cited_text: String,
        /// The page's title.
        pub title: Option<String>,
        /// The page.
        pub url: String,
        /// The API's own mark of the place.
        pub encrypted_index: String,
    }
}

object! {
    /// A search result that the host gave.
    pub struct SearchResultLocation tags("type" = "search_result_location") {
        /// What is cited.
        pub cited_text: String,
        /// The search result, counted from 0.
        pub search_result_index: u64,
        /// Where it was found.
        pub source: String,
        /// Its title.
        pub title: Option<String>,
        /// The first block.
        pub start_block_index: u64,
        /// The block behind the last one.
        pub end_block_index: u64,
    }
}

object! {
    /// Whether the model may cite a document.
    pub struct CitationsConfig {
        /// Whether it may.
        pub enabled: Option<bool>,
    }
}

object! {
    /// Where the API may cache the prompt.
    pub struct CacheControl {
        /// How: `ephemeral`.
        pub kind: CacheKind = "type",
        /// For how long: `5m` or `1h`.
        pub ttl: Option<String>,
    }
}

open_enum! {
    /// How the API caches a prompt.
    pub enum CacheKind {
        /// For minutes or an hour.
        Ephemeral = "ephemeral",
    }
}

/// The content of a message or of a tool's answer: a text, or blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Just a text.
    Text(String),
    /// Blocks, in order.
    Blocks(Vec<ContentBlock>),
}

impl Content {
    /// All text in it, texts of several blocks joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
                texts.join("\n")
            }
        }
    }

    /// The blocks; none when the content is just a text.
    #[must_use]
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Blocks(blocks)
    }
}

impl Field for Content {}

#[cfg(feature = "schema")]
crate::schema::one_of!(Content = "The content of a message or of a tool's answer: a text, or blocks.": String, Vec<ContentBlock>);

#[cfg(feature = "audit")]
impl Untyped for Content {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        if let Self::Blocks(blocks) = self {
            blocks.collect_untyped(at, found);
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of content blocks")
            }

            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<Content, E> {
                Ok(Content::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Content, A::Error> {
                read_list(seq).map(Content::Blocks)
            }

            fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Content, A::Error> {
                Err(de::Error::invalid_type(de::Unexpected::Map, &self))
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock {
            text: text.into(),
            citations: None,
            cache_control: None,
            extra: Default::default(),
        })
    }

    /// A thinking block, not signed yet.
    pub fn thinking(thinking: impl Into<String>) -> Self {
        Self::Thinking(ThinkingBlock {
            thinking: thinking.into(),
            signature: None,
            extra: Default::default(),
        })
    }

    /// A tool call.
    pub fn tool_use(
        id: impl Into<String>,
        name: impl Into<String>,
        input: impl Into<Json>,
    ) -> Self {
        Self::ToolUse(ToolUseBlock {
            id: id.into(),
            name: name.into(),
            input: input.into(),
            caller: None,
            cache_control: None,
            extra: Default::default(),
        })
    }

    /// The text, when it is a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// The tool call, when it is one.
    #[must_use]
    pub fn as_tool_use(&self) -> Option<&ToolUseBlock> {
        match self {
            Self::ToolUse(block) => Some(block),
            _ => None,
        }
    }

    /// The tool's answer, when it is one.
    #[must_use]
    pub fn as_tool_result(&self) -> Option<&ToolResultBlock> {
        match self {
            Self::ToolResult(block) => Some(block),
            _ => None,
        }
    }
}
