//! The agent's response to the first request.

use super::Client;
use agentwire_protocol::agent_definition::AgentInfo;
use agentwire_protocol::control::{AccountInfo, SlashCommand};
use agentwire_protocol::model::ModelInfo;

/// # The agent's response to `initialize`
///
/// These methods send nothing. [`Client::initialized`] returns the whole
/// response.
impl Client {
    /// Returns the slash commands that a prompt can start with. Empty for
    /// agents that do not report them.
    #[doc(alias = "supportedCommands")]
    #[must_use]
    pub fn commands(&self) -> &[SlashCommand] {
        self.initialized().commands.as_deref().unwrap_or_default()
    }

    /// Returns the available models.
    #[doc(alias = "supportedModels")]
    #[must_use]
    pub fn models(&self) -> &[ModelInfo] {
        self.initialized().models.as_deref().unwrap_or_default()
    }

    /// Returns the sub-agents that the model can start.
    #[doc(alias = "supportedAgents")]
    #[must_use]
    pub fn agents(&self) -> &[AgentInfo] {
        self.initialized().agents.as_deref().unwrap_or_default()
    }

    /// Returns the account of the session, and how the agent is logged in; `None` if the agent did
    /// not report it.
    #[doc(alias = "accountInfo")]
    #[must_use]
    pub fn account(&self) -> Option<&AccountInfo> {
        self.initialized().account.as_ref()
    }
}
