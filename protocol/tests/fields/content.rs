//! The types of `agentwire_protocol::content`.

use crate::fields::table::{either, enums, objects, unions};

objects! { content:
    AddedTool { definition }
    AdvisorError { error_code }
    AdvisorRedactedResult { encrypted_content, stop_reason }
    AdvisorResult { text, stop_reason }
    AdvisorTool {
        kind = "type", name, model, caching, max_tokens, max_uses, allowed_callers, defer_loading,
        strict, cache_control,
    }
    AdvisorToolResultBlock { tool_use_id, content, caller, cache_control }
    Base64Source { media_type, data }
    BashCodeExecutionError { error_code }
    BashCodeExecutionFile { file_id }
    BashCodeExecutionResult { stdout, stderr, return_code, content }
    BashCodeExecutionToolResultBlock { tool_use_id, content, caller, cache_control }
    BashTool {
        kind = "type", name, input_examples, allowed_callers, defer_loading, strict, cache_control,
    }
    BrowserStateBlock { tabs, state_changes, cache_control }
    BrowserTab { tab_id, title, url, active }
    BrowserToolConfigs {
        close_tab, double_click, file_upload, find, form_input, get_page_text, hold_key, hover,
        javascript_exec, key, left_click, left_click_drag, left_mouse_down, left_mouse_up,
        list_tabs, middle_click, mouse_move, navigate, new_tab, read_console, read_network,
        read_page, right_click, screenshot, scroll, scroll_to, switch_tab, triple_click,
        type_text = "type", wait, zoom,
    }
    BrowserToolset { kind = "type", configs, cache_control }
    CacheControl { kind = "type", ttl }
    ChangedMcpTool { name, server_name }
    ChangedMcpToolset { server_name }
    CharLocation {
        cited_text, document_index, document_title, file_id, start_char_index, end_char_index,
    }
    CitationsConfig { enabled }
    CodeExecutionCaller20250825 { tool_id }
    CodeExecutionCaller20260120 { tool_id }
    CodeExecutionError { error_code }
    CodeExecutionFile { file_id }
    CodeExecutionResult { stdout, stderr, return_code, content }
    CodeExecutionTool { kind = "type", name, allowed_callers, defer_loading, strict, cache_control }
    CodeExecutionToolResultBlock { tool_use_id, content, caller, cache_control }
    CompactionBlock { content, encrypted_content, signature, tool_changes, cache_control }
    ComputerTool {
        kind = "type", name, display_height_px, display_width_px, display_number, enable_zoom,
        input_examples, allowed_callers, defer_loading, strict, cache_control,
    }
    ComputerToolConfigs {
        cursor_position, double_click, hold_key, key, left_click, left_click_drag, left_mouse_down,
        left_mouse_up, middle_click, mouse_move, right_click, screenshot, scroll, triple_click,
        type_text = "type", wait, zoom,
    }
    ComputerToolset { kind = "type", configs, cache_control }
    ContainerUploadBlock { file_id, cache_control }
    ContentBlockLocation {
        cited_text, document_index, document_title, file_id, start_block_index, end_block_index,
    }
    ContentSource { content }
    CustomTool {
        kind = "type", name, description, input_schema, input_examples, eager_input_streaming,
        allowed_callers, defer_loading, strict, cache_control,
    }
    DirectCaller {}
    DocumentBlock { source, title, context, citations, cache_control }
    DownloadCompleted { download_id, url, path, size_bytes }
    DownloadFailed { download_id, url, error }
    DownloadStarted { download_id, url }
    EncryptedCodeExecutionResult { encrypted_stdout, stderr, return_code, content }
    FallbackBlock { from, to, trigger }
    FallbackModel { model }
    FallbackRefusal { category }
    FetchableFromAll {}
    FetchableFromExcept { tools }
    FetchableFromNone {}
    FetchableFromOnly { tools }
    FetchableUrls { client_tool_results, server_tool_results, user_input }
    FileSource { file_id }
    ImageBlock { source, transformations, cache_control }
    ImageTransformations { oversized_image }
    ListedMcpTool { name, description, input_schema }
    McpToolListingBlock { mcp_server_name, tools }
    McpToolResultBlock { tool_use_id, content, is_error, cache_control }
    McpToolUseBlock { id, name, server_name, input, cache_control }
    McpToolset { kind = "type", mcp_server_name, configs, default_config, tools, cache_control }
    MemoryTool {
        kind = "type", name, input_examples, allowed_callers, defer_loading, strict, cache_control,
    }
    NamedTool { name }
    PageLocation {
        cited_text, document_index, document_title, file_id, start_page_number, end_page_number,
    }
    RedactedThinkingBlock { data }
    SearchResultBlock { content, source, title, citations, cache_control }
    SearchResultLocation {
        cited_text, search_result_index, source, title, start_block_index, end_block_index,
    }
    ServerToolUseBlock { id, name, input, caller, cache_control }
    TabOpened { tab_id }
    TextBlock { text, citations, cache_control }
    TextEditorCodeExecutionToolResultBlock { tool_use_id, content, caller, cache_control }
    TextEditorCreateResult { is_file_update }
    TextEditorError { error_code, error_message }
    TextEditorStrReplaceResult { lines, old_start, old_lines, new_start, new_lines }
    TextEditorTool {
        kind = "type", name, max_characters, input_examples, allowed_callers, defer_loading, strict,
        cache_control,
    }
    TextEditorViewResult { content, file_type, num_lines, start_line, total_lines }
    TextSource { media_type, data }
    ThinkingBlock { thinking, signature }
    ToolAdditionBlock { tool, cache_control }
    ToolConfig { enabled, defer_loading }
    ToolReferenceBlock { tool_name, cache_control }
    ToolRemovalBlock { tool, cache_control }
    ToolResultBlock { tool_use_id, content, is_error, toolset_name, cache_control }
    ToolSearchBm25Tool {
        kind = "type", name, allowed_callers, defer_loading, strict, cache_control,
    }
    ToolSearchError { error_code, error_message }
    ToolSearchRegexTool {
        kind = "type", name, allowed_callers, defer_loading, strict, cache_control,
    }
    ToolSearchResult { tool_references }
    ToolSearchToolResultBlock { tool_use_id, content, caller, cache_control }
    ToolUseBlock { id, name, input, caller, toolset_name, cache_control }
    UrlSource { url }
    UserLocation { kind = "type", city, region, country, timezone }
    WebFetchError { error_code }
    WebFetchResult { url, content, retrieved_at }
    WebFetchTool {
        kind = "type", name, allowed_domains, blocked_domains, citations, max_content_tokens,
        max_uses, response_inclusion, url_sources, use_cache, allowed_callers, defer_loading,
        strict, cache_control,
    }
    WebFetchToolResultBlock { tool_use_id, content, caller, cache_control }
    WebSearchError { error_code }
    WebSearchResult { url, title, encrypted_content, page_age }
    WebSearchResultLocation { cited_text, title, url, encrypted_index }
    WebSearchTool {
        kind = "type", name, allowed_domains, blocked_domains, max_uses, response_inclusion,
        user_location, allowed_callers, defer_loading, strict, cache_control,
    }
    WebSearchToolResultBlock { tool_use_id, content, caller, cache_control }
}

unions! { content:
    AdvisorContent by "type" {
        Result = "advisor_result", Redacted = "advisor_redacted_result",
        Error = "advisor_tool_result_error",
    }
    BashCodeExecutionContent by "type" {
        Result = "bash_code_execution_result", Error = "bash_code_execution_tool_result_error",
    }
    BashCodeExecutionOutput by "type" { File = "bash_code_execution_output" }
    BrowserStateChange by "type" {
        TabOpened = "tab_opened", DownloadStarted = "download_started",
        DownloadCompleted = "download_completed", DownloadFailed = "download_failed",
    }
    Caller by "type" {
        Direct = "direct", CodeExecution20250825 = "code_execution_20250825",
        CodeExecution20260120 = "code_execution_20260120",
    }
    ChangedTool by "type" {
        Tool = "tool_reference", McpTool = "mcp_tool_reference",
        McpToolset = "mcp_toolset_reference", Definition = "tool_definition",
    }
    Citation by "type" {
        CharLocation = "char_location", PageLocation = "page_location",
        ContentBlockLocation = "content_block_location",
        WebSearchResultLocation = "web_search_result_location",
        SearchResultLocation = "search_result_location",
    }
    CodeExecutionContent by "type" {
        Result = "code_execution_result", Encrypted = "encrypted_code_execution_result",
        Error = "code_execution_tool_result_error",
    }
    CodeExecutionOutput by "type" { File = "code_execution_output" }
    ContentBlock by "type" {
        Text = "text", Thinking = "thinking", RedactedThinking = "redacted_thinking",
        ToolUse = "tool_use", ToolResult = "tool_result", Image = "image", Document = "document",
        SearchResult = "search_result", ServerToolUse = "server_tool_use",
        WebSearchToolResult = "web_search_tool_result",
        WebFetchToolResult = "web_fetch_tool_result",
        CodeExecutionToolResult = "code_execution_tool_result",
        BashCodeExecutionToolResult = "bash_code_execution_tool_result",
        TextEditorCodeExecutionToolResult = "text_editor_code_execution_tool_result",
        ToolSearchToolResult = "tool_search_tool_result", AdvisorToolResult = "advisor_tool_result",
        McpToolUse = "mcp_tool_use", McpToolResult = "mcp_tool_result",
        ContainerUpload = "container_upload", Compaction = "compaction", Fallback = "fallback",
        ToolAddition = "tool_addition", ToolRemoval = "tool_removal",
        McpToolListing = "mcp_tool_listing", BrowserState = "browser_state",
        ToolReference = "tool_reference",
    }
    FallbackCause by "type" { Refusal = "refusal" }
    FetchableFrom by "type" { All = "all", None = "none", Only = "only", Except = "except" }
    Source by "type" {
        Base64 = "base64", Url = "url", File = "file", Text = "text", Content = "content",
    }
    TextEditorContent by "type" {
        View = "text_editor_code_execution_view_result",
        Create = "text_editor_code_execution_create_result",
        StrReplace = "text_editor_code_execution_str_replace_result",
        Error = "text_editor_code_execution_tool_result_error",
    }
    ToolSearchContent by "type" {
        Result = "tool_search_tool_search_result", Error = "tool_search_tool_result_error",
    }
    WebFetchContent by "type" { Result = "web_fetch_result", Error = "web_fetch_tool_result_error" }
    WebSearchFinding by "type" { Page = "web_search_result" }
}

either! { content:
    Content { Text, Blocks }
    ToolDefinition {
        Custom, Bash, TextEditor, Computer, ComputerToolset, BrowserToolset, Memory, CodeExecution,
        WebSearch, WebFetch, Advisor, ToolSearchBm25, ToolSearchRegex, McpToolset, Unknown,
    }
    WebSearchContent { Results, Error, Unknown }
}

enums! { content:
    AdvisorErrorCode {
        MaxUsesExceeded = "max_uses_exceeded", PromptTooLong = "prompt_too_long",
        TooManyRequests = "too_many_requests", Overloaded = "overloaded",
        Unavailable = "unavailable", ExecutionTimeExceeded = "execution_time_exceeded",
        ModelNotFound = "model_not_found",
    }
    AdvisorToolVersion { V20260301 = "advisor_20260301" }
    AllowedCaller {
        Direct = "direct", CodeExecution20250825 = "code_execution_20250825",
        CodeExecution20260120 = "code_execution_20260120",
        CodeExecution20260521 = "code_execution_20260521",
    }
    BashCodeExecutionErrorCode {
        InvalidToolInput = "invalid_tool_input", Unavailable = "unavailable",
        TooManyRequests = "too_many_requests", ExecutionTimeExceeded = "execution_time_exceeded",
        OutputFileTooLarge = "output_file_too_large",
    }
    BashToolVersion { V20241022 = "bash_20241022", V20250124 = "bash_20250124" }
    BrowserToolsetVersion { V20260801 = "browser_toolset_20260801" }
    CacheKind { Ephemeral = "ephemeral" }
    CacheTtl { FiveMinutes = "5m", OneHour = "1h" }
    CodeExecutionErrorCode {
        InvalidToolInput = "invalid_tool_input", Unavailable = "unavailable",
        TooManyRequests = "too_many_requests", ExecutionTimeExceeded = "execution_time_exceeded",
    }
    CodeExecutionToolVersion {
        V20250522 = "code_execution_20250522", V20250825 = "code_execution_20250825",
        V20260120 = "code_execution_20260120", V20260521 = "code_execution_20260521",
    }
    ComputerToolVersion {
        V20241022 = "computer_20241022", V20250124 = "computer_20250124",
        V20251124 = "computer_20251124",
    }
    ComputerToolsetVersion { V20260801 = "computer_toolset_20260801" }
    CustomToolKind { Custom = "custom" }
    LocationKind { Approximate = "approximate" }
    McpToolsetVersion { Only = "mcp_toolset" }
    MemoryToolVersion { V20250818 = "memory_20250818" }
    OversizedImage { Downsize = "downsize", Error = "error" }
    RefusalCategory {
        Cyber = "cyber", Bio = "bio", FrontierLlm = "frontier_llm",
        ReasoningExtraction = "reasoning_extraction", GeneralHarms = "general_harms",
    }
    ResponseInclusion { Full = "full", Excluded = "excluded" }
    ServerToolName {
        Advisor = "advisor", WebSearch = "web_search", WebFetch = "web_fetch",
        CodeExecution = "code_execution", BashCodeExecution = "bash_code_execution",
        TextEditorCodeExecution = "text_editor_code_execution",
        ToolSearchRegex = "tool_search_tool_regex", ToolSearchBm25 = "tool_search_tool_bm25",
    }
    TextEditorErrorCode {
        InvalidToolInput = "invalid_tool_input", Unavailable = "unavailable",
        TooManyRequests = "too_many_requests", ExecutionTimeExceeded = "execution_time_exceeded",
        FileNotFound = "file_not_found",
    }
    TextEditorFileType { Text = "text", Image = "image", Pdf = "pdf" }
    TextEditorToolVersion {
        V20241022 = "text_editor_20241022", V20250124 = "text_editor_20250124",
        V20250429 = "text_editor_20250429", V20250728 = "text_editor_20250728",
    }
    ToolSearchBm25Version {
        Newest = "tool_search_tool_bm25", V20251119 = "tool_search_tool_bm25_20251119",
    }
    ToolSearchErrorCode {
        InvalidToolInput = "invalid_tool_input", Unavailable = "unavailable",
        TooManyRequests = "too_many_requests", ExecutionTimeExceeded = "execution_time_exceeded",
    }
    ToolSearchRegexVersion {
        Newest = "tool_search_tool_regex", V20251119 = "tool_search_tool_regex_20251119",
    }
    WebFetchErrorCode {
        InvalidToolInput = "invalid_tool_input", UrlTooLong = "url_too_long",
        UrlNotAllowed = "url_not_allowed", UrlNotInPriorContext = "url_not_in_prior_context",
        UrlNotAccessible = "url_not_accessible",
        UnsupportedContentType = "unsupported_content_type", TooManyRequests = "too_many_requests",
        MaxUsesExceeded = "max_uses_exceeded", Unavailable = "unavailable",
        ContentTooLarge = "content_too_large",
    }
    WebFetchToolVersion {
        V20250910 = "web_fetch_20250910", V20260209 = "web_fetch_20260209",
        V20260309 = "web_fetch_20260309", V20260318 = "web_fetch_20260318",
    }
    WebSearchErrorCode {
        InvalidToolInput = "invalid_tool_input", Unavailable = "unavailable",
        MaxUsesExceeded = "max_uses_exceeded", TooManyRequests = "too_many_requests",
        QueryTooLong = "query_too_long", RequestTooLarge = "request_too_large",
    }
    WebSearchToolVersion {
        V20250305 = "web_search_20250305", V20260209 = "web_search_20260209",
        V20260318 = "web_search_20260318",
    }
}
