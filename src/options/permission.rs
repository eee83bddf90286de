//! Who decides about what the agent wants to do.

use super::Options;
use agentwire_protocol::permission::PermissionMode;

/// Who is asked where rules, hooks and the mode do not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PermissionPrompts {
    /// This program, or the tool that
    /// [`Options::permission_prompt_tool`] names.
    Host,
    /// Nobody: it is denied.
    Nobody,
}

/// Permissions. The callbacks that decide are among the other callbacks:
/// [`Options::on_permission`].
impl Options {
    /// How permissions are decided (`--permission-mode`).
    pub fn permission_mode(self, mode: PermissionMode) -> Self {
        self.set("--permission-mode", mode.as_str())
    }

    /// Whether the session may be put into
    /// [`PermissionMode::BypassPermissions`] at all, now or later
    /// (`--allow-dangerously-skip-permissions`).
    pub fn allow_bypassing_permissions(self, allowed: bool) -> Self {
        self.switch("--allow-dangerously-skip-permissions", allowed)
    }

    /// The tool of an MCP server that decides about permissions
    /// (`--permission-prompt-tool`), in place of this program's callbacks. Both
    /// at once are an error.
    pub fn permission_prompt_tool(self, tool: impl Into<String>) -> Self {
        self.set("--permission-prompt-tool", tool.into())
    }

    /// Who is asked where nothing else decides (`--permission-prompts`).
    pub fn permission_prompts(self, who: PermissionPrompts) -> Self {
        let who = match who {
            PermissionPrompts::Host => "host",
            PermissionPrompts::Nobody => "none",
        };
        self.set("--permission-prompts", who)
    }
}
