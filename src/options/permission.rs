//! Permission options.

use super::Options;
use agentwire_protocol::permission::PermissionMode;

/// The destination of permission requests that rules, hooks and the permission mode do not
/// decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PermissionPrompts {
    /// The host decides, or the tool set by [`Options::permission_prompt_tool`].
    Host,
    /// None: they are denied.
    Nobody,
}

/// Permissions. See also [`Options::on_permission`].
impl Options {
    /// Sets the permission mode (`--permission-mode`).
    pub fn permission_mode(self, mode: PermissionMode) -> Self {
        self.set("--permission-mode", mode.as_str())
    }

    /// Sets whether the session may ever use [`PermissionMode::BypassPermissions`]
    /// (`--allow-dangerously-skip-permissions`).
    #[doc(alias = "allowDangerouslySkipPermissions")]
    pub fn allow_bypassing_permissions(self, allowed: bool) -> Self {
        self.switch("--allow-dangerously-skip-permissions", allowed)
    }

    /// Sets the MCP tool that decides on permission requests instead of callbacks
    /// (`--permission-prompt-tool`). It cannot be combined with a permission callback.
    #[doc(alias = "permissionPromptToolName")]
    #[doc(alias = "permission_prompt_tool_name")]
    pub fn permission_prompt_tool(self, tool: impl Into<String>) -> Self {
        self.set("--permission-prompt-tool", tool.into())
    }

    /// Sets the destination of undecided permission requests (`--permission-prompts`).
    pub fn permission_prompts(self, who: PermissionPrompts) -> Self {
        let who = match who {
            PermissionPrompts::Host => "host",
            PermissionPrompts::Nobody => "none",
        };
        self.set("--permission-prompts", who)
    }
}
