//! Tool definitions in a request: the host's tools, and all versions of the
//! tools that the API provides.

use super::{
    BrowserToolConfigs, CacheControl, CitationsConfig, ComputerToolConfigs, FetchableUrls,
    ListedMcpTool, ToolConfig,
};
use crate::json::{Json, Members};
use crate::open::{choice, object, open_enum, string_of};
use std::collections::BTreeMap;

/// Declares the tools that the API provides, with the tags of their versions.
/// The versions of a tool differ in a few members, so they share a type.
macro_rules! definitions {
    ($(
        $(#$meta:tt)*
        $variant:ident($type:ty), $versions:ident { $($version:ident = $tag:literal,)+ }
    )*) => {
        $(
            open_enum! {
                /// The versions of this tool.
                ///
                $(#$meta)*
                pub enum $versions {
                    $( #[doc = concat!("`", $tag, "`.")] $version = $tag, )+
                }
            }
        )*

        /// A tool definition in a request.
        ///
        /// Tools of the host may omit `type`.
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "there are few of them, behind a box")]
        pub enum ToolDefinition {
            /// A tool of the host.
            Custom(CustomTool),
            $( $(#$meta)* $variant($type), )*
            /// An unknown tool, with all its members.
            Unknown(Members),
        }

        choice! {
            ToolDefinition by |reader| {
                let tag = reader.look_for("type")?.filter(|tag| *tag != "null");
                let Some(tag) = tag.map(|tag| string_of(Some(tag)).unwrap_or_default()) else {
                    return Ok(1);
                };
                let versions: &[&[&str]] = &[&["custom"], $( &[$($tag),+] ),*];
                let number = versions.iter().position(|tags| tags.contains(&&*tag));
                Ok(number.map_or(0, |number| number + 1))
            };
            untyped None;
            Unknown(Members), Custom(CustomTool), $( $variant($type), )*
        }

        #[cfg(feature = "schema")]
        crate::schema::one_of!(ToolDefinition = "A tool as a request defines it.": CustomTool, $($type,)* Members);
    };
}

definitions! {
    /// A shell.
    Bash(BashTool), BashToolVersion {
        V20241022 = "bash_20241022",
        V20250124 = "bash_20250124",
    }
    /// A text editor.
    TextEditor(TextEditorTool), TextEditorToolVersion {
        V20241022 = "text_editor_20241022",
        V20250124 = "text_editor_20250124",
        V20250429 = "text_editor_20250429",
        V20250728 = "text_editor_20250728",
    }
    /// Computer use: a screen, a keyboard and a mouse.
    Computer(ComputerTool), ComputerToolVersion {
        V20241022 = "computer_20241022",
        V20250124 = "computer_20250124",
        V20251124 = "computer_20251124",
    }
    /// Computer use as a toolset.
    ComputerToolset(ComputerToolset), ComputerToolsetVersion {
        V20260801 = "computer_toolset_20260801",
    }
    /// A browser, as a toolset.
    BrowserToolset(BrowserToolset), BrowserToolsetVersion {
        V20260801 = "browser_toolset_20260801",
    }
    /// Files in which the model stores its memories.
    Memory(MemoryTool), MemoryToolVersion {
        V20250818 = "memory_20250818",
    }
    /// Code execution.
    CodeExecution(CodeExecutionTool), CodeExecutionToolVersion {
        V20250522 = "code_execution_20250522",
        V20250825 = "code_execution_20250825",
        V20260120 = "code_execution_20260120",
        V20260521 = "code_execution_20260521",
    }
    /// Web search.
    WebSearch(WebSearchTool), WebSearchToolVersion {
        V20250305 = "web_search_20250305",
        V20260209 = "web_search_20260209",
        V20260318 = "web_search_20260318",
    }
    /// Web fetch.
    WebFetch(WebFetchTool), WebFetchToolVersion {
        V20250910 = "web_fetch_20250910",
        V20260209 = "web_fetch_20260209",
        V20260309 = "web_fetch_20260309",
        V20260318 = "web_fetch_20260318",
    }
    /// Advice from another model.
    Advisor(AdvisorTool), AdvisorToolVersion {
        V20260301 = "advisor_20260301",
    }
    /// Tool search by keywords.
    ToolSearchBm25(ToolSearchBm25Tool), ToolSearchBm25Version {
        Newest = "tool_search_tool_bm25",
        V20251119 = "tool_search_tool_bm25_20251119",
    }
    /// Tool search by regular expression.
    ToolSearchRegex(ToolSearchRegexTool), ToolSearchRegexVersion {
        Newest = "tool_search_tool_regex",
        V20251119 = "tool_search_tool_regex_20251119",
    }
    /// Tools of an MCP server that the API connects to.
    McpToolset(McpToolset), McpToolsetVersion {
        Only = "mcp_toolset",
    }
}

/// Declares the members of every tool, followed by those of a single tool.
macro_rules! tools {
    ($(
        $(#$meta:tt)*
        $name:ident($versions:ident) { $( $(#$field_meta:tt)* $field:ident: $type:ty, )* }
    )*) => {$(
        object! {
            $(#$meta)*
            pub struct $name {
                /// The version.
                pub kind: $versions = "type",
                /// The name by which the model calls the tool. Each tool has a
                /// fixed name.
                pub name: Option<String>,
                $( $(#$field_meta)* pub $field: $type, )*
                /// The allowed callers.
                pub allowed_callers: Option<Vec<AllowedCaller>>,
                /// Whether the model finds the tool only through tool search.
                pub defer_loading: Option<bool>,
                /// Whether the API enforces the input schema.
                pub strict: Option<bool>,
                /// A cache breakpoint for the prompt.
                pub cache_control: Option<CacheControl>,
            }
        }
    )*};
}

tools! {
    /// A shell, run by the host.
    BashTool(BashToolVersion) {
        /// Example inputs.
        input_examples: Option<Vec<Json>>,
    }
    /// A text editor, run by the host.
    TextEditorTool(TextEditorToolVersion) {
        /// The maximum number of characters of a file shown to the model.
        max_characters: Option<u64>,
        /// Example inputs.
        input_examples: Option<Vec<Json>>,
    }
    /// Computer use: a screen, a keyboard and a mouse, provided by the host.
    ComputerTool(ComputerToolVersion) {
        /// The screen's height in pixels.
        display_height_px: u64,
        /// The screen's width in pixels.
        display_width_px: u64,
        /// The X11 display number.
        display_number: Option<u64>,
        /// Whether the model can zoom in on a part of the screen.
        enable_zoom: Option<bool>,
        /// Example inputs.
        input_examples: Option<Vec<Json>>,
    }
    /// Files in which the model stores its memories, provided by the host.
    MemoryTool(MemoryToolVersion) {
        /// Example inputs.
        input_examples: Option<Vec<Json>>,
    }
    /// Code execution, run by the API.
    CodeExecutionTool(CodeExecutionToolVersion) {}
    /// Web search, run by the API.
    WebSearchTool(WebSearchToolVersion) {
        /// The domains to search. If set, no other domains are searched.
        allowed_domains: Option<Vec<String>>,
        /// The domains to exclude from the search.
        blocked_domains: Option<Vec<String>>,
        /// The maximum number of uses in a request.
        max_uses: Option<u64>,
        /// How the response includes results that code has consumed.
        response_inclusion: Option<ResponseInclusion>,
        /// The location of the user.
        user_location: Option<UserLocation>,
    }
    /// Web fetch, run by the API.
    WebFetchTool(WebFetchToolVersion) {
        /// The domains to fetch from. If set, no other domains are used.
        allowed_domains: Option<Vec<String>>,
        /// The domains not to fetch from.
        blocked_domains: Option<Vec<String>>,
        /// Whether the model may cite the pages.
        citations: Option<CitationsConfig>,
        /// The maximum number of tokens that a page may add to the context.
        max_content_tokens: Option<u64>,
        /// The maximum number of uses in a request.
        max_uses: Option<u64>,
        /// How the response includes results that code has consumed.
        response_inclusion: Option<ResponseInclusion>,
        /// The allowed sources of URLs. The default is any source.
        url_sources: Option<FetchableUrls>,
        /// Whether a page may come from a cache.
        use_cache: Option<bool>,
    }
    /// Advice from another model, which the API calls.
    AdvisorTool(AdvisorToolVersion) {
        /// The name of the other model.
        model: String,
        /// The caching of the other model's prompt. By default it is not
        /// cached.
        caching: Option<CacheControl>,
        /// The maximum number of tokens of a response.
        max_tokens: Option<u64>,
        /// The maximum number of uses in a request.
        max_uses: Option<u64>,
    }
    /// Tool search by keywords, run by the API.
    ToolSearchBm25Tool(ToolSearchBm25Version) {}
    /// Tool search by regular expression, run by the API.
    ToolSearchRegexTool(ToolSearchRegexVersion) {}
}

object! {
    /// Computer use: a screen, a keyboard and a mouse, provided by the host.
    pub struct ComputerToolset {
        /// The version.
        pub kind: ComputerToolsetVersion = "type",
        /// The tool configurations that differ from the default.
        pub configs: Option<ComputerToolConfigs>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A browser, provided by the host.
    pub struct BrowserToolset {
        /// The version.
        pub kind: BrowserToolsetVersion = "type",
        /// The tool configurations that differ from the default.
        pub configs: Option<BrowserToolConfigs>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// Tools of an MCP server that the API connects to.
    pub struct McpToolset {
        /// The version. Only one exists.
        pub kind: McpToolsetVersion = "type",
        /// The name of the server.
        pub mcp_server_name: String,
        /// The configurations of tools, by name.
        pub configs: Option<BTreeMap<String, ToolConfig>>,
        /// The default configuration, for tools not in `configs`.
        pub default_config: Option<ToolConfig>,
        /// The tools. If set, the server's list is not requested.
        pub tools: Option<Vec<ListedMcpTool>>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A tool of the host.
    pub struct CustomTool {
        /// The tag of a host's tool. Optional.
        pub kind: Option<CustomToolKind> = "type",
        /// The name by which the model calls the tool.
        pub name: String,
        /// The description.
        pub description: Option<String>,
        /// The JSON Schema of the tool's input.
        pub input_schema: Json,
        /// Example inputs.
        pub input_examples: Option<Vec<Json>>,
        /// Whether the input is streamed while the model writes it. Otherwise
        /// it is sent once it is complete JSON.
        pub eager_input_streaming: Option<bool>,
        /// The allowed callers.
        pub allowed_callers: Option<Vec<AllowedCaller>>,
        /// Whether the model finds the tool only through tool search.
        pub defer_loading: Option<bool>,
        /// Whether the API enforces the input schema.
        pub strict: Option<bool>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

impl CustomTool {
    /// Creates a tool of the host from its name and the JSON Schema of its
    /// input.
    pub fn new(name: impl Into<String>, input_schema: impl Into<Json>) -> Self {
        Self {
            kind: None,
            name: name.into(),
            description: None,
            input_schema: input_schema.into(),
            input_examples: None,
            eager_input_streaming: None,
            allowed_callers: None,
            defer_loading: None,
            strict: None,
            cache_control: None,
            extra: Default::default(),
        }
    }
}

open_enum! {
    /// The tag of a host's tool.
    pub enum CustomToolKind {
        /// A tool of the host.
        Custom = "custom",
    }
}

open_enum! {
    /// An allowed caller of a tool.
    pub enum AllowedCaller {
        /// The model itself.
        Direct = "direct",
        /// Code run by the API, in version `20250825` of the code execution
        /// tool.
        CodeExecution20250825 = "code_execution_20250825",
        /// Code run by the API, in version `20260120` of the code execution
        /// tool.
        CodeExecution20260120 = "code_execution_20260120",
        /// Code run by the API, in version `20260521` of the code execution
        /// tool.
        CodeExecution20260521 = "code_execution_20260521",
    }
}

open_enum! {
    /// How a response includes results that code consumed in the same turn.
    pub enum ResponseInclusion {
        /// All results.
        Full = "full",
        /// The response contains neither the results nor their calls.
        Excluded = "excluded",
    }
}

object! {
    /// The approximate location of a user.
    pub struct UserLocation {
        /// The precision of the location.
        pub kind: LocationKind = "type",
        /// The city.
        pub city: Option<String>,
        /// The region.
        pub region: Option<String>,
        /// The country, as a two-letter ISO 3166 code.
        pub country: Option<String>,
        /// The IANA name of the time zone.
        pub timezone: Option<String>,
    }
}

open_enum! {
    /// The precision of a location.
    pub enum LocationKind {
        /// The location is approximate.
        Approximate = "approximate",
    }
}
