//! What only the hooks about tools can answer.

use crate::json::Json;
use crate::open::{object, open_enum, union};
use crate::permission::{NO_OBJECT, PermissionUpdate, input_object, unless_null};

object! {
    /// May the tool run, and with which input?
    #[derive(Default)]
    pub struct PreToolUseOutput tags("hookEventName" = "PreToolUse") {
        /// Whether it may; decided as without the hook, when absent.
        pub permission_decision: Option<ToolDecision> = "permissionDecision",
        /// Why. When it may not, the model is told.
        pub permission_decision_reason: Option<String> = "permissionDecisionReason",
        /// The input to run it with, whole.
        pub updated_input: Option<Json> = "updatedInput",
        /// Something for the model to read.
        pub additional_context: Option<String> = "additionalContext",
    }
}

open_enum! {
    /// Whether a tool may run.
    pub enum ToolDecision {
        /// It may, and nobody is asked.
        Allow = "allow",
        /// It may not.
        Deny = "deny",
        /// Somebody is asked.
        Ask = "ask",
        /// The turn ends, and the call is left to be decided later.
        Defer = "defer",
    }
}

object! {
    /// What came of a tool.
    #[derive(Default)]
    pub struct PostToolUseOutput tags("hookEventName" = "PostToolUse") {
        /// Something for the model to read.
        pub additional_context: Option<String> = "additionalContext",
        /// Something for the classifier that decides permissions in mode
        /// `auto`: it may take this for the user's own wish, so nothing that
        /// a tool or a model said belongs here. At most 2000 UTF-16 units,
        /// which all hooks of a call share.
        pub classifier_context: Option<String> = "classifierContext",
        /// What the model is told came of the tool.
        pub updated_tool_output: Option<Json> = "updatedToolOutput",
        /// The same, for tools of MCP servers alone. It is the older way.
        pub updated_mcp_tool_output: Option<Json> = "updatedMCPToolOutput",
    }
}

object! {
    /// May the tool run?
    pub struct PermissionRequestOutput tags("hookEventName" = "PermissionRequest") {
        /// Whether it may.
        pub decision: PermissionRequestDecision,
    }
}

union! {
    /// Whether the tool of a permission request may run.
    pub enum PermissionRequestDecision by "behavior" {
        /// It may.
        "allow" => Allow(PermissionRequestAllow),
        /// It may not.
        "deny" => Deny(PermissionRequestDeny),
    }
}

object! {
    /// The tool may run.
    #[derive(Default)]
    pub struct PermissionRequestAllow tags("behavior" = "allow") {
        /// The input to run it with, instead of the one it was called with.
        pub updated_input: Option<Json> = "updatedInput",
        /// Changes of the rules, for next time.
        pub updated_permissions: Option<Vec<PermissionUpdate>> = "updatedPermissions",
    }
}

object! {
    /// The tool may not run. Other than the answer to `can_use_tool`, it
    /// needs no message.
    #[derive(Default)]
    pub struct PermissionRequestDeny tags("behavior" = "deny") {
        /// What the model is told.
        pub message: Option<String>,
        /// Whether the turn ends.
        pub interrupt: Option<bool>,
    }
}

object! {
    /// May the model try again what was denied?
    #[derive(Default)]
    pub struct PermissionDeniedOutput tags("hookEventName" = "PermissionDenied") {
        /// Whether it may.
        pub retry: Option<bool>,
    }
}

impl PreToolUseOutput {
    /// The tool may run, and nobody is asked.
    #[must_use]
    pub fn allow() -> Self {
        Self::decide(ToolDecision::Allow)
    }

    /// The tool may run with this input instead, and nobody is asked. Anything
    /// but an object makes it a denial that says so.
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

    /// The tool may not run, and the model is told why.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self {
            permission_decision_reason: Some(reason.into()),
            ..Self::decide(ToolDecision::Deny)
        }
    }

    /// Somebody is asked.
    #[must_use]
    pub fn ask() -> Self {
        Self::decide(ToolDecision::Ask)
    }

    /// The turn ends, and the call is left to be decided later.
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

impl PostToolUseOutput {
    /// Sets what the model is told came of the tool. `null` is left out.
    #[must_use]
    pub fn updated_tool_output(mut self, output: impl Into<Json>) -> Self {
        self.updated_tool_output = unless_null(output);
        self
    }
}

impl PermissionDeniedOutput {
    /// The model may try again.
    #[must_use]
    pub fn retry() -> Self {
        Self {
            retry: Some(true),
            ..Self::default()
        }
    }
}

impl PermissionRequestOutput {
    /// The tool may run with this input instead. Anything but an object makes
    /// it a denial that says so.
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

    /// The tool may run. `updates` change the rules for next time.
    #[must_use]
    pub fn allow(updates: Vec<PermissionUpdate>) -> Self {
        PermissionRequestDecision::Allow(PermissionRequestAllow {
            updated_permissions: (!updates.is_empty()).then_some(updates),
            ..PermissionRequestAllow::default()
        })
        .into()
    }

    /// The tool may not run, and the model is told why.
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
