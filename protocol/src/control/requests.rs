//! The requests themselves, each with its answer.

use super::request::HostRequest;
use crate::dialog::RequestUserDialog;
use crate::hook::HookCallback;
use crate::mcp::{McpElicitation, McpMessage};
use crate::open::{object, union};
use crate::permission::{CanUseTool, PermissionMode};

union! {
    /// What the agent asks of the host.
    pub enum AgentRequest by "subtype" {
        /// May a tool run?
        "can_use_tool" => CanUseTool(CanUseTool),
        /// A hook is due.
        "hook_callback" => HookCallback(HookCallback),
        /// A message for an MCP server that runs inside the host.
        "mcp_message" => McpMessage(McpMessage),
        /// An MCP server wants something from the user.
        "elicitation" => Elicitation(McpElicitation),
        /// A dialog is to be shown.
        "request_user_dialog" => RequestUserDialog(RequestUserDialog),
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
        /// The name of the model.
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
