//! The requests themselves, each with its answer.

use super::HostRequest;
use crate::json::Json;
use crate::open::{object, union};
use crate::permission::{CanUseTool, PermissionMode};

union! {
    /// What the agent asks of the host.
    pub enum AgentRequest by "subtype" {
        /// May a tool run?
        "can_use_tool" => CanUseTool(CanUseTool),
    }
}

object! {
    /// The first request of a session: what the host is and has.
    #[derive(Default)]
    pub struct Initialize tags("subtype" = "initialize") {
        /// Hooks, as ids that `hook_callback` requests refer to.
        pub hooks: Option<Json>,
        /// MCP servers that run inside the host.
        pub sdk_mcp_servers: Option<Vec<String>> = "sdkMcpServers",
        /// The system prompt, in place of the agent's own.
        pub system_prompt: Option<Vec<String>> = "systemPrompt",
        /// What is added to the agent's own system prompt.
        pub append_system_prompt: Option<String> = "appendSystemPrompt",
        /// Sub-agents that the model can start.
        pub agents: Option<Json>,
    }
}

object! {
    /// What the agent is and has.
    #[derive(Default)]
    pub struct InitializeAnswer {
        /// The commands that a prompt can begin with.
        pub commands: Option<Vec<SlashCommand>>,
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<Json>>,
        /// The output style.
        pub output_style: Option<String>,
        /// The output styles that there are.
        pub available_output_styles: Option<Vec<String>>,
        /// The models that there are.
        pub models: Option<Vec<Json>>,
        /// The account.
        pub account: Option<Json>,
        /// What this agent can do beyond the oldest one.
        pub capabilities: Option<Vec<String>>,
        /// The agent's version.
        pub claude_code_version: Option<String>,
        /// The agent's process.
        pub pid: Option<u32>,
    }
}

object! {
    /// A command that a prompt can begin with.
    pub struct SlashCommand {
        /// The command, without the slash.
        pub name: String,
        /// What it does.
        pub description: Option<String>,
        /// What it takes.
        pub argument_hint: Option<String> = "argumentHint",
        /// Its other names.
        pub aliases: Option<Vec<String>>,
    }
}

object! {
    /// Stops the turn that runs. Messages that wait stay where they are.
    #[derive(Default)]
    pub struct Interrupt tags("subtype" = "interrupt") {
        /// Whether messages that wait are withdrawn as well.
        pub cancel_queued: Option<bool>,
    }
}

object! {
    /// What an interrupt met.
    #[derive(Default)]
    pub struct InterruptReceipt {
        /// Messages that still wait in the agent, by `uuid`.
        pub still_queued: Option<Vec<String>>,
        /// Messages that were withdrawn, by `uuid`.
        pub cancelled: Option<Vec<String>>,
    }
}

object! {
    /// Sets the model for what comes after it.
    #[derive(Default)]
    pub struct SetModel tags("subtype" = "set_model") {
        /// The model; the agent's default, when absent.
        pub model: Option<String>,
    }
}

object! {
    /// The model that was set. Agents up to 2.1.197 do not say.
    #[derive(Default)]
    pub struct SetModelAnswer {
        /// The model.
        pub model: Option<String>,
    }
}

object! {
    /// Sets how permissions are decided for what comes after it.
    pub struct SetPermissionMode tags("subtype" = "set_permission_mode") {
        /// The mode.
        pub mode: PermissionMode,
    }
}

object! {
    /// The mode that was set.
    #[derive(Default)]
    pub struct SetPermissionModeAnswer {
        /// The mode.
        pub mode: Option<PermissionMode>,
    }
}

impl Interrupt {
    /// Stops the turn and withdraws what waits.
    #[must_use]
    pub fn and_cancel_queued() -> Self {
        Self {
            cancel_queued: Some(true),
            ..Self::default()
        }
    }
}

impl SetModel {
    /// Sets this model.
    pub fn to(model: impl Into<String>) -> Self {
        Self {
            model: Some(model.into()),
            ..Self::default()
        }
    }
}

impl SetPermissionMode {
    /// Sets this mode.
    #[must_use]
    pub fn to(mode: PermissionMode) -> Self {
        Self {
            mode,
            extra: Default::default(),
        }
    }
}

impl HostRequest for Initialize {
    const SUBTYPE: &'static str = "initialize";
    type Answer = InitializeAnswer;
}

impl HostRequest for Interrupt {
    const SUBTYPE: &'static str = "interrupt";
    type Answer = InterruptReceipt;

    fn withdraws_waiting(&self) -> bool {
        self.cancel_queued == Some(true)
    }
}

impl HostRequest for SetModel {
    const SUBTYPE: &'static str = "set_model";
    type Answer = SetModelAnswer;
}

impl HostRequest for SetPermissionMode {
    const SUBTYPE: &'static str = "set_permission_mode";
    type Answer = SetPermissionModeAnswer;
}
