//! System messages: what the agent says of itself and of the session.

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
    /// What the agent says of itself and of the session.
    pub enum SystemMessage: tolerant by "subtype" {
        /// A turn begins: what the agent is and has.
        "init" => Init(Box<Init>),
        /// What the agent is doing.
        "status" => Status(Status),
        /// Whether the session works, rests or waits for somebody.
        "session_state_changed" => SessionStateChanged(SessionStateChanged),
        /// The session has a new title.
        "session_title_changed" => SessionTitleChanged(SessionTitleChanged),
        /// A control request is still being worked on.
        "control_request_progress" => ControlRequestProgress(ControlRequestProgress),
        /// The commands that a prompt can begin with are others now.
        "commands_changed" => CommandsChanged(CommandsChanged),
        /// The conversation was compacted here.
        "compact_boundary" => CompactBoundary(CompactBoundary),
        /// The agent's process is about to end.
        "worker_shutting_down" => WorkerShuttingDown(WorkerShuttingDown),
        /// The disk was full, and something could not be saved.
        "session_writes_lost" => SessionWritesLost(SessionWritesLost),
        /// A copy of the transcript could not be stored.
        "mirror_error" => MirrorError(MirrorError),
        /// Files were uploaded.
        "files_persisted" => FilesPersisted(FilesPersisted),
        /// A task begins.
        "task_started" => TaskStarted(TaskStarted),
        /// How far a task is.
        "task_progress" => TaskProgress(TaskProgress),
        /// Something about a task changed.
        "task_updated" => TaskUpdated(TaskUpdated),
        /// A task is over.
        "task_notification" => TaskNotification(TaskNotification),
        /// Which tasks run in the background.
        "background_tasks_changed" => BackgroundTasksChanged(BackgroundTasksChanged),
        /// A hook begins.
        "hook_started" => HookStarted(HookStarted),
        /// What a hook has printed so far.
        "hook_progress" => HookProgress(HookProgress),
        /// A hook is over.
        "hook_response" => HookResponse(HookResponse),
        /// The API failed, and is asked again.
        "api_retry" => ApiRetry(ApiRetry),
        /// A model refused, and another one answers.
        "model_refusal_fallback" => ModelRefusalFallback(ModelRefusalFallback),
        /// A model refused, and nobody answers in its place.
        "model_refusal_no_fallback" => ModelRefusalNoFallback(ModelRefusalNoFallback),
        /// How much the model has thought.
        "thinking_tokens" => ThinkingTokens(ThinkingTokens),
        /// A line for the user to read.
        "informational" => Informational(Informational),
        /// A short notice for the user, shown for a while.
        "notification" => Notification(NotificationMessage),
        /// What a command printed that ran without the model.
        "local_command_output" => LocalCommandOutput(LocalCommandOutput),
        /// Memories that were given to the model.
        "memory_recall" => MemoryRecall(MemoryRecall),
        /// A tool call was refused without anybody being asked.
        "permission_denied" => PermissionDenied(PermissionDeniedMessage),
        /// An elicitation that a URL was opened for is over.
        "elicitation_complete" => ElicitationComplete(ElicitationComplete),
        /// How installing plugins goes.
        "plugin_install" => PluginInstall(PluginInstall),
    }
}
