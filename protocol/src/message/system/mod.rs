//! System messages: reports of the agent about itself and the session.

mod hooks;
mod init;
mod model;
mod notices;
mod session;
mod storage;
mod tasks;

pub use hooks::{HookOutcome, HookProgress, HookResponse, HookStarted};
pub use init::{
    ApiKeySource, Init, ManagedLock, McpServerState, MemoryPaths, PluginError, ViewMode,
};
pub use model::{
    ApiRetry, FallbackDirection, FallbackScope, FallbackTrigger, ModelRefusalFallback,
    ModelRefusalNoFallback, NoResponse, ThinkingTokens,
};
pub use notices::{
    ElicitationComplete, Informational, InformationalLevel, LocalCommandOutput, MemoryRecall,
    MemoryRecallMode, MemoryScope, NotificationMessage, NotificationPriority,
    PermissionDeniedMessage, PluginInstall, PluginInstallStatus, PromptSubmitOutcome,
    RecalledMemory,
};
pub use session::{
    CommandsChanged, CompactBoundary, CompactMetadata, CompactResult, CompactTrigger,
    ControlRequestProgress, PreservedMessages, PreservedSegment, ProgressStatus, SessionState,
    SessionStateChanged, SessionTitleChanged, Status, StatusKind, WorkerShuttingDown,
};
pub use storage::{
    FailedFile, FilesPersisted, LostWrites, MirrorError, PersistedFile, SessionKey,
    SessionWritesLost, WriteErrorCode,
};
pub use tasks::{
    BackgroundTask, BackgroundTasksChanged, ResourceLink, TaskEndReason, TaskEndStatus,
    TaskNotification, TaskPatch, TaskProgress, TaskStarted, TaskStatus, TaskUpdated, TaskUsage,
};

use crate::open::union;

union! {
    /// A report of the agent about itself or the session.
    pub enum SystemMessage: tolerant by "subtype" {
        /// The start of a turn, with a description of the agent and the
        /// session.
        "init" => Init(Box<Init>),
        /// The current activity of the agent.
        "status" => Status(Status),
        /// Whether the session is running, idle or waiting for the user.
        "session_state_changed" => SessionStateChanged(SessionStateChanged),
        /// The session has a new title.
        "session_title_changed" => SessionTitleChanged(SessionTitleChanged),
        /// A control request is still in progress.
        "control_request_progress" => ControlRequestProgress(ControlRequestProgress),
        /// The available slash commands changed.
        "commands_changed" => CommandsChanged(CommandsChanged),
        /// The conversation was compacted here.
        "compact_boundary" => CompactBoundary(CompactBoundary),
        /// The agent's process is about to exit.
        "worker_shutting_down" => WorkerShuttingDown(WorkerShuttingDown),
        /// Data could not be saved because the disk was full.
        "session_writes_lost" => SessionWritesLost(SessionWritesLost),
        /// A copy of the transcript could not be stored.
        "mirror_error" => MirrorError(MirrorError),
        /// Files were uploaded.
        "files_persisted" => FilesPersisted(FilesPersisted),
        /// A task started.
        "task_started" => TaskStarted(TaskStarted),
        /// The progress of a task.
        "task_progress" => TaskProgress(TaskProgress),
        /// A task changed.
        "task_updated" => TaskUpdated(TaskUpdated),
        /// A task ended.
        "task_notification" => TaskNotification(TaskNotification),
        /// The current set of background tasks.
        "background_tasks_changed" => BackgroundTasksChanged(BackgroundTasksChanged),
        /// A hook started.
        "hook_started" => HookStarted(HookStarted),
        /// The output of a hook so far.
        "hook_progress" => HookProgress(HookProgress),
        /// A hook ended.
        "hook_response" => HookResponse(HookResponse),
        /// An API request failed and is retried.
        "api_retry" => ApiRetry(ApiRetry),
        /// A model refused, and another model responds.
        "model_refusal_fallback" => ModelRefusalFallback(ModelRefusalFallback),
        /// A model refused, and no other model responds.
        "model_refusal_no_fallback" => ModelRefusalNoFallback(ModelRefusalNoFallback),
        /// The size of the model's thinking so far.
        "thinking_tokens" => ThinkingTokens(ThinkingTokens),
        /// A line for the user.
        "informational" => Informational(Informational),
        /// A short notice for the user, displayed for a while.
        "notification" => Notification(NotificationMessage),
        /// The output of a command that ran without the model.
        "local_command_output" => LocalCommandOutput(LocalCommandOutput),
        /// Memories that were added to the context.
        "memory_recall" => MemoryRecall(MemoryRecall),
        /// A tool call was denied without a permission request.
        "permission_denied" => PermissionDenied(PermissionDeniedMessage),
        /// A URL elicitation has ended.
        "elicitation_complete" => ElicitationComplete(ElicitationComplete),
        /// The progress of a plugin installation.
        "plugin_install" => PluginInstall(PluginInstall),
    }
}
