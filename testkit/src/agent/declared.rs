//! The declared tools, commands and models of an agent.

use agentwire_protocol::agent_definition::AgentInfo;
use agentwire_protocol::control::InitializeAnswer;
use agentwire_protocol::message::{Init, ModelUsage, ResultMessage, Usage};
use agentwire_protocol::model::ThinkingDisplay;
use std::collections::{BTreeMap, BTreeSet};

/// The tool with which the model gives structured output.
pub(super) const STRUCTURED_OUTPUT: &str = "StructuredOutput";

/// The tools, commands and models that an agent declares to its host.
///
/// Each message is a template. The agent replaces the members whose values it
/// computes, such as `session_id` or `mcp_servers`, and sends the other members
/// unchanged.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// The template of `system/init`. Its `tools` are the built-in tools of the
    /// agent; the agent adds those of MCP servers.
    pub init: Init,
    /// The template of the response to `initialize`.
    pub initialize: InitializeAnswer,
    /// The template of results. It contains the fast mode, the safety stops,
    /// and times such as `ttft_ms`. Times are only sent if the model was
    /// called.
    pub result: ResultMessage,
    /// The template of the usage in results.
    pub usage: Usage,
    /// The template of the usage by model in results.
    pub model_usage: ModelUsage,
    /// The thinking display that streamed and complete messages report.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The names of the commands that the agent runs itself, without its model,
    /// such as `cost` for the prompt `/cost`. Each has its own turn, which
    /// starts with [`Event::CommandCalled`](super::Event::CommandCalled).
    /// `clear` and `compact` are always among them.
    pub commands: BTreeSet<String>,
    /// The names of the tools that change files. The permission mode
    /// `acceptEdits` allows them.
    pub edit_tools: BTreeSet<String>,
    /// Names that results use for denied tools in place of their own, by tool
    /// name.
    pub listed_names: BTreeMap<String, String>,
    /// The names of the tools that are disabled: they are not listed, and calls
    /// of them fail.
    pub disabled_tools: BTreeSet<String>,
}

impl Declared {
    /// Returns whether a tool changes files.
    pub(super) fn edits(&self, tool: &str) -> bool {
        self.edit_tools.contains(tool)
    }

    /// Adds sub-agents, except for those whose name is already declared.
    pub fn add_agents(&mut self, agents: impl IntoIterator<Item = AgentInfo>) {
        for agent in agents {
            let names = self.init.agents.get_or_insert_default();
            if names.contains(&agent.name) {
                continue;
            }
            names.push(agent.name.clone());
            names.sort_by_key(|name| name.to_lowercase());
            let listed = self.initialize.agents.get_or_insert_default();
            listed.push(agent);
            listed.sort_by_key(|it| it.name.to_lowercase());
        }
    }
}
