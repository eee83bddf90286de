//! Who said whether a tool may run, as its result tells it.

use crate::message::{PermissionDecision, ToolResultMeta};

/// Somebody's word on a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ruling {
    is_accepted: bool,
    source: &'static str,
    reason_type: Option<&'static str>,
}

impl Ruling {
    pub(super) const HOST_ALLOWED: Self = Self::accepted("user_temporary", None);
    pub(super) const HOST_DENIED: Self = Self::rejected("user_reject", None);
    /// The host's answer was none.
    pub(super) const UNREADABLE: Self = Self::rejected("config", Some("other"));
    /// A prompt could not wait for the host's answer.
    pub(super) const PREEMPTED: Self = Self::rejected("user_abort", None);
    pub(super) const HOOK_ALLOWED: Self = Self::accepted("hook", Some("hook"));
    pub(super) const HOOK_DENIED: Self = Self::rejected("hook", Some("hook"));
    /// The permission mode lets everything run, or nothing that asks.
    pub(super) const MODE_ALLOWED: Self = Self::accepted("config", Some("mode"));
    pub(super) const MODE_DENIED: Self = Self::rejected("config", Some("mode"));
    /// The host takes no requests, so nobody could be asked.
    pub(super) const NOBODY_ASKED: Self = Self::rejected("config", None);
    /// A rule names the tool.
    pub(super) const RULE_ALLOWED: Self = Self::accepted("config", Some("rule"));

    /// It is nothing that anybody is asked about.
    pub(super) const fn no_question(tool: &str) -> Self {
        // Of a shell's command every part was looked at.
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

    /// What kind of reason it was.
    pub(super) fn reason_type(self) -> Option<&'static str> {
        self.reason_type
    }

    /// What the result of the call says of it.
    pub(super) fn meta(self, id: &str) -> ToolResultMeta {
        let decision = if self.is_accepted { "accept" } else { "reject" };
        let not_executed = match self {
            Self::NOBODY_ASKED => "user-rejected",
            _ => "permission-rule",
        };
        ToolResultMeta {
            id: id.to_owned(),
            permission_decision: Some(PermissionDecision {
                decision: Some(decision.to_owned()),
                source: Some(self.source.to_owned()),
                reason_type: self.reason_type.map(str::to_owned),
                extra: Default::default(),
            }),
            non_execution_kind: (!self.is_accepted).then(|| not_executed.to_owned()),
            extra: Default::default(),
        }
    }
}

/// What the result of a call says that was cut off, by an interrupt or by a
/// prompt that could not wait.
pub(super) fn cut_off(id: &str, interrupted: bool) -> ToolResultMeta {
    let kind = if interrupted {
        "user-rejected"
    } else {
        "cancelled"
    };
    ToolResultMeta {
        id: id.to_owned(),
        permission_decision: None,
        non_execution_kind: Some(kind.to_owned()),
        extra: Default::default(),
    }
}
