//! Sub-agents, and what is told of them.

use super::Options;
use agentwire_protocol::agent_definition::AgentDefinition;

/// Sub-agents.
impl Options {
    /// The agent that the session is, by name (`--agent`): its prompt, tools
    /// and model are the session's. It is one of [`Options::agents`], or of the
    /// settings.
    pub fn agent(self, name: impl Into<String>) -> Self {
        self.set("--agent", name.into())
    }

    /// Sub-agents that the model can start, by name.
    ///
    /// ```
    /// use agentwire::Options;
    /// use agentwire::protocol::agent_definition::AgentDefinition;
    ///
    /// let reviewer = AgentDefinition::new("Reviews a change.", "You review code.")
    ///     .tools(["Read", "Grep"])
    ///     .model("haiku");
    /// let options = Options::new().agents([("reviewer", reviewer)]);
    /// # drop(options);
    /// ```
    pub fn agents<N: Into<String>>(
        mut self,
        agents: impl IntoIterator<Item = (N, AgentDefinition)>,
    ) -> Self {
        let agents = agents.into_iter().map(|(name, it)| (name.into(), it));
        self.initialize.agents = Some(agents.collect());
        self
    }

    /// Whether the text and the thinking of sub-agents is sent as well, and
    /// not only their tool calls.
    pub fn forward_subagent_text(mut self, wanted: bool) -> Self {
        self.initialize.forward_subagent_text = Some(wanted);
        self
    }

    /// Whether the agent sums up now and then what its sub-agents are doing.
    pub fn agent_progress_summaries(mut self, wanted: bool) -> Self {
        self.initialize.agent_progress_summaries = Some(wanted);
        self
    }

    /// Whether the program's user can stop single tasks
    /// ([`Handle::stop_task`](crate::Handle::stop_task)). An interrupt then
    /// leaves those in the background alone.
    pub fn per_task_stop(mut self, offered: bool) -> Self {
        self.initialize.per_task_stop_affordance = Some(offered);
        self
    }
}
