//! Outputs specific to the hooks about tools.

use crate::json::Json;
use crate::open::{object, open_enum, union};
use crate::permission::{NO_OBJECT, PermissionUpdate, input_object, unless_null};

object! {
    /// The decision about a tool call.
    #[derive(Default)]
    pub struct PreToolUseOutput tags("hookEventName" = "PreToolUse") {
        /// The decision. If `None`, the agent decides as it would without the
        /// hook.
        pub permission_decision: Option<ToolDecision> = "permissionDecision",
        /// The reason. If the call is denied, the model gets the reason.
        pub permission_decision_reason: Option<String> = "permissionDecisionReason",
        /// The complete input to run the tool with.
        pub updated_input: Option<Json> = "updatedInput",
        /// Context for the model.
        pub additional_context: Option<String> = "additionalContext",
    }
}

object! {
    /// The decision about a shell command of a skill or slash command. If the
    /// command is denied, the model gets the reason in place of the output.
    #[derive(Default)]
    pub struct PreSkillShellCommandOutput tags("hookEventName" = "PreSkillShellCommand") {
        /// The decision. [`ToolDecision::Allow`] changes nothing; any other
        /// value prevents the command.
        pub permission_decision: Option<ToolDecision> = "permissionDecision",
        /// The reason.
        pub permission_decision_reason: Option<String> = "permissionDecisionReason",
        /// An updated input. The agent does not support it, so any value
        /// prevents the command.
        pub updated_input: Option<Json> = "updatedInput",
    }
}

open_enum! {
    /// A decision about a tool call.
    pub enum ToolDecision {
        /// Allows the call without a permission request.
        Allow = "allow",
        /// Denies the call.
        Deny = "deny",
        /// Sends a permission request.
        Ask = "ask",
        /// Ends the turn. The call is decided later.
        Defer = "defer",
    }
}

object! {
    /// Changes the result of a tool call.
    #[derive(Default)]
    pub struct PostToolUseOutput tags("hookEventName" = "PostToolUse") {
        /// Context for the model.
        pub additional_context: Option<String> = "additionalContext",
        /// Context for the classifier that decides permissions in mode `auto`.
        /// The classifier may take it for a wish of the user, so do not include
        /// output of a tool or a model. All hooks of a call share a limit of
        /// 2000 UTF-16 units.
        pub classifier_context: Option<String> = "classifierContext",
        /// The result to send to the model.
        pub updated_tool_output: Option<Json> = "updatedToolOutput",
        /// The result to send to the model, for tools of MCP servers only.
        /// Superseded by `updatedToolOutput`.
        pub updated_mcp_tool_output: Option<Json> = "updatedMCPToolOutput",
    }
}

object! {
    /// The response to a permission request.
    pub struct PermissionRequestOutput tags("hookEventName" = "PermissionRequest") {
        /// The decision.
        pub decision: PermissionRequestDecision,
    }
}

union! {
    /// A decision about a permission request.
    pub enum PermissionRequestDecision by "behavior" {
        /// Allows the call.
        "allow" => Allow(PermissionRequestAllow),
        /// Denies the call.
        "deny" => Deny(PermissionRequestDeny),
    }
}

object! {
    /// Allows the tool call.
    #[derive(Default)]
    pub struct PermissionRequestAllow tags("behavior" = "allow") {
        /// The input to run the tool with, in place of the original one.
        pub updated_input: Option<Json> = "updatedInput",
        /// Rule updates to apply.
        pub updated_permissions: Option<Vec<PermissionUpdate>> = "updatedPermissions",
    }
}

object! {
    /// Denies the tool call. Unlike the response to `can_use_tool`, a denial by
    /// a hook needs no message.
    #[derive(Default)]
    pub struct PermissionRequestDeny tags("behavior" = "deny") {
        /// The message for the model.
        pub message: Option<String>,
        /// Whether to end the turn.
        pub interrupt: Option<bool>,
    }
}

object! {
    /// Whether the model may retry a denied call.
    #[derive(Default)]
    pub struct PermissionDeniedOutput tags("hookEventName" = "PermissionDenied") {
        /// Whether the model may retry the call.
        pub retry: Option<bool>,
    }
}

impl PreToolUseOutput {
    /// Allows the call without a permission request.
    #[must_use]
    pub fn allow() -> Self {
        Self::decide(ToolDecision::Allow)
    }

    /// Allows the call with another input and without a permission request. If
    /// the input is not an object, the result is a denial whose message says
    /// so.
    #[must_use]
    pub fn allow_with(input: impl Into<Json>) -> Self {
        match input_object(input) {
            Some(input) => Self {
                updated_input: Some(input),
                ..Self::allow()
            },
            None => Self::deny(NO_OBJECT),
        }
    }

    /// Denies the call and sends the reason to the model.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self {
            permission_decision_reason: Some(reason.into()),
            ..Self::decide(ToolDecision::Deny)
        }
    }

    /// Sends a permission request.
    #[must_use]
    pub fn ask() -> Self {
        Self::decide(ToolDecision::Ask)
    }

    /// Ends the turn. The call is decided later.
    #[must_use]
    pub fn defer() -> Self {
        Self::decide(ToolDecision::Defer)
    }

    fn decide(decision: ToolDecision) -> Self {
        Self {
            permission_decision: Some(decision),
            ..Self::default()
        }
    }
}

impl PreSkillShellCommandOutput {
    /// Prevents the command. The model gets the reason in place of the output.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self {
            permission_decision: Some(ToolDecision::Deny),
            permission_decision_reason: Some(reason.into()),
            ..Self::default()
        }
    }
}

impl PostToolUseOutput {
    /// Sets the result to send to the model. `null` leaves it unchanged.
    #[must_use]
    pub fn updated_tool_output(mut self, output: impl Into<Json>) -> Self {
        self.updated_tool_output = unless_null(output);
        self
    }
}

impl PermissionDeniedOutput {
    /// Lets the model retry the call.
    #[must_use]
    pub fn retry() -> Self {
        Self {
            retry: Some(true),
            ..Self::default()
        }
    }
}

impl PermissionRequestOutput {
    /// Allows the call with another input. If the input is not an object, the
    /// result is a denial whose message says so.
    #[must_use]
    pub fn allow_with(input: impl Into<Json>) -> Self {
        match input_object(input) {
            Some(input) => PermissionRequestDecision::Allow(PermissionRequestAllow {
                updated_input: Some(input),
                ..PermissionRequestAllow::default()
            })
            .into(),
            None => Self::deny(NO_OBJECT),
        }
    }

    /// Allows the call. `updates` are applied to the permission rules.
    #[must_use]
    pub fn allow(updates: Vec<PermissionUpdate>) -> Self {
        PermissionRequestDecision::Allow(PermissionRequestAllow {
            updated_permissions: (!updates.is_empty()).then_some(updates),
            ..PermissionRequestAllow::default()
        })
        .into()
    }

    /// Denies the call and sends the message to the model.
    #[must_use]
    pub fn deny(message: impl Into<String>) -> Self {
        PermissionRequestDecision::Deny(PermissionRequestDeny {
            message: Some(message.into()),
            ..PermissionRequestDeny::default()
        })
        .into()
    }
}

impl From<PermissionRequestDecision> for PermissionRequestOutput {
    fn from(decision: PermissionRequestDecision) -> Self {
        Self {
            decision,
            extra: Default::default(),
        }
    }
}
