//! Sub-agent options.

use super::Options;
use agentwire_protocol::agent_definition::AgentDefinition;

/// Sub-agents.
impl Options {
    /// Sets the agent that runs the session, by name (`--agent`). The session
    /// uses its prompt, tools and model. The name is one of [`Options::agents`]
    /// or an agent defined in the settings.
    pub fn agent(self, name: impl Into<String>) -> Self {
        self.set("--agent", name.into())
    }

    /// Sets the sub-agents that the model can start, by name.
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

    /// Sets whether the text and thinking of sub-agents are sent too, not only
    /// their tool calls.
    pub fn forward_subagent_text(mut self, wanted: bool) -> Self {
        self.initialize.forward_subagent_text = Some(wanted);
        self
    }

    /// Sets whether the agent occasionally summarises the progress of its sub-agents.
    pub fn agent_progress_summaries(mut self, wanted: bool) -> Self {
        self.initialize.agent_progress_summaries = Some(wanted);
        self
    }

    /// Sets whether users can stop single tasks ([`Handle::stop_task`](crate::Handle::stop_task)).
    /// An interrupt then does not stop background tasks.
    #[doc(alias = "perTaskStopAffordance")]
    pub fn per_task_stop(mut self, offered: bool) -> Self {
        self.initialize.per_task_stop_affordance = Some(offered);
        self
    }
}
