//! The output with which a hook denies each event.

use super::{
    ElicitationOutput, ElicitationResultOutput, HookKind, HookOutput, PermissionRequestOutput,
    PreModelSwitchOutput, PreSkillShellCommandOutput, PreToolUseOutput, SyncOutput,
};

impl HookOutput {
    /// Returns the output with which a hook of this event denies the agent's
    /// next action. Each event has its own form.
    ///
    /// Returns `None` for events that only notify. Also returns `None` for
    /// events for which a denial makes the agent continue (`Stop`,
    /// `SubagentStop`, `TaskCompleted`, `TeammateIdle`), because a hook that
    /// always denied would make the agent run forever.
    #[must_use]
    pub fn denial(kind: &HookKind, reason: &str) -> Option<Self> {
        Some(match kind {
            HookKind::PreToolUse => PreToolUseOutput::deny(reason).into(),
            HookKind::PreSkillShellCommand => PreSkillShellCommandOutput::deny(reason).into(),
            HookKind::PermissionRequest => PermissionRequestOutput::deny(reason).into(),
            HookKind::PreModelSwitch => PreModelSwitchOutput::deny(reason).into(),
            // For hooks of hosts, Claude Code 2.1.329 only checks that the
            // output is a block, and declines.
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
