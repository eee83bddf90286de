//! Content blocks of messages, as defined by the Messages API.
//!
//! The API has separate types for requests and responses. Here each block has
//! one type; request blocks have a few additional members.

mod attachment;
mod browser;
mod cache;
mod citation;
mod code_execution;
mod conversation;
mod media;
mod named_tool;
mod server_tool;
mod text;
mod tool;
mod tool_change;
mod tool_definition;
mod toolset;
mod web;

pub use attachment::CannotAttach;
pub use browser::{
    BrowserStateBlock, BrowserStateChange, BrowserTab, DownloadCompleted, DownloadFailed,
    DownloadStarted, TabOpened,
};
pub use cache::{CacheControl, CacheKind, CacheTtl};
pub use citation::{
    CharLocation, Citation, CitationsConfig, ContentBlockLocation, PageLocation,
    SearchResultLocation, WebSearchResultLocation,
};
pub use code_execution::{
    BashCodeExecutionContent, BashCodeExecutionError, BashCodeExecutionErrorCode,
    BashCodeExecutionFile, BashCodeExecutionOutput, BashCodeExecutionResult, CodeExecutionContent,
    CodeExecutionError, CodeExecutionErrorCode, CodeExecutionFile, CodeExecutionOutput,
    CodeExecutionResult, EncryptedCodeExecutionResult, TextEditorContent, TextEditorCreateResult,
    TextEditorError, TextEditorErrorCode, TextEditorFileType, TextEditorStrReplaceResult,
    TextEditorViewResult,
};
pub use conversation::{
    CompactionBlock, ContainerUploadBlock, FallbackBlock, FallbackCause, FallbackModel,
    FallbackRefusal, RefusalCategory,
};
pub use media::{
    Base64Source, ContentSource, DocumentBlock, FileSource, ImageBlock, ImageTransformations,
    NotBase64, OversizedImage, SearchResultBlock, Source, TextSource, UrlSource,
};
pub use named_tool::{ListedMcpTool, NamedTool};
pub use server_tool::{
    AdvisorContent, AdvisorError, AdvisorErrorCode, AdvisorRedactedResult, AdvisorResult,
    AdvisorToolResultBlock, BashCodeExecutionToolResultBlock, CodeExecutionToolResultBlock,
    ServerToolName, ServerToolUseBlock, TextEditorCodeExecutionToolResultBlock, ToolSearchContent,
    ToolSearchError, ToolSearchErrorCode, ToolSearchResult, ToolSearchToolResultBlock,
    WebFetchToolResultBlock, WebSearchToolResultBlock,
};
pub use text::{Content, RedactedThinkingBlock, TextBlock, ThinkingBlock};
pub use tool::{
    Caller, CodeExecutionCaller20250825, CodeExecutionCaller20260120, DirectCaller,
    McpToolListingBlock, McpToolResultBlock, McpToolUseBlock, ToolReferenceBlock, ToolResultBlock,
    ToolUseBlock,
};
pub use tool_change::{
    AddedTool, ChangedMcpTool, ChangedMcpToolset, ChangedTool, ToolAdditionBlock, ToolRemovalBlock,
};
pub use tool_definition::{
    AdvisorTool, AdvisorToolVersion, AllowedCaller, BashTool, BashToolVersion, BrowserToolset,
    BrowserToolsetVersion, CodeExecutionTool, CodeExecutionToolVersion, ComputerTool,
    ComputerToolVersion, ComputerToolset, ComputerToolsetVersion, CustomTool, CustomToolKind,
    LocationKind, McpToolset, McpToolsetVersion, MemoryTool, MemoryToolVersion, ResponseInclusion,
    TextEditorTool, TextEditorToolVersion, ToolDefinition, ToolSearchBm25Tool,
    ToolSearchBm25Version, ToolSearchRegexTool, ToolSearchRegexVersion, UserLocation, WebFetchTool,
    WebFetchToolVersion, WebSearchTool, WebSearchToolVersion,
};
pub use toolset::{
    BrowserToolConfigs, ComputerToolConfigs, FetchableFrom, FetchableFromAll, FetchableFromExcept,
    FetchableFromNone, FetchableFromOnly, FetchableUrls, ToolConfig,
};
pub use web::{
    WebFetchContent, WebFetchError, WebFetchErrorCode, WebFetchResult, WebSearchContent,
    WebSearchError, WebSearchErrorCode, WebSearchFinding, WebSearchResult,
};

use crate::json::Json;
use crate::open::union;

union! {
    /// A block of a message's content.
    pub enum ContentBlock by "type" {
        /// Text.
        "text" => Text(TextBlock),
        /// The model's thinking.
        "thinking" => Thinking(ThinkingBlock),
        /// Thinking that the API returns encrypted.
        "redacted_thinking" => RedactedThinking(RedactedThinkingBlock),
        /// A tool call of the model.
        "tool_use" => ToolUse(ToolUseBlock),
        /// A tool result.
        "tool_result" => ToolResult(ToolResultBlock),
        /// An image.
        "image" => Image(ImageBlock),
        /// A document.
        "document" => Document(DocumentBlock),
        /// A search result that the host provides.
        "search_result" => SearchResult(SearchResultBlock),
        /// A call of a tool that the API runs.
        "server_tool_use" => ServerToolUse(ServerToolUseBlock),
        /// The results of the API's web search.
        "web_search_tool_result" => WebSearchToolResult(WebSearchToolResultBlock),
        /// The result of the API's web fetch.
        "web_fetch_tool_result" => WebFetchToolResult(WebFetchToolResultBlock),
        /// The output of code that the API ran.
        "code_execution_tool_result" => CodeExecutionToolResult(CodeExecutionToolResultBlock),
        /// The output of a shell command that the API ran.
        "bash_code_execution_tool_result" => BashCodeExecutionToolResult(BashCodeExecutionToolResultBlock),
        /// The result of the API's text editor.
        "text_editor_code_execution_tool_result" => TextEditorCodeExecutionToolResult(TextEditorCodeExecutionToolResultBlock),
        /// The results of the API's tool search.
        "tool_search_tool_result" => ToolSearchToolResult(ToolSearchToolResultBlock),
        /// The response of the API's advisor.
        "advisor_tool_result" => AdvisorToolResult(AdvisorToolResultBlock),
        /// A call of a tool of an MCP server that the API connects to.
        "mcp_tool_use" => McpToolUse(McpToolUseBlock),
        /// The result of a call of such an MCP tool.
        "mcp_tool_result" => McpToolResult(McpToolResultBlock),
        /// A file in the API's container.
        "container_upload" => ContainerUpload(ContainerUploadBlock),
        /// The summary of a compacted conversation.
        "compaction" => Compaction(CompactionBlock),
        /// A switch to another model, which responds from here on.
        "fallback" => Fallback(FallbackBlock),
        /// The addition of a tool that the model can call.
        "tool_addition" => ToolAddition(ToolAdditionBlock),
        /// The removal of a tool that the model could call.
        "tool_removal" => ToolRemoval(ToolRemovalBlock),
        /// The tools of an MCP server that the API connects to.
        "mcp_tool_listing" => McpToolListing(McpToolListingBlock),
        /// The state of a browser.
        "browser_state" => BrowserState(BrowserStateBlock),
        /// A reference to a tool by its name.
        "tool_reference" => ToolReference(ToolReferenceBlock),
    }
}

impl ContentBlock {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock {
            text: text.into(),
            citations: None,
            cache_control: None,
            extra: Default::default(),
        })
    }

    /// Creates a redacted thinking block from its encrypted data.
    pub fn redacted_thinking(data: impl Into<String>) -> Self {
        Self::RedactedThinking(RedactedThinkingBlock {
            data: data.into(),
            extra: Default::default(),
        })
    }

    /// Creates a thinking block without a signature.
    pub fn thinking(thinking: impl Into<String>) -> Self {
        Self::Thinking(ThinkingBlock {
            thinking: thinking.into(),
            signature: None,
            extra: Default::default(),
        })
    }

    /// Creates a tool call.
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
            toolset_name: None,
            cache_control: None,
            extra: Default::default(),
        })
    }

    /// Creates the result of the tool call with this ID.
    pub fn tool_result(tool_use_id: impl Into<String>, content: impl Into<Content>) -> Self {
        Self::ToolResult(ToolResultBlock::new(tool_use_id, Some(content.into())))
    }

    /// Returns the text if the block is a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// Returns the tool call if the block is one.
    #[must_use]
    pub fn as_tool_use(&self) -> Option<&ToolUseBlock> {
        match self {
            Self::ToolUse(block) => Some(block),
            _ => None,
        }
    }

    /// Returns the tool result if the block is one.
    #[must_use]
    pub fn as_tool_result(&self) -> Option<&ToolResultBlock> {
        match self {
            Self::ToolResult(block) => Some(block),
            _ => None,
        }
    }
}
