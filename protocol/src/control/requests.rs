//! Control requests with their responses.

use super::request::HostRequest;
use crate::dialog::RequestUserDialog;
use crate::hook::HookCallback;
use crate::mcp::{McpElicitation, McpMessage};
use crate::open::{object, union};
use crate::permission::{CanUseTool, PermissionMode};

union! {
    /// A control request of the agent.
    pub enum AgentRequest by "subtype" {
        /// A permission request for a tool call.
        "can_use_tool" => CanUseTool(CanUseTool),
        /// Calls a hook.
        "hook_callback" => HookCallback(HookCallback),
        /// A message for an MCP server that runs inside the host.
        "mcp_message" => McpMessage(McpMessage),
        /// An MCP server requests input from the user.
        "elicitation" => Elicitation(McpElicitation),
        /// Requests that the host show a dialog.
        "request_user_dialog" => RequestUserDialog(RequestUserDialog),
    }
}

object! {
    /// Interrupts the running turn. Queued messages remain queued.
    #[derive(Default)]
    pub struct Interrupt tags("subtype" = "interrupt") {
        /// Whether to withdraw queued messages, too.
        pub cancel_queued: Option<bool>,
    }
}

object! {
    /// The effect of an interrupt on queued messages.
    #[derive(Default)]
    pub struct InterruptReceipt {
        /// The `uuid`s of messages that are still in the agent's queue.
        pub still_queued: Option<Vec<String>>,
        /// The `uuid`s of messages that were withdrawn.
        pub cancelled: Option<Vec<String>>,
    }
}

object! {
    /// Sets the model from now on.
    #[derive(Default)]
    pub struct SetModel tags("subtype" = "set_model") {
        /// The model. `None` sets the agent's default model.
        pub model: Option<String>,
    }
}

object! {
    /// The model that was set. Agents up to 2.1.197 do not send it.
    #[derive(Default)]
    pub struct SetModelAnswer {
        /// The name of the model.
        pub model: Option<String>,
    }
}

object! {
    /// Sets the permission mode from now on.
    pub struct SetPermissionMode tags("subtype" = "set_permission_mode") {
        /// The mode.
        pub mode: PermissionMode,
    }
}

object! {
    /// The permission mode that was set.
    #[derive(Default)]
    pub struct SetPermissionModeAnswer {
        /// The mode.
        pub mode: Option<PermissionMode>,
    }
}

impl Interrupt {
    /// Interrupts the turn and withdraws queued messages.
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
    type Response = InterruptReceipt;

    fn withdraws_waiting(&self) -> bool {
        self.cancel_queued == Some(true)
    }
}

impl HostRequest for SetModel {
    const SUBTYPE: &'static str = "set_model";
    type Response = SetModelAnswer;
}

impl HostRequest for SetPermissionMode {
    const SUBTYPE: &'static str = "set_permission_mode";
    type Response = SetPermissionModeAnswer;
}
