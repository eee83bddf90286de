//! Tools that the CLI runs without a permission request.

use super::Claude;
use super::rules::{is_plain, parts};
use crate::scenario::ToolCall;
use agentwire_protocol::permission::PermissionMode;

/// Read-only tools.
const READ_ONLY: [&str; 8] = [
    "Glob",
    "Grep",
    "LS",
    "ListAgents",
    "Read",
    "TaskOutput",
    "TodoWrite",
    "ToolSearch",
];

/// Read-only shell commands, by their first word. The real CLI also checks
/// their options. Other commands need permission.
const READ_ONLY_COMMANDS: [&str; 22] = [
    "basename", "cat", "cd", "date", "dirname", "du", "echo", "false", "grep", "head", "id", "ls",
    "pwd", "sleep", "stat", "tail", "true", "uname", "wc", "whereis", "which", "whoami",
];

/// Shell commands that the mode `acceptEdits` allows.
const EDIT_COMMANDS: [&str; 7] = ["cp", "mkdir", "mv", "rm", "rmdir", "sed", "touch"];

impl Claude {
    /// Returns whether a tool call needs permission in this mode, apart from
    /// rules.
    pub(in crate::fake_agent) fn needs_permission(
        &self,
        call: &ToolCall,
        mode: &PermissionMode,
    ) -> bool {
        if !self.applies_rules || !call.ask {
            return call.ask;
        }
        if call.name != "Bash" {
            return !READ_ONLY.contains(&&*call.name);
        }
        let command = call.input["command"].as_str().unwrap_or_default();
        let accepts = *mode == PermissionMode::AcceptEdits;
        let is_fine = |part: &str| {
            let word = part.split_whitespace().next().unwrap_or_default();
            READ_ONLY_COMMANDS.contains(&word) || accepts && EDIT_COMMANDS.contains(&word)
        };
        !(is_plain(command) && parts(command).all(is_fine))
    }
}
