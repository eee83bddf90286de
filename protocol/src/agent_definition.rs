//! Sub-agents: how a host defines them, and which there are.

use crate::mcp::McpServerConfig;
use crate::model::Effort;
use crate::open::{
    Error, Field, Form, Reader, Written, deserialize, object, open_enum, serialize_written,
};
use crate::permission::PermissionMode;
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

object! {
    /// A sub-agent that the model can start.
    pub struct AgentDefinition {
        /// When the model is to start it.
        pub description: String,
        /// Its tools. All of those that its parent has, when absent.
        pub tools: Option<Vec<String>>,
        /// Tools that it does not get; `mcp__name` stands for a whole server.
        pub disallowed_tools: Option<Vec<String>> = "disallowedTools",
        /// Its system prompt.
        pub prompt: String,
        /// Its model: an alias, a full name, or `inherit`.
        pub model: Option<String>,
        /// Its MCP servers.
        pub mcp_servers: Option<Vec<AgentMcpServers>> = "mcpServers",
        /// A reminder in its system prompt. Experimental.
        pub critical_system_reminder: Option<String> = "criticalSystemReminder_EXPERIMENTAL",
        /// Skills that it has from the start.
        pub skills: Option<Vec<String>>,
        /// Its first prompt, when it is the session's main agent.
        pub initial_prompt: Option<String> = "initialPrompt",
        /// How many times the model may be asked.
        pub max_turns: Option<u64> = "maxTurns",
        /// Tokens at which its conversation is compacted, where that is less
        /// than the session's.
        pub auto_compact_window: Option<u64> = "autoCompactWindow",
        /// Whether its parent goes on without waiting for it.
        pub background: Option<bool>,
        /// Whether it goes without the `CLAUDE.md` files, managed ones
        /// excepted.
        pub omit_claude_md: Option<bool> = "omitClaudeMd",
        /// Which memory it has.
        pub memory: Option<AgentMemory>,
        /// How hard its model works.
        pub effort: Option<Effort>,
        /// How its permissions are decided.
        pub permission_mode: Option<PermissionMode> = "permissionMode",
        /// Sub-agents that watch it, up to four names with commas between.
        pub observer: Option<String>,
        /// What those are told besides.
        pub observer_message: Option<String> = "observerMessage",
    }
}

open_enum! {
    /// Where a sub-agent's memory is kept.
    pub enum AgentMemory {
        /// With the user.
        User = "user",
        /// In the project.
        Project = "project",
        /// In the project, but not shared.
        Local = "local",
    }
}

/// MCP servers of a sub-agent.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentMcpServers {
    /// One that the session has, by name.
    Named(String),
    /// Its own, by name.
    Own(BTreeMap<String, McpServerConfig>),
}

object! {
    /// A sub-agent that there is.
    pub struct AgentInfo {
        /// Its name.
        pub name: String,
        /// When the model is to start it.
        pub description: Option<String>,
        /// Its model: an alias, a full name, or `inherit`.
        pub model: Option<String>,
    }
}

impl AgentDefinition {
    /// A sub-agent for what `description` says, with this system prompt.
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

    /// Sets its tools: these and no others.
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the tools that it does not get; `mcp__name` stands for a whole
    /// server.
    #[must_use]
    pub fn disallowed_tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.disallowed_tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets its model: an alias, a full name, or `inherit`.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Gives it an MCP server that the session has.
    #[must_use]
    pub fn mcp_server(mut self, name: impl Into<String>) -> Self {
        let servers = self.mcp_servers.get_or_insert_default();
        servers.push(AgentMcpServers::Named(name.into()));
        self
    }

    /// Gives it an MCP server of its own.
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

    /// Sets the skills that it has from the start.
    #[must_use]
    pub fn skills<T: Into<String>>(mut self, skills: impl IntoIterator<Item = T>) -> Self {
        self.skills = Some(skills.into_iter().map(Into::into).collect());
        self
    }

    /// Sets how many times the model may be asked.
    #[must_use]
    pub fn max_turns(mut self, turns: u64) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// Has its parent go on without waiting for it.
    #[must_use]
    pub fn background(mut self) -> Self {
        self.background = Some(true);
        self
    }

    /// Gives it a memory.
    #[must_use]
    pub fn memory(mut self, memory: AgentMemory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Sets how hard its model works.
    #[must_use]
    pub fn effort(mut self, effort: impl Into<Effort>) -> Self {
        self.effort = Some(effort.into());
        self
    }

    /// Sets how its permissions are decided.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }
}

impl Written for AgentMcpServers {
    fn form(&self) -> Form<'_> {
        match self {
            Self::Named(name) => Form::Text(name),
            Self::Own(servers) => servers.form(),
        }
    }
}

serialize_written!(AgentMcpServers);

impl<'de> Deserialize<'de> for AgentMcpServers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

impl Field for AgentMcpServers {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = match reader.peek() {
            Some(b'"') => Self::Named(reader.value()?),
            Some(b'{') => Self::Own(reader.value()?),
            _ => return Err(reader.unexpected("a server's name or servers by name")),
        };
        Ok(())
    }

    fn empty() -> Self {
        Self::Own(BTreeMap::new())
    }
}

#[cfg(feature = "schema")]
crate::schema::one_of!(AgentMcpServers = "A server by its name, or servers with their names.": String, BTreeMap<String, McpServerConfig>);

#[cfg(feature = "audit")]
impl Untyped for AgentMcpServers {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        if let Self::Own(servers) = self {
            servers.collect_untyped(at, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_or_given() {
        let text = r#"["a",{"b":{"command":"x"},"c":{"type":"sdk","name":"c"}}]"#;
        let servers: Vec<AgentMcpServers> = serde_json::from_str(text).expect(text);
        assert_eq!(serde_json::to_string(&servers).expect(text), text);
        assert!(matches!(&servers[1], AgentMcpServers::Own(own) if own.len() == 2));
    }
}
