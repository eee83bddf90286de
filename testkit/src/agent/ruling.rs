//! The source of a permission decision, as reported in the tool result.

use agentwire_protocol::message::{PermissionDecision, ToolResultMeta};
use agentwire_protocol::permission::PermissionRule;

/// A permission decision on a tool call, with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ruling {
    is_accepted: bool,
    source: &'static str,
    reason_type: Option<&'static str>,
}

impl Ruling {
    pub(super) const HOST_ALLOWED: Self = Self::accepted("user_temporary", None);
    pub(super) const HOST_DENIED: Self = Self::rejected("user_reject", None);
    /// The host sent no valid response, or could not respond.
    pub(super) const INVALID_RESPONSE: Self = Self::rejected("config", Some("other"));
    /// A prompt with the priority `now` cancelled the permission request.
    pub(super) const WITHDRAWN_FOR_PROMPT: Self = Self::rejected("user_abort", None);
    pub(super) const HOOK_ALLOWED: Self = Self::accepted("hook", Some("hook"));
    pub(super) const HOOK_DENIED: Self = Self::rejected("hook", Some("hook"));
    /// The permission mode allows everything, or denies everything that needs
    /// permission.
    pub(super) const MODE_ALLOWED: Self = Self::accepted("config", Some("mode"));
    pub(super) const MODE_DENIED: Self = Self::rejected("config", Some("mode"));
    /// The host does not accept permission requests.
    pub(super) const REQUESTS_DISABLED: Self = Self::rejected("config", None);
    /// The tool belongs to the agent itself and is always allowed.
    pub(super) const OWN_ALLOWED: Self = Self::accepted("config", None);

    /// Creates the decision by a rule.
    pub(super) fn by_rule(rule: &PermissionRule, tool: &str, allows: bool) -> Self {
        // The parts of a shell command are checked one by one.
        let is_parts = tool == "Bash" && rule.rule_content.is_some();
        let reason = Some(if is_parts {
            "subcommandResults"
        } else {
            "rule"
        });
        if allows {
            Self::accepted("config", reason)
        } else {
            Self::rejected("config", reason)
        }
    }

    /// Creates the decision on a tool call that needs no permission request.
    pub(super) const fn without_request(tool: &str) -> Self {
        // All parts of a shell command were checked.
        let is_shell = matches!(tool.as_bytes(), b"Bash");
        Self::accepted(
            "config",
            if is_shell {
                Some("subcommandResults")
            } else {
                None
            },
        )
    }

    const fn accepted(source: &'static str, reason_type: Option<&'static str>) -> Self {
        Self {
            is_accepted: true,
            source,
            reason_type,
        }
    }

    const fn rejected(source: &'static str, reason_type: Option<&'static str>) -> Self {
        Self {
            is_accepted: false,
            source,
            reason_type,
        }
    }

    /// Returns whether a rule decided.
    pub(super) fn is_by_rule(self) -> bool {
        matches!(self.reason_type, Some("rule" | "subcommandResults"))
    }

    /// Returns the type of the reason.
    pub(super) fn reason_type(self) -> Option<&'static str> {
        self.reason_type
    }

    /// Returns the metadata for the result of the call.
    pub(super) fn meta(self, id: &str) -> ToolResultMeta {
        let decision = if self.is_accepted { "accept" } else { "reject" };
        let not_executed = match self {
            Self::REQUESTS_DISABLED => "user-rejected",
            _ => "permission-rule",
        };
        wire!(ToolResultMeta {
            id: id.to_owned(),
            permission_decision: Some(wire!(PermissionDecision {
                decision: Some(decision.to_owned()),
                source: Some(self.source.to_owned()),
                reason_type: self.reason_type.map(str::to_owned),
            })),
            non_execution_kind: (!self.is_accepted).then(|| not_executed.to_owned()),
        })
    }
}

/// Returns the metadata for the result of an aborted call. `interrupted`
/// distinguishes an interrupt from a prompt with the priority `now`.
pub(super) fn cut_off(id: &str, interrupted: bool) -> ToolResultMeta {
    let kind = if interrupted {
        "user-rejected"
    } else {
        "cancelled"
    };
    wire!(ToolResultMeta {
        id: id.to_owned(),
        permission_decision: None,
        non_execution_kind: Some(kind.to_owned()),
    })
}
