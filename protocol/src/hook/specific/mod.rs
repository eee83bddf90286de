//! Hook outputs specific to an event.

mod tool;

pub use tool::{
    PermissionDeniedOutput, PermissionRequestAllow, PermissionRequestDecision,
    PermissionRequestDeny, PermissionRequestOutput, PostToolUseOutput, PreSkillShellCommandOutput,
    PreToolUseOutput, ToolDecision,
};

use crate::json::Json;
use crate::mcp::ElicitationAction;
use crate::open::{object, union};
use crate::permission::{PermissionBehavior, unless_null};

/// Calls a macro with the specific output of each event.
macro_rules! every_specific_output {
    ($call:ident) => {
        $call! {
            /// The decision about a tool call.
            PreToolUse = "PreToolUse": PreToolUseOutput,
            /// Changes the result of a tool call.
            PostToolUse = "PostToolUse": PostToolUseOutput,
            /// Adds context to a failed tool call.
            PostToolUseFailure = "PostToolUseFailure": PostToolUseFailureOutput,
            /// Adds context to a batch of tool calls.
            PostToolBatch = "PostToolBatch": PostToolBatchOutput,
            /// The response to a permission request.
            PermissionRequest = "PermissionRequest": PermissionRequestOutput,
            /// Whether the model may retry.
            PermissionDenied = "PermissionDenied": PermissionDeniedOutput,
            /// Adds context to a notification.
            Notification = "Notification": NotificationOutput,
            /// Adds context to a prompt.
            UserPromptSubmit = "UserPromptSubmit": UserPromptSubmitOutput,
            /// Adds context to an expanded command.
            UserPromptExpansion = "UserPromptExpansion": UserPromptExpansionOutput,
            /// Configures the start of a session.
            SessionStart = "SessionStart": SessionStartOutput,
            /// Adds context to the setup.
            Setup = "Setup": SetupOutput,
            /// The decision about a model change.
            PreModelSwitch = "PreModelSwitch": PreModelSwitchOutput,
            /// Adds context to a model change.
            PostModelSwitch = "PostModelSwitch": PostModelSwitchOutput,
            /// Adds context to a finished turn.
            Stop = "Stop": StopOutput,
            /// Adds context for a sub-agent that starts.
            SubagentStart = "SubagentStart": SubagentStartOutput,
            /// Adds context for a sub-agent that has finished.
            SubagentStop = "SubagentStop": SubagentStopOutput,
            /// The response to an MCP server, in place of the user's.
            Elicitation = "Elicitation": ElicitationOutput,
            /// Overrides the response to an MCP server.
            ElicitationResult = "ElicitationResult": ElicitationResultOutput,
            /// The paths to watch.
            CwdChanged = "CwdChanged": CwdChangedOutput,
            /// The paths to watch.
            FileChanged = "FileChanged": FileChangedOutput,
            /// The path of the worktree.
            WorktreeCreate = "WorktreeCreate": WorktreeCreateOutput,
            /// The displayed text.
            MessageDisplay = "MessageDisplay": MessageDisplayOutput,
            /// The decision about a shell command of a skill.
            PreSkillShellCommand = "PreSkillShellCommand": PreSkillShellCommandOutput,
        }
    };
}
pub(super) use every_specific_output;

/// Declares the union of all specific outputs.
macro_rules! specific_outputs {
    ($( $(#[$meta:meta])* $event:ident = $value:literal: $name:ident, )*) => {
        union! {
            /// The output specific to an event.
            pub enum SpecificOutput by "hookEventName" {
                $( $(#[$meta])* $value => $event($name), )*
            }
        }
    };
}

every_specific_output!(specific_outputs);

object! {
    /// Adds context to a prompt.
    #[derive(Default)]
    pub struct UserPromptSubmitOutput tags("hookEventName" = "UserPromptSubmit") {
        /// Context for the model.
        pub additional_context: Option<String> = "additionalContext",
        /// The new title of the session.
        pub session_title: Option<String> = "sessionTitle",
        /// Whether a blocked prompt is not shown to the user again.
        pub suppress_original_prompt: Option<bool> = "suppressOriginalPrompt",
    }
}

object! {
    /// Adds context to a command that was expanded into a prompt.
    #[derive(Default)]
    pub struct UserPromptExpansionOutput tags("hookEventName" = "UserPromptExpansion") {
        /// Context for the model.
        pub additional_context: Option<String> = "additionalContext",
        /// Whether a blocked prompt is not shown to the user again.
        pub suppress_original_prompt: Option<bool> = "suppressOriginalPrompt",
    }
}

object! {
    /// Configures the start of a session.
    #[derive(Default)]
    pub struct SessionStartOutput tags("hookEventName" = "SessionStart") {
        /// Context for the model.
        pub additional_context: Option<String> = "additionalContext",
        /// The first prompt.
        pub initial_user_message: Option<String> = "initialUserMessage",
        /// The session's title.
        pub session_title: Option<String> = "sessionTitle",
        /// Paths to watch. Changes trigger the hooks of `FileChanged`.
        pub watch_paths: Option<Vec<String>> = "watchPaths",
        /// Whether to search for skills and commands again, because the hook
        /// may have added some.
        pub reload_skills: Option<bool> = "reloadSkills",
    }
}

object! {
    /// The decision about a model change.
    #[derive(Default)]
    pub struct PreModelSwitchOutput tags("hookEventName" = "PreModelSwitch") {
        /// The decision. `ask` denies the change if there is no user.
        pub permission_decision: Option<PermissionBehavior> = "permissionDecision",
        /// The reason.
        pub permission_decision_reason: Option<String> = "permissionDecisionReason",
    }
}

/// Declares the outputs that only add context for the model.
macro_rules! context_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// Context for the model.
                pub additional_context: Option<String> = "additionalContext",
            }
        }
    )*};
}

context_output! {
    /// Adds context to a failed tool call.
    PostToolUseFailureOutput = "PostToolUseFailure",
    /// Adds context to tool calls that the model made in parallel.
    PostToolBatchOutput = "PostToolBatch",
    /// Adds context to a notification.
    NotificationOutput = "Notification",
    /// Adds context to the setup.
    SetupOutput = "Setup",
    /// Adds context to a model change, sent with the next prompt.
    PostModelSwitchOutput = "PostModelSwitch",
    /// Adds context to a finished turn. The model continues with this context.
    StopOutput = "Stop",
    /// Adds context for a sub-agent that starts.
    SubagentStartOutput = "SubagentStart",
    /// Adds context for a sub-agent that has finished. The sub-agent continues
    /// with this context.
    SubagentStopOutput = "SubagentStop",
}

/// Declares the responses to an MCP server, before and after the user's
/// response.
macro_rules! elicitation_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// The action sent to the server: `accept`, `decline` or
                /// `cancel`.
                pub action: Option<ElicitationAction>,
                /// The user input sent to the server.
                pub content: Option<Json>,
            }
        }

        impl $name {
            /// Accepts the elicitation with this input, an object.
            pub fn accept(content: impl Into<Json>) -> Self {
                Self {
                    action: Some(ElicitationAction::Accept),
                    content: unless_null(content),
                    ..Self::default()
                }
            }

            /// Declines the elicitation.
            #[must_use]
            pub fn decline() -> Self {
                Self {
                    action: Some(ElicitationAction::Decline),
                    ..Self::default()
                }
            }

            /// Cancels the elicitation.
            #[must_use]
            pub fn cancel() -> Self {
                Self {
                    action: Some(ElicitationAction::Cancel),
                    ..Self::default()
                }
            }
        }
    )*};
}

elicitation_output! {
    /// The response to an MCP server, in place of the user's.
    ElicitationOutput = "Elicitation",
    /// Overrides the user's response to an MCP server.
    ElicitationResultOutput = "ElicitationResult",
}

/// Declares the outputs that set the paths to watch.
macro_rules! watch_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// Paths to watch. Changes trigger the hooks of `FileChanged`.
                pub watch_paths: Option<Vec<String>> = "watchPaths",
            }
        }

        impl $name {
            /// Watches these paths. Changes trigger the hooks of `FileChanged`.
            pub fn watch<P: Into<String>>(paths: impl IntoIterator<Item = P>) -> Self {
                Self {
                    watch_paths: Some(paths.into_iter().map(Into::into).collect()),
                    ..Self::default()
                }
            }
        }
    )*};
}

watch_output! {
    /// The paths to watch in the new working directory.
    CwdChangedOutput = "CwdChanged",
    /// The paths to watch after a file has changed.
    FileChangedOutput = "FileChanged",
}

object! {
    /// The path of the worktree.
    pub struct WorktreeCreateOutput tags("hookEventName" = "WorktreeCreate") {
        /// The absolute path of the worktree.
        pub worktree_path: String = "worktreePath",
    }
}

object! {
    /// The text to display. The model's message itself does not change.
    #[derive(Default)]
    pub struct MessageDisplayOutput tags("hookEventName" = "MessageDisplay") {
        /// The text to display in place of the message's piece.
        pub display_content: Option<String> = "displayContent",
    }
}

/// Declares a setter for the context of the outputs that have one.
macro_rules! add_context {
    ($($name:ident,)*) => {$(
        impl $name {
            /// Sets context for the model.
            #[must_use]
            pub fn additional_context(mut self, context: impl Into<String>) -> Self {
                self.additional_context = Some(context.into());
                self
            }
        }
    )*};
}

add_context! {
    PreToolUseOutput,
    PostToolUseOutput,
    PostToolUseFailureOutput,
    PostToolBatchOutput,
    NotificationOutput,
    UserPromptSubmitOutput,
    UserPromptExpansionOutput,
    SessionStartOutput,
    SetupOutput,
    PostModelSwitchOutput,
    StopOutput,
    SubagentStartOutput,
    SubagentStopOutput,
}

impl UserPromptSubmitOutput {
    /// Sets the session's title.
    #[must_use]
    pub fn session_title(mut self, title: impl Into<String>) -> Self {
        self.session_title = Some(title.into());
        self
    }
}

impl SessionStartOutput {
    /// Sets the first prompt.
    #[must_use]
    pub fn initial_user_message(mut self, prompt: impl Into<String>) -> Self {
        self.initial_user_message = Some(prompt.into());
        self
    }

    /// Sets the session's title.
    #[must_use]
    pub fn session_title(mut self, title: impl Into<String>) -> Self {
        self.session_title = Some(title.into());
        self
    }

    /// Sets the paths to watch. Changes trigger the hooks of `FileChanged`.
    #[must_use]
    pub fn watch_paths<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.watch_paths = Some(paths.into_iter().map(Into::into).collect());
        self
    }
}

impl PreModelSwitchOutput {
    /// Allows the model change.
    #[must_use]
    pub fn allow() -> Self {
        Self {
            permission_decision: Some(PermissionBehavior::Allow),
            ..Self::default()
        }
    }

    /// Denies the model change, with a reason.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self {
            permission_decision: Some(PermissionBehavior::Deny),
            permission_decision_reason: Some(reason.into()),
            ..Self::default()
        }
    }
}

impl WorktreeCreateOutput {
    /// Creates the output with the absolute path of the worktree.
    pub fn at(worktree_path: impl Into<String>) -> Self {
        Self {
            worktree_path: worktree_path.into(),
            extra: Default::default(),
        }
    }
}

impl MessageDisplayOutput {
    /// Displays this text in place of the message's piece.
    pub fn show(display_content: impl Into<String>) -> Self {
        Self {
            display_content: Some(display_content.into()),
            ..Self::default()
        }
    }
}
