//! Configurations of single tools: of those in a toolset, and of those whose
//! results the API may fetch URLs from.

use super::NamedTool;
use crate::open::{object, union};

object! {
    /// The configuration of a tool in a toolset.
    #[derive(Default)]
    pub struct ToolConfig {
        /// Whether the model has it.
        pub enabled: Option<bool>,
        /// Whether the model finds it through a tool search only.
        pub defer_loading: Option<bool>,
    }
}

/// The tools of a family, by their names.
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
    /// The configurations of the tools of a browser.
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
    /// The configurations of the tools for screen, keyboard and mouse.
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
    /// The allowed sources of URLs for the API's web fetch.
    #[derive(Default)]
    pub struct FetchableUrls {
        /// From answers of the host's tools.
        pub client_tool_results: Option<FetchableFrom>,
        /// From answers of the API's tools.
        pub server_tool_results: Option<FetchableFrom>,
        /// From what the user says: all or none.
        pub user_input: Option<FetchableFrom>,
    }
}

union! {
    /// A selection of sources of URLs.
    pub enum FetchableFrom by "type" {
        /// From all.
        "all" => All(FetchableFromAll),
        /// From none.
        "none" => None(FetchableFromNone),
        /// From these tools.
        "only" => Only(FetchableFromOnly),
        /// From all but these tools.
        "except" => Except(FetchableFromExcept),
    }
}

object! {
    /// From all.
    #[derive(Default)]
    pub struct FetchableFromAll tags("type" = "all") {}
}

object! {
    /// From none.
    #[derive(Default)]
    pub struct FetchableFromNone tags("type" = "none") {}
}

object! {
    /// From these tools.
    pub struct FetchableFromOnly tags("type" = "only") {
        /// The tools.
        pub tools: Vec<NamedTool>,
    }
}

object! {
    /// From all but these tools.
    pub struct FetchableFromExcept tags("type" = "except") {
        /// The tools.
        pub tools: Vec<NamedTool>,
    }
}
