//! What only the hooks of one event can answer.

use super::output::{HookOutput, SyncOutput};
use crate::json::Json;
use crate::mcp::ElicitationAction;
use crate::open::{object, open_enum, union};
use crate::permission::{PermissionBehavior, PermissionUpdate};

/// The union of what the events can say. Each makes a whole answer, too.
macro_rules! specific_outputs {
    ($( $(#[$meta:meta])* $event:ident = $value:literal: $name:ident, )*) => {
        union! {
            /// What only the hooks of one event can answer.
            pub enum SpecificOutput by "hookEventName" {
                $( $(#[$meta])* $value => $event($name), )*
            }
        }

        $(
            impl From<$name> for HookOutput {
                fn from(specific: $name) -> Self {
                    Self::Sync(SyncOutput::from(specific))
                }
            }
        )*
    };
}

specific_outputs! {
    /// May the tool run, and with which input?
    PreToolUse = "PreToolUse": PreToolUseOutput,
    /// What came of a tool.
    PostToolUse = "PostToolUse": PostToolUseOutput,
    /// More about a tool's failure.
    PostToolUseFailure = "PostToolUseFailure": PostToolUseFailureOutput,
    /// More about several tools.
    PostToolBatch = "PostToolBatch": PostToolBatchOutput,
    /// May the tool run?
    PermissionRequest = "PermissionRequest": PermissionRequestOutput,
    /// May the model try again?
    PermissionDenied = "PermissionDenied": PermissionDeniedOutput,
    /// More about a notification.
    Notification = "Notification": NotificationOutput,
    /// More about a prompt.
    UserPromptSubmit = "UserPromptSubmit": UserPromptSubmitOutput,
    /// More about a command.
    UserPromptExpansion = "UserPromptExpansion": UserPromptExpansionOutput,
    /// How a session begins.
    SessionStart = "SessionStart": SessionStartOutput,
    /// More about the set-up.
    Setup = "Setup": SetupOutput,
    /// May the model be changed?
    PreModelSwitch = "PreModelSwitch": PreModelSwitchOutput,
    /// More about a change of the model.
    PostModelSwitch = "PostModelSwitch": PostModelSwitchOutput,
    /// More about a turn that is over.
    Stop = "Stop": StopOutput,
    /// More for a sub-agent that begins.
    SubagentStart = "SubagentStart": SubagentStartOutput,
    /// More for a sub-agent that is done.
    SubagentStop = "SubagentStop": SubagentStopOutput,
    /// The answer to an MCP server.
    Elicitation = "Elicitation": ElicitationOutput,
    /// Another answer to an MCP server.
    ElicitationResult = "ElicitationResult": ElicitationResultOutput,
    /// What to watch.
    CwdChanged = "CwdChanged": CwdChangedOutput,
    /// What to watch.
    FileChanged = "FileChanged": FileChangedOutput,
    /// Where the worktree is.
    WorktreeCreate = "WorktreeCreate": WorktreeCreateOutput,
    /// What is shown.
    MessageDisplay = "MessageDisplay": MessageDisplayOutput,
}

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

object! {
    /// More about a prompt.
    #[derive(Default)]
    pub struct UserPromptSubmitOutput tags("hookEventName" = "UserPromptSubmit") {
        /// Something for the model to read.
        pub additional_context: Option<String> = "additionalContext",
        /// The session's title from now on.
        pub session_title: Option<String> = "sessionTitle",
        /// Whether a prompt that is blocked is not repeated to the user.
        pub suppress_original_prompt: Option<bool> = "suppressOriginalPrompt",
    }
}

object! {
    /// More about a command that was turned into a prompt.
    #[derive(Default)]
    pub struct UserPromptExpansionOutput tags("hookEventName" = "UserPromptExpansion") {
        /// Something for the model to read.
        pub additional_context: Option<String> = "additionalContext",
        /// Whether a prompt that is blocked is not repeated to the user.
        pub suppress_original_prompt: Option<bool> = "suppressOriginalPrompt",
    }
}

object! {
    /// How a session begins.
    #[derive(Default)]
    pub struct SessionStartOutput tags("hookEventName" = "SessionStart") {
        /// Something for the model to read.
        pub additional_context: Option<String> = "additionalContext",
        /// The first prompt.
        pub initial_user_message: Option<String> = "initialUserMessage",
        /// The session's title.
        pub session_title: Option<String> = "sessionTitle",
        /// Paths whose changes are told to the hooks of `FileChanged`.
        pub watch_paths: Option<Vec<String>> = "watchPaths",
        /// Whether skills and commands are looked for once more, because the
        /// hook may have added some.
        pub reload_skills: Option<bool> = "reloadSkills",
    }
}

object! {
    /// May the model be changed?
    #[derive(Default)]
    pub struct PreModelSwitchOutput tags("hookEventName" = "PreModelSwitch") {
        /// Whether it may. `ask` is a no where there is nobody to ask.
        pub permission_decision: Option<PermissionBehavior> = "permissionDecision",
        /// Why.
        pub permission_decision_reason: Option<String> = "permissionDecisionReason",
    }
}

/// Many events let a hook add something for the model, and nothing else.
macro_rules! context_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// Something for the model to read.
                pub additional_context: Option<String> = "additionalContext",
            }
        }
    )*};
}

context_output! {
    /// More about a tool's failure.
    PostToolUseFailureOutput = "PostToolUseFailure",
    /// More about tools that the model called at once.
    PostToolBatchOutput = "PostToolBatch",
    /// More about a notification.
    NotificationOutput = "Notification",
    /// More about the set-up.
    SetupOutput = "Setup",
    /// More about a change of the model, with the next prompt.
    PostModelSwitchOutput = "PostModelSwitch",
    /// More about a turn that is over: the model goes on with it.
    StopOutput = "Stop",
    /// More for a sub-agent that begins.
    SubagentStartOutput = "SubagentStart",
    /// More for a sub-agent that is done: it goes on with it.
    SubagentStopOutput = "SubagentStop",
}

/// What is answered to an MCP server, before and after the user was asked.
macro_rules! elicitation_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// What the server is told: `accept`, `decline` or `cancel`.
                pub action: Option<ElicitationAction>,
                /// What was filled in.
                pub content: Option<Json>,
            }
        }
    )*};
}

elicitation_output! {
    /// The answer to an MCP server: the user is not asked.
    ElicitationOutput = "Elicitation",
    /// Another answer to an MCP server than the user's.
    ElicitationResultOutput = "ElicitationResult",
}

/// Two events let a hook say what to watch.
macro_rules! watch_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// Paths whose changes are told to the hooks of `FileChanged`.
                pub watch_paths: Option<Vec<String>> = "watchPaths",
            }
        }
    )*};
}

watch_output! {
    /// What to watch in the new working directory.
    CwdChangedOutput = "CwdChanged",
    /// What to watch after a file was changed.
    FileChangedOutput = "FileChanged",
}

object! {
    /// Where the worktree is.
    #[derive(Default)]
    pub struct WorktreeCreateOutput tags("hookEventName" = "WorktreeCreate") {
        /// Its directory, absolute.
        pub worktree_path: String = "worktreePath",
    }
}

object! {
    /// What is shown. What the model said stays as it is.
    #[derive(Default)]
    pub struct MessageDisplayOutput tags("hookEventName" = "MessageDisplay") {
        /// The text in place of the piece.
        pub display_content: Option<String> = "displayContent",
    }
}

impl PreToolUseOutput {
    /// The tool may run, and nobody is asked.
    #[must_use]
    pub fn allow() -> Self {
        Self::decide(ToolDecision::Allow)
    }

    /// The tool may run with this input instead, and nobody is asked.
    #[must_use]
    pub fn allow_with(input: impl Into<Json>) -> Self {
        Self {
            updated_input: Some(input.into()),
            ..Self::allow()
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

    fn decide(decision: ToolDecision) -> Self {
        Self {
            permission_decision: Some(decision),
            ..Self::default()
        }
    }
}

impl PermissionRequestOutput {
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

impl WorktreeCreateOutput {
    /// The worktree is in this directory, an absolute path.
    pub fn at(worktree_path: impl Into<String>) -> Self {
        Self {
            worktree_path: worktree_path.into(),
            ..Self::default()
        }
    }
}
