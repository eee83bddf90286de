//! Calls and results of tools that the API runs. The larger result types have
//! their own modules.

use super::{
    BashCodeExecutionContent, CacheControl, Caller, CodeExecutionContent, ContentBlock,
    TextEditorContent, WebFetchContent, WebSearchContent,
};
use crate::json::Json;
use crate::open::{Loose, object, open_enum, union};

object! {
    /// A call of a tool that the API runs.
    pub struct ServerToolUseBlock tags("type" = "server_tool_use") {
        /// The ID of the call. The result refers to it.
        pub id: String,
        /// The name of the tool.
        pub name: ServerToolName,
        /// The tool's input, an object.
        pub input: Json,
        /// The caller: the model, or code that the API runs.
        pub caller: Option<Loose<Caller>>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

open_enum! {
    /// A tool that the API runs.
    pub enum ServerToolName {
        /// Requests advice from another model.
        Advisor = "advisor",
        /// Searches the web.
        WebSearch = "web_search",
        /// Fetches a page.
        WebFetch = "web_fetch",
        /// Runs code.
        CodeExecution = "code_execution",
        /// Runs a shell command.
        BashCodeExecution = "bash_code_execution",
        /// Reads and changes files.
        TextEditorCodeExecution = "text_editor_code_execution",
        /// Finds tools by a regular expression.
        ToolSearchRegex = "tool_search_tool_regex",
        /// Finds tools by keywords.
        ToolSearchBm25 = "tool_search_tool_bm25",
    }
}

/// Declares the results of tools that the API runs. They differ only in the type of
/// their content.
macro_rules! server_tool_result {
    ($(#$meta:tt $name:ident = $tag:literal: $content:ty,)*) => {$(
        object! {
            #$meta
            pub struct $name tags("type" = $tag) {
                /// The ID of the tool call.
                pub tool_use_id: String,
                /// The result or the error.
                pub content: $content,
                /// The caller: the model, or code that the API runs.
                pub caller: Option<Loose<Caller>>,
                /// A cache breakpoint for the prompt.
                pub cache_control: Option<CacheControl>,
            }
        }
    )*};
}

server_tool_result! {
    /// The results of the API's web search.
    WebSearchToolResultBlock = "web_search_tool_result": WebSearchContent,
    /// The result of the API's web fetch.
    WebFetchToolResultBlock = "web_fetch_tool_result": Loose<WebFetchContent>,
    /// The output of code that the API ran.
    CodeExecutionToolResultBlock = "code_execution_tool_result": Loose<CodeExecutionContent>,
    /// The output of a shell command that the API ran.
    BashCodeExecutionToolResultBlock = "bash_code_execution_tool_result": Loose<BashCodeExecutionContent>,
    /// The result of the API's text editor.
    TextEditorCodeExecutionToolResultBlock = "text_editor_code_execution_tool_result": Loose<TextEditorContent>,
    /// The results of the API's tool search.
    ToolSearchToolResultBlock = "tool_search_tool_result": Loose<ToolSearchContent>,
    /// The response of the API's advisor.
    AdvisorToolResultBlock = "advisor_tool_result": Loose<AdvisorContent>,
}

union! {
    /// The results of the API's tool search, or an error.
    pub enum ToolSearchContent by "type" {
        /// The tools that were found.
        "tool_search_tool_search_result" => Result(ToolSearchResult),
        /// The search failed.
        "tool_search_tool_result_error" => Error(ToolSearchError),
    }
}

object! {
    /// The tools that were found.
    pub struct ToolSearchResult tags("type" = "tool_search_tool_search_result") {
        /// The tools, as [`ToolReferenceBlock`](super::ToolReferenceBlock)s.
        pub tool_references: Vec<ContentBlock>,
    }
}

object! {
    /// The error of a tool search.
    pub struct ToolSearchError tags("type" = "tool_search_tool_result_error") {
        /// The error code.
        pub error_code: ToolSearchErrorCode,
        /// The error message.
        pub error_message: Option<String>,
    }
}

open_enum! {
    /// How a tool search failed.
    pub enum ToolSearchErrorCode {
        /// The input is invalid.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// The search timed out.
        ExecutionTimeExceeded = "execution_time_exceeded",
    }
}

union! {
    /// The response of the API's advisor, or an error.
    pub enum AdvisorContent by "type" {
        /// The advice.
        "advisor_result" => Result(AdvisorResult),
        /// The advice, encrypted so that only the API can read it.
        "advisor_redacted_result" => Redacted(AdvisorRedactedResult),
        /// The advisor failed.
        "advisor_tool_result_error" => Error(AdvisorError),
    }
}

object! {
    /// Advice.
    pub struct AdvisorResult tags("type" = "advisor_result") {
        /// The advice.
        pub text: String,
        /// The stop reason of the advisor's reply.
        pub stop_reason: Option<String>,
    }
}

object! {
    /// Advice that is encrypted so that only the API can read it.
    pub struct AdvisorRedactedResult tags("type" = "advisor_redacted_result") {
        /// The encrypted advice.
        pub encrypted_content: String,
        /// The stop reason of the advisor's reply.
        pub stop_reason: Option<String>,
    }
}

object! {
    /// The error of the advisor.
    pub struct AdvisorError tags("type" = "advisor_tool_result_error") {
        /// The error code.
        pub error_code: AdvisorErrorCode,
    }
}

open_enum! {
    /// How an advisor failed.
    pub enum AdvisorErrorCode {
        /// The usage limit was reached.
        MaxUsesExceeded = "max_uses_exceeded",
        /// The conversation is too long for the advisor.
        PromptTooLong = "prompt_too_long",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// The advisor is overloaded.
        Overloaded = "overloaded",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// The advisor timed out.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// The model does not exist.
        ModelNotFound = "model_not_found",
    }
}
