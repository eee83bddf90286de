//! What the agent said of itself at the start.

use super::Client;
use agentwire_protocol::agent_definition::AgentInfo;
use agentwire_protocol::control::{AccountInfo, SlashCommand};
use agentwire_protocol::model::ModelInfo;

/// # What the agent said at the start
///
/// In its answer to `initialize`, so that nothing has to be asked. All of it is
/// in [`Client::initialized`].
impl Client {
    /// The commands that a prompt can begin with. Agents that do not say have
    /// none here.
    #[doc(alias = "supportedCommands")]
    #[must_use]
    pub fn commands(&self) -> &[SlashCommand] {
        self.initialized().commands.as_deref().unwrap_or_default()
    }

    /// The models that there are.
    #[doc(alias = "supportedModels")]
    #[must_use]
    pub fn models(&self) -> &[ModelInfo] {
        self.initialized().models.as_deref().unwrap_or_default()
    }

    /// The sub-agents that the model can start.
    #[doc(alias = "supportedAgents")]
    #[must_use]
    pub fn agents(&self) -> &[AgentInfo] {
        self.initialized().agents.as_deref().unwrap_or_default()
    }

    /// The account that pays for the session, and how the agent is logged in.
    /// `None` when the agent did not say.
    #[doc(alias = "accountInfo")]
    #[must_use]
    pub fn account(&self) -> Option<&AccountInfo> {
        self.initialized().account.as_ref()
    }
}
