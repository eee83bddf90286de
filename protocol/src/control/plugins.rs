//! Requests that load plugins, skills and output styles again.

use super::SlashCommand;
use super::request::{HostRequest, host_requests};
use crate::agent_definition::AgentInfo;
use crate::mcp::McpServerStatus;
use crate::open::{object, open_enum};
use crate::plugin::{LoadedPlugin, PluginConfig};

impl HostRequest for ReloadPlugins {
    const SUBTYPE: &'static str = "reload_plugins";
    type Answer = ReloadPluginsAnswer;

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
    /// Loads the plugins again.
    #[derive(Default)]
    pub struct ReloadPlugins tags("subtype" = "reload_plugins") {
        /// Whether nothing is to be done if the model's tools would change,
        /// and with them its cached prompt.
        pub hold_on_cache_impact: Option<bool>,
        /// Plugins that are loaded besides.
        pub add_plugins: Option<Vec<PluginConfig>>,
        /// Whether it is to be refused, with `reload_plugins_busy`, while the
        /// session works. For agents with `reload_plugins_refuse_if_busy_v1`
        /// among their capabilities.
        pub refuse_if_busy: Option<bool>,
    }
}

impl ReloadPlugins {
    /// Loads this plugin besides.
    #[must_use]
    pub fn adding(mut self, plugin: impl Into<PluginConfig>) -> Self {
        self.add_plugins.get_or_insert_default().push(plugin.into());
        self
    }

    /// Does nothing if the model's tools would change, and says what would.
    #[must_use]
    pub fn hold_on_cache_impact(mut self) -> Self {
        self.hold_on_cache_impact = Some(true);
        self
    }

    /// Is refused while the session works.
    #[must_use]
    pub fn refuse_if_busy(mut self) -> Self {
        self.refuse_if_busy = Some(true);
        self
    }
}

object! {
    /// What the session has now.
    #[derive(Default)]
    pub struct ReloadPluginsAnswer {
        /// The commands that a prompt can begin with.
        pub commands: Option<Vec<SlashCommand>>,
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<AgentInfo>>,
        /// The plugins.
        pub plugins: Option<Vec<LoadedPlugin>>,
        /// MCP servers and how they are.
        pub mcp_servers: Option<Vec<McpServerStatus>> = "mcpServers",
        /// How many plugins could not be loaded.
        pub error_count: Option<u64>,
        /// Whether nothing was done because tools would change. Absent when
        /// that was not asked for, or not understood.
        pub held: Option<bool>,
        /// What would change, when nothing was done.
        pub cache_impact: Option<CacheImpact>,
    }
}

object! {
    /// What loading plugins would change of the model's tools.
    #[derive(Default)]
    pub struct CacheImpact {
        /// MCP servers that would come.
        pub mcp_servers_added: Option<Vec<String>>,
        /// MCP servers that would go.
        pub mcp_servers_removed: Option<Vec<String>>,
        /// What would become of the tool for language servers.
        pub lsp_tool_change: Option<LspToolChange>,
    }
}

open_enum! {
    /// What would become of the tool for language servers.
    pub enum LspToolChange {
        /// It would come.
        Adds = "adds",
        /// It could come.
        MayAdd = "may-add",
        /// It would go.
        Removes = "removes",
        /// It could go.
        MayRemove = "may-remove",
    }
}

object! {
    /// Loads the skills again.
    #[derive(Default)]
    pub struct ReloadSkills tags("subtype" = "reload_skills") {}
}

object! {
    /// The skills that there are now.
    pub struct ReloadSkillsAnswer {
        /// The skills, as commands.
        pub skills: Vec<SlashCommand>,
    }
}

object! {
    /// Loads the output styles again.
    #[derive(Default)]
    pub struct ReloadOutputStyles tags("subtype" = "reload_output_styles") {}
}

object! {
    /// The output styles that there are now.
    pub struct ReloadOutputStylesAnswer {
        /// Their names.
        pub available_output_styles: Vec<String>,
    }
}
