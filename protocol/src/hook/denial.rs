//! How each event is refused.

use super::{
    ElicitationOutput, ElicitationResultOutput, HookKind, HookOutput, PermissionRequestOutput,
    PreModelSwitchOutput, PreToolUseOutput, SyncOutput,
};

impl HookOutput {
    /// The answer with which a hook of this event keeps the agent from what it
    /// is about, each event having a form of its own.
    ///
    /// `None` for events that tell of something and cannot be refused, and for
    /// those of which a refusal means that the agent has to go on (`Stop`,
    /// `SubagentStop`, `TaskCompleted`, `TeammateIdle`): a hook that always
    /// refuses would keep it going for ever.
    #[must_use]
    pub fn denial(kind: &HookKind, reason: &str) -> Option<Self> {
        Some(match kind {
            HookKind::PreToolUse => PreToolUseOutput::deny(reason).into(),
            HookKind::PermissionRequest => PermissionRequestOutput::deny(reason).into(),
            HookKind::PreModelSwitch => PreModelSwitchOutput::deny(reason).into(),
            // Of the hooks of hosts Claude Code 2.1.329 minds only that it is a
            // block, and declines.
            HookKind::Elicitation => SyncOutput::block(reason)
                .specific(ElicitationOutput::decline())
                .into(),
            HookKind::ElicitationResult => SyncOutput::block(reason)
                .specific(ElicitationResultOutput::decline())
                .into(),
            HookKind::UserPromptSubmit
            | HookKind::UserPromptExpansion
            | HookKind::PreCompact
            | HookKind::ConfigChange
            | HookKind::TaskCreated
            | HookKind::PostToolUse
            | HookKind::PostToolUseFailure
            | HookKind::PostToolBatch => Self::block(reason),
            _ => return None,
        })
    }
}
