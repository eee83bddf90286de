//! How to deny each hook event.

use super::{
    ElicitationOutput, ElicitationResultOutput, HookKind, HookOutput, PermissionRequestOutput,
    PreModelSwitchOutput, PreSkillShellCommandOutput, PreToolUseOutput, SyncOutput,
};

impl HookOutput {
    /// Returns the output with which a hook of this event denies what the agent
    /// is about to do. Each event has its own form.
    ///
    /// `None` for events that only notify, and for those where a denial makes
    /// the agent continue (`Stop`, `SubagentStop`, `TaskCompleted`,
    /// `TeammateIdle`): a hook that always denied would keep it running
    /// forever.
    #[must_use]
    pub fn denial(kind: &HookKind, reason: &str) -> Option<Self> {
        Some(match kind {
            HookKind::PreToolUse => PreToolUseOutput::deny(reason).into(),
            HookKind::PreSkillShellCommand => PreSkillShellCommandOutput::deny(reason).into(),
            HookKind::PermissionRequest => PermissionRequestOutput::deny(reason).into(),
            HookKind::PreModelSwitch => PreModelSwitchOutput::deny(reason).into(),
            // For hooks of hosts, Claude Code 2.1.329 only checks that it is a
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
