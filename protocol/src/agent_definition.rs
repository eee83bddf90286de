//! Sub-agents: definitions by the host, and those that are available.

use crate::list::StringList;
use crate::mcp::McpServerConfig;
use crate::model::Effort;
use crate::open::{choice, object, open_enum};
use crate::permission::PermissionMode;
use std::collections::BTreeMap;

object! {
    /// The definition of a sub-agent that the model can start.
    pub struct AgentDefinition {
        /// When the model should start the sub-agent.
        pub description: String,
        /// The available tools. The default is all tools of the parent agent.
        pub tools: Option<Vec<String>>,
        /// Disallowed tools. `mcp__name` covers a whole server.
        pub disallowed_tools: Option<Vec<String>> = "disallowedTools",
        /// The system prompt.
        pub prompt: String,
        /// The model: an alias, a full name, or `inherit`.
        pub model: Option<String>,
        /// The MCP servers.
        pub mcp_servers: Option<Vec<AgentMcpServers>> = "mcpServers",
        /// A reminder in the system prompt. Experimental.
        pub critical_system_reminder: Option<String> = "criticalSystemReminder_EXPERIMENTAL",
        /// Skills that are preloaded.
        pub skills: Option<Vec<String>>,
        /// The first prompt, if the sub-agent is the main agent of the session.
        pub initial_prompt: Option<String> = "initialPrompt",
        /// The maximum number of model requests.
        pub max_turns: Option<u64> = "maxTurns",
        /// The number of tokens at which the sub-agent's conversation is
        /// compacted, if lower than the session's.
        pub auto_compact_window: Option<u64> = "autoCompactWindow",
        /// Whether the parent agent continues without waiting for the
        /// sub-agent.
        pub background: Option<bool>,
        /// Whether to omit `CLAUDE.md` files, except managed ones.
        pub omit_claude_md: Option<bool> = "omitClaudeMd",
        /// The storage location of the sub-agent's memory.
        pub memory: Option<AgentMemory>,
        /// The effort of the model.
        pub effort: Option<Effort>,
        /// The permission mode.
        pub permission_mode: Option<PermissionMode> = "permissionMode",
        /// Sub-agents that observe this one: up to four names, separated by
        /// commas.
        pub observer: Option<String>,
        /// Additional instructions for the observers.
        pub observer_message: Option<String> = "observerMessage",
    }
}

open_enum! {
    /// The storage location of a sub-agent's memory.
    pub enum AgentMemory {
        /// The user's directory.
        User = "user",
        /// The project.
        Project = "project",
        /// The project directory, without sharing.
        Local = "local",
    }
}

/// MCP servers of a sub-agent.
pub enum AgentMcpServers {
    /// A server of the session, by name.
    Named(String),
    /// Servers that only the sub-agent has, by name.
    Own(BTreeMap<String, McpServerConfig>),
}

object! {
    /// An available sub-agent.
    pub struct AgentInfo {
        /// The name.
        pub name: String,
        /// When the model should start the sub-agent.
        pub description: Option<String>,
        /// The model: an alias, a full name, or `inherit`.
        pub model: Option<String>,
    }
}

impl AgentDefinition {
    /// Returns the sub-agent's entry in a list, under this name.
    #[must_use]
    pub fn info(&self, name: impl Into<String>) -> AgentInfo {
        AgentInfo {
            name: name.into(),
            description: Some(self.description.clone()),
            model: self.model.clone(),
            extra: Default::default(),
        }
    }

    /// Creates a definition. `description` says when the model should start the
    /// sub-agent, `prompt` is its system prompt.
    ///
    /// ```
    /// use agentwire_protocol::agent_definition::AgentDefinition;
    /// use agentwire_protocol::mcp::McpHttpServer;
    ///
    /// let reviewer = AgentDefinition::new("Reviews a change.", "You review code.")
    ///     .tools(["Read", "Grep"])
    ///     .model("haiku")
    ///     .mcp_server("tickets")
    ///     .own_mcp_server("wiki", McpHttpServer::new("https://example.com/mcp"));
    /// # drop(reviewer);
    /// ```
    pub fn new(description: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            tools: None,
            disallowed_tools: None,
            prompt: prompt.into(),
            model: None,
            mcp_servers: None,
            critical_system_reminder: None,
            skills: None,
            initial_prompt: None,
            max_turns: None,
            auto_compact_window: None,
            background: None,
            omit_claude_md: None,
            memory: None,
            effort: None,
            permission_mode: None,
            observer: None,
            observer_message: None,
            extra: Default::default(),
        }
    }

    /// Sets the available tools.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<StringList>) -> Self {
        self.tools = Some(tools.into().into());
        self
    }

    /// Sets the disallowed tools. `mcp__name` covers a whole server.
    #[must_use]
    pub fn disallowed_tools(mut self, tools: impl Into<StringList>) -> Self {
        self.disallowed_tools = Some(tools.into().into());
        self
    }

    /// Sets the model: an alias, a full name, or `inherit`.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Adds an MCP server of the session.
    #[must_use]
    pub fn mcp_server(mut self, name: impl Into<String>) -> Self {
        let servers = self.mcp_servers.get_or_insert_default();
        servers.push(AgentMcpServers::Named(name.into()));
        self
    }

    /// Adds an MCP server that only the sub-agent has.
    #[must_use]
    pub fn own_mcp_server(
        mut self,
        name: impl Into<String>,
        config: impl Into<McpServerConfig>,
    ) -> Self {
        let servers = self.mcp_servers.get_or_insert_default();
        let own = BTreeMap::from([(name.into(), config.into())]);
        servers.push(AgentMcpServers::Own(own));
        self
    }

    /// Sets the preloaded skills.
    #[must_use]
    pub fn skills(mut self, skills: impl Into<StringList>) -> Self {
        self.skills = Some(skills.into().into());
        self
    }

    /// Sets the maximum number of model requests.
    #[must_use]
    pub fn max_turns(mut self, turns: u64) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// Lets the parent agent continue without waiting for the sub-agent.
    #[must_use]
    pub fn background(mut self) -> Self {
        self.background = Some(true);
        self
    }

    /// Sets the storage location of the sub-agent's memory.
    #[must_use]
    pub fn memory(mut self, memory: AgentMemory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Sets the effort of the model.
    #[must_use]
    pub fn effort(mut self, effort: impl Into<Effort>) -> Self {
        self.effort = Some(effort.into());
        self
    }

    /// Sets the permission mode.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }
}

choice! {
    AgentMcpServers by |reader| match reader.peek() {
        Some(b'"') => Ok(1),
        Some(b'{') => Ok(0),
        _ => Err(reader.unexpected("a server's name or servers by name")),
    };
    untyped None;
    Own(BTreeMap<String, McpServerConfig>), Named(String),
}

#[cfg(feature = "schema")]
crate::schema::one_of!(AgentMcpServers = "The name of a server of the session, or servers by name.": String, BTreeMap<String, McpServerConfig>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcp_servers_are_names_or_configurations() {
        let text = r#"["a",{"b":{"command":"x"},"c":{"type":"sdk","name":"c"}}]"#;
        let servers: Vec<AgentMcpServers> = serde_json::from_str(text).expect(text);
        assert_eq!(serde_json::to_string(&servers).expect(text), text);
        assert!(matches!(&servers[1], AgentMcpServers::Own(own) if own.len() == 2));
    }
}
