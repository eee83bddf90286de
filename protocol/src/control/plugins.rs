//! Requests that reload plugins, skills and output styles.

use super::SlashCommand;
use super::request::{HostRequest, host_requests};
use crate::agent_definition::AgentInfo;
use crate::mcp::McpServerStatus;
use crate::open::{object, open_enum};
use crate::plugin::{LoadedPlugin, PluginConfig};

impl HostRequest for ReloadPlugins {
    const SUBTYPE: &'static str = "reload_plugins";
    type Response = ReloadPluginsAnswer;

    fn relies_on(&self) -> Vec<&'static str> {
        let refuse = self.refuse_if_busy == Some(true);
        Vec::from_iter(refuse.then_some("reload_plugins_refuse_if_busy_v1"))
    }
}

host_requests! {
    ReloadSkills = "reload_skills" => ReloadSkillsAnswer,
    ReloadOutputStyles = "reload_output_styles" => ReloadOutputStylesAnswer,
}

object! {
    /// Reloads the plugins.
    #[derive(Default)]
    pub struct ReloadPlugins tags("subtype" = "reload_plugins") {
        /// Whether to do nothing if the reload would change the model's tools,
        /// which would invalidate the cached prompt.
        pub hold_on_cache_impact: Option<bool>,
        /// Additional plugins to load.
        pub add_plugins: Option<Vec<PluginConfig>>,
        /// Whether to fail with `reload_plugins_busy` while the session is
        /// running. Requires the capability `reload_plugins_refuse_if_busy_v1`.
        pub refuse_if_busy: Option<bool>,
    }
}

impl ReloadPlugins {
    /// Loads an additional plugin.
    #[must_use]
    pub fn adding(mut self, plugin: impl Into<PluginConfig>) -> Self {
        self.add_plugins.get_or_insert_default().push(plugin.into());
        self
    }

    /// Does nothing if the model's tools would change, and reports the changes.
    #[must_use]
    pub fn hold_on_cache_impact(mut self) -> Self {
        self.hold_on_cache_impact = Some(true);
        self
    }

    /// Fails while the session is running.
    #[must_use]
    pub fn refuse_if_busy(mut self) -> Self {
        self.refuse_if_busy = Some(true);
        self
    }
}

object! {
    /// The session's configuration after the reload.
    #[derive(Default)]
    pub struct ReloadPluginsAnswer {
        /// The available slash commands.
        pub commands: Option<Vec<SlashCommand>>,
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<AgentInfo>>,
        /// The plugins.
        pub plugins: Option<Vec<LoadedPlugin>>,
        /// The MCP servers and their states.
        pub mcp_servers: Option<Vec<McpServerStatus>> = "mcpServers",
        /// The number of plugins that could not be loaded.
        pub error_count: Option<u64>,
        /// Whether nothing was done because the model's tools would change.
        /// `None` if this was not requested or is not supported.
        pub held: Option<bool>,
        /// The changes that would have been made, if nothing was done.
        pub cache_impact: Option<CacheImpact>,
    }
}

object! {
    /// The changes to the model's tools that loading plugins would make.
    #[derive(Default)]
    pub struct CacheImpact {
        /// MCP servers that would be added.
        pub mcp_servers_added: Option<Vec<String>>,
        /// MCP servers that would be removed.
        pub mcp_servers_removed: Option<Vec<String>>,
        /// The change of the language server tool.
        pub lsp_tool_change: Option<LspToolChange>,
    }
}

open_enum! {
    /// A change of the language server tool.
    pub enum LspToolChange {
        /// The tool would be added.
        Adds = "adds",
        /// The tool might be added.
        MayAdd = "may-add",
        /// The tool would be removed.
        Removes = "removes",
        /// The tool might be removed.
        MayRemove = "may-remove",
    }
}

object! {
    /// Reloads the skills.
    #[derive(Default)]
    pub struct ReloadSkills tags("subtype" = "reload_skills") {}
}

object! {
    /// The available skills.
    pub struct ReloadSkillsAnswer {
        /// The skills, as commands.
        pub skills: Vec<SlashCommand>,
    }
}

object! {
    /// Reloads the output styles.
    #[derive(Default)]
    pub struct ReloadOutputStyles tags("subtype" = "reload_output_styles") {}
}

object! {
    /// The available output styles.
    pub struct ReloadOutputStylesAnswer {
        /// The names of the output styles.
        pub available_output_styles: Vec<String>,
    }
}
