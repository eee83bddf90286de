//! Calls of tools that the API runs, and what they answered. The answers that
//! hold much have files of their own.

use super::{
    BashCodeExecutionContent, CacheControl, Caller, CodeExecutionContent, ContentBlock,
    TextEditorContent, WebFetchContent, WebSearchContent,
};
use crate::json::Json;
use crate::open::{Loose, object, open_enum, union};

object! {
    /// The model calls a tool that the API runs.
    pub struct ServerToolUseBlock tags("type" = "server_tool_use") {
        /// The id that the result refers to.
        pub id: String,
        /// The tool.
        pub name: ServerToolName,
        /// The tool's input, an object.
        pub input: Json,
        /// Who called: the model, or code that the API runs.
        pub caller: Option<Loose<Caller>>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

open_enum! {
    /// A tool that the API runs.
    pub enum ServerToolName {
        /// Another model that gives advice.
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
        /// Finds tools by words.
        ToolSearchBm25 = "tool_search_tool_bm25",
    }
}

/// The results of tools that the API runs differ in what they hold, not in
/// their frame.
macro_rules! server_tool_result {
    ($(#$meta:tt $name:ident = $tag:literal: $content:ty,)*) => {$(
        object! {
            #$meta
            pub struct $name tags("type" = $tag) {
                /// The call that it answers.
                pub tool_use_id: String,
                /// What the tool found, printed or failed with.
                pub content: $content,
                /// Who called: the model, or code that the API runs.
                pub caller: Option<Loose<Caller>>,
                /// Where the API may cache the prompt.
                pub cache_control: Option<CacheControl>,
            }
        }
    )*};
}

server_tool_result! {
    /// What the API's web search found.
    WebSearchToolResultBlock = "web_search_tool_result": WebSearchContent,
    /// What the API's web fetch fetched.
    WebFetchToolResultBlock = "web_fetch_tool_result": Loose<WebFetchContent>,
    /// What code that the API ran printed.
    CodeExecutionToolResultBlock = "code_execution_tool_result": Loose<CodeExecutionContent>,
    /// What a shell command that the API ran printed.
    BashCodeExecutionToolResultBlock = "bash_code_execution_tool_result": Loose<BashCodeExecutionContent>,
    /// What the API's text editor answered.
    TextEditorCodeExecutionToolResultBlock = "text_editor_code_execution_tool_result": Loose<TextEditorContent>,
    /// What the API's tool search found.
    ToolSearchToolResultBlock = "tool_search_tool_result": Loose<ToolSearchContent>,
    /// What the API's advisor said.
    AdvisorToolResultBlock = "advisor_tool_result": Loose<AdvisorContent>,
}

union! {
    /// What the API's tool search found, or why it found nothing.
    pub enum ToolSearchContent by "type" {
        /// The tools.
        "tool_search_tool_search_result" => Result(ToolSearchResult),
        /// It failed.
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
    /// The tool search failed.
    pub struct ToolSearchError tags("type" = "tool_search_tool_result_error") {
        /// How.
        pub error_code: ToolSearchErrorCode,
        /// The same in words.
        pub error_message: Option<String>,
    }
}

open_enum! {
    /// How a tool search failed.
    pub enum ToolSearchErrorCode {
        /// The model called it wrongly.
        InvalidToolInput = "invalid_tool_input",
        /// It cannot be had.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// It took too long.
        ExecutionTimeExceeded = "execution_time_exceeded",
    }
}

union! {
    /// What the API's advisor said, or why it said nothing.
    pub enum AdvisorContent by "type" {
        /// The advice.
        "advisor_result" => Result(AdvisorResult),
        /// The advice as only the API can read it.
        "advisor_redacted_result" => Redacted(AdvisorRedactedResult),
        /// It failed.
        "advisor_tool_result_error" => Error(AdvisorError),
    }
}

object! {
    /// Advice.
    pub struct AdvisorResult tags("type" = "advisor_result") {
        /// The advice.
        pub text: String,
        /// Why the advisor stopped, as for a message.
        pub stop_reason: Option<String>,
    }
}

object! {
    /// Advice as only the API can read it.
    pub struct AdvisorRedactedResult tags("type" = "advisor_redacted_result") {
        /// The encrypted advice.
        pub encrypted_content: String,
        /// Why the advisor stopped, as for a message.
        pub stop_reason: Option<String>,
    }
}

object! {
    /// The advisor failed.
    pub struct AdvisorError tags("type" = "advisor_tool_result_error") {
        /// How.
        pub error_code: AdvisorErrorCode,
    }
}

open_enum! {
    /// How an advisor failed.
    pub enum AdvisorErrorCode {
        /// It was asked as often as it may be.
        MaxUsesExceeded = "max_uses_exceeded",
        /// The conversation is too long for it.
        PromptTooLong = "prompt_too_long",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// It has too much to do.
        Overloaded = "overloaded",
        /// It cannot be had.
        Unavailable = "unavailable",
        /// It took too long.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// There is no such model.
        ModelNotFound = "model_not_found",
    }
}
