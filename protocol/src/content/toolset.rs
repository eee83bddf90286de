//! Configurations of single tools: tools in a toolset, and tools from whose
//! results the API may fetch URLs.

use super::NamedTool;
use crate::open::{object, union};

object! {
    /// The configuration of a tool in a toolset.
    #[derive(Default)]
    pub struct ToolConfig {
        /// Whether the tool is available to the model.
        pub enabled: Option<bool>,
        /// Whether the model finds the tool only through tool search.
        pub defer_loading: Option<bool>,
    }
}

/// The tools of a toolset, by name.
macro_rules! tool_configs {
    ($(#$meta:tt)* $name:ident: $($tool:ident $(= $wire:literal)?,)*) => {
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name {
                $(
                    #[doc = concat!("The configuration of `", stringify!($tool), "`.")]
                    pub $tool: Option<ToolConfig> $(= $wire)?,
                )*
            }
        }
    };
}

tool_configs! {
    /// The configurations of the browser tools.
    BrowserToolConfigs:
    close_tab,
    double_click,
    file_upload,
    find,
    form_input,
    get_page_text,
    hold_key,
    hover,
    javascript_exec,
    key,
    left_click,
    left_click_drag,
    left_mouse_down,
    left_mouse_up,
    list_tabs,
    middle_click,
    mouse_move,
    navigate,
    new_tab,
    read_console,
    read_network,
    read_page,
    right_click,
    screenshot,
    scroll,
    scroll_to,
    switch_tab,
    triple_click,
    type_text = "type",
    wait,
    zoom,
}

tool_configs! {
    /// The configurations of the computer use tools (screen, keyboard and
    /// mouse).
    ComputerToolConfigs:
    cursor_position,
    double_click,
    hold_key,
    key,
    left_click,
    left_click_drag,
    left_mouse_down,
    left_mouse_up,
    middle_click,
    mouse_move,
    right_click,
    screenshot,
    scroll,
    triple_click,
    type_text = "type",
    wait,
    zoom,
}

object! {
    /// The sources of URLs that the API's web fetch may use.
    #[derive(Default)]
    pub struct FetchableUrls {
        /// URLs in results of the host's tools.
        pub client_tool_results: Option<FetchableFrom>,
        /// URLs in results of the API's tools.
        pub server_tool_results: Option<FetchableFrom>,
        /// URLs in user input. Only all or none can be selected.
        pub user_input: Option<FetchableFrom>,
    }
}

union! {
    /// A selection of sources.
    pub enum FetchableFrom by "type" {
        /// All sources.
        "all" => All(FetchableFromAll),
        /// No source.
        "none" => None(FetchableFromNone),
        /// Only the listed tools.
        "only" => Only(FetchableFromOnly),
        /// All tools except the listed ones.
        "except" => Except(FetchableFromExcept),
    }
}

object! {
    /// All sources.
    #[derive(Default)]
    pub struct FetchableFromAll tags("type" = "all") {}
}

object! {
    /// No source.
    #[derive(Default)]
    pub struct FetchableFromNone tags("type" = "none") {}
}

object! {
    /// Only the listed tools.
    pub struct FetchableFromOnly tags("type" = "only") {
        /// The tools.
        pub tools: Vec<NamedTool>,
    }
}

object! {
    /// All tools except the listed ones.
    pub struct FetchableFromExcept tags("type" = "except") {
        /// The tools.
        pub tools: Vec<NamedTool>,
    }
}
