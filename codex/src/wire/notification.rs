//! Notifications of Codex.

use super::{
    AccountLoginCompleted, AccountRateLimits, AccountUpdated, ApprovalPolicy, ApprovalsReviewer,
    CollaborationMode, FileUpdate, Item, SandboxPolicy, Thread, ThreadStatus, Turn, TurnError,
    enums, messages, objects,
};
use agentwire_protocol::Json;

messages! {
    /// A notification of Codex.
    pub enum Notification by read_tolerantly {
        /// An error of the running turn.
        "error" => Error(ErrorReport),
        /// A thread was created or loaded.
        "thread/started" => ThreadStarted(ThreadStarted),
        /// The activity of a thread changed.
        "thread/status/changed" => ThreadStatusChanged(ThreadStatusChanged),
        /// A thread was archived.
        "thread/archived" => ThreadArchived(ThreadNotice),
        /// A thread was moved back from the archive.
        "thread/unarchived" => ThreadUnarchived(ThreadNotice),
        /// A thread was deleted.
        "thread/deleted" => ThreadDeleted(ThreadNotice),
        /// A thread was unloaded.
        "thread/closed" => ThreadClosed(ThreadNotice),
        /// Turns of a thread were dropped.
        "thread/reverted" => ThreadReverted(ThreadNotice),
        /// A thread has another title.
        "thread/name/updated" => ThreadNameUpdated(ThreadNameUpdated),
        /// A thread has other settings.
        "thread/settings/updated" => ThreadSettingsUpdated(ThreadSettingsUpdated),
        /// The model sent a response.
        "thread/tokenUsage/updated" => TokenUsageUpdated(TokenUsageUpdated),
        /// A turn started. It can be interrupted from now on.
        "turn/started" => TurnStarted(TurnUpdate),
        /// A turn is over.
        "turn/completed" => TurnCompleted(TurnUpdate),
        /// The changes of a turn to files.
        "turn/diff/updated" => TurnDiff(TurnDiff),
        /// The to-do list of a turn.
        "turn/plan/updated" => TurnPlan(TurnPlan),
        /// An item started. An item that starts again replaces itself.
        "item/started" => ItemStarted(ItemStarted),
        /// An item is complete.
        "item/completed" => ItemCompleted(ItemCompleted),
        /// More text of an agent message.
        "item/agentMessage/delta" => AgentMessageDelta(ItemDelta),
        /// More text of a plan.
        "item/plan/delta" => PlanDelta(ItemDelta),
        /// Another part of a reasoning summary.
        "item/reasoning/summaryPartAdded" => ReasoningSummaryPart(SummaryPart),
        /// More text of a reasoning summary.
        "item/reasoning/summaryTextDelta" => ReasoningSummaryDelta(SummaryDelta),
        /// More text of the reasoning itself.
        "item/reasoning/textDelta" => ReasoningDelta(ReasoningDelta),
        /// More output of a command.
        "item/commandExecution/outputDelta" => CommandOutputDelta(ItemDelta),
        /// Input that the model wrote to a terminal.
        "item/commandExecution/terminalInteraction" => TerminalInteraction(TerminalInteraction),
        /// A patch has other changes.
        "item/fileChange/patchUpdated" => FileChangeUpdated(FileChangeUpdated),
        /// Progress of a tool of an MCP server.
        "item/mcpToolCall/progress" => McpProgress(McpProgress),
        /// A request of Codex needs no response any more.
        "serverRequest/resolved" => RequestResolved(RequestResolved),
        /// A hook started.
        "hook/started" => HookStarted(HookReport),
        /// A hook is complete.
        "hook/completed" => HookCompleted(HookReport),
        /// The state of an MCP server.
        "mcpServer/startupStatus/updated" => McpServerStartup(McpServerStartup),
        /// The outcome of a login to an MCP server.
        "mcpServer/oauthLogin/completed" => McpLoginCompleted(McpLoginCompleted),
        /// Another model replied.
        "model/rerouted" => ModelRerouted(ModelRerouted),
        /// The login changed.
        "account/updated" => AccountUpdated(AccountUpdated),
        /// The usage of the plan.
        "account/rateLimits/updated" => AccountRateLimits(AccountRateLimits),
        /// The outcome of a login.
        "account/login/completed" => AccountLoginCompleted(AccountLoginCompleted),
        /// A warning for the user.
        "warning" => Warning(Warning),
        /// A warning of the reviewer of approvals.
        "guardianWarning" => GuardianWarning(Warning),
        /// A use of a deprecated feature.
        "deprecationNotice" => DeprecationNotice(Notice),
        /// A problem of the configuration.
        "configWarning" => ConfigWarning(Notice),
    }
}

objects! {
    /// An error of the running turn.
    pub struct ErrorReport of(turn) {
        /// The error.
        pub error: TurnError,
        /// Whether Codex retries. If not, the turn fails.
        pub will_retry: bool = "willRetry",
    }

    /// A thread that was created or loaded.
    pub struct ThreadStarted {
        /// The thread.
        pub thread: Thread,
    }

    /// The new activity of a thread.
    pub struct ThreadStatusChanged of(thread) {
        /// The activity.
        pub status: ThreadStatus,
    }

    /// Something happened to a thread.
    pub struct ThreadNotice of(thread) {}

    /// The new title of a thread.
    pub struct ThreadNameUpdated of(thread) {
        /// The title. `None` if it was removed.
        pub thread_name: Option<String> = "threadName",
    }

    /// The new settings of a thread.
    pub struct ThreadSettingsUpdated of(thread) {
        /// The settings.
        pub settings: ThreadSettings = "threadSettings",
    }

    /// The settings of a thread.
    pub struct ThreadSettings {
        /// The working directory.
        pub cwd: String,
        /// The model.
        pub model: String,
        /// The provider of the model.
        pub model_provider: String = "modelProvider",
        /// The reasoning effort.
        pub effort: Option<String>,
        /// The approval policy.
        pub approval_policy: ApprovalPolicy = "approvalPolicy",
        /// The reviewer of approvals.
        pub approvals_reviewer: ApprovalsReviewer = "approvalsReviewer",
        /// The sandbox.
        pub sandbox_policy: SandboxPolicy = "sandboxPolicy",
        /// The collaboration mode.
        pub collaboration_mode: CollaborationMode = "collaborationMode",
    }

    /// The token usage of a thread.
    pub struct TokenUsageUpdated of(turn) {
        /// The usage.
        pub token_usage: TokenUsage = "tokenUsage",
    }

    /// The token usage of a thread.
    pub struct TokenUsage {
        /// The usage of all responses of the model.
        pub total: TokenCounts,
        /// The usage of the last response.
        pub last: TokenCounts,
        /// The size of the model's context window.
        pub model_context_window: Option<u64> = "modelContextWindow",
    }

    /// Numbers of tokens.
    pub struct TokenCounts {
        /// Input and output.
        pub total_tokens: u64 = "totalTokens",
        /// Input, with the cached part.
        pub input_tokens: u64 = "inputTokens",
        /// Input that was read from the cache.
        pub cached_input_tokens: u64 = "cachedInputTokens",
        /// Input that was written to the cache.
        pub cache_write_input_tokens: Option<u64> = "cacheWriteInputTokens",
        /// Output, with the reasoning.
        pub output_tokens: u64 = "outputTokens",
        /// Reasoning.
        pub reasoning_output_tokens: u64 = "reasoningOutputTokens",
    }

    /// A turn that started or is over.
    pub struct TurnUpdate of(thread) {
        /// The turn.
        pub turn: Turn,
    }

    /// The changes of a turn to files.
    pub struct TurnDiff of(turn) {
        /// A unified diff of all changes.
        pub diff: String,
    }

    /// The to-do list of a turn.
    pub struct TurnPlan of(turn) {
        /// The reason why the list changed.
        pub explanation: Option<String>,
        /// The steps.
        pub plan: Vec<PlanStep>,
    }

    /// A step of a to-do list.
    pub struct PlanStep {
        /// The text.
        pub step: String,
        /// The state.
        pub status: PlanStepStatus,
    }

    /// An item that started.
    pub struct ItemStarted of(turn) {
        /// The item.
        pub item: Item,
        /// The time, as a Unix time in milliseconds.
        pub started_at_ms: i64 = "startedAtMs",
    }

    /// An item that is complete.
    pub struct ItemCompleted of(turn) {
        /// The item.
        pub item: Item,
        /// The time, as a Unix time in milliseconds.
        pub completed_at_ms: i64 = "completedAtMs",
    }

    /// More text of an item.
    pub struct ItemDelta of(item) {
        /// The text.
        pub delta: String,
    }

    /// Another part of a reasoning summary.
    pub struct SummaryPart of(item) {
        /// The index of the part.
        pub summary_index: i64 = "summaryIndex",
    }

    /// More text of a reasoning summary.
    pub struct SummaryDelta of(item) {
        /// The index of the part.
        pub summary_index: i64 = "summaryIndex",
        /// The text.
        pub delta: String,
    }

    /// More text of the reasoning itself.
    pub struct ReasoningDelta of(item) {
        /// The index of the part.
        pub content_index: i64 = "contentIndex",
        /// The text.
        pub delta: String,
    }

    /// Input that the model wrote to a terminal.
    pub struct TerminalInteraction of(item) {
        /// The ID of the process.
        pub process_id: String = "processId",
        /// The input.
        pub stdin: String,
    }

    /// The new changes of a patch.
    pub struct FileChangeUpdated of(item) {
        /// The changes.
        pub changes: Vec<FileUpdate>,
    }

    /// Progress of a tool of an MCP server.
    pub struct McpProgress of(item) {
        /// The message of the server.
        pub message: String,
    }

    /// A request of Codex that needs no response any more.
    pub struct RequestResolved of(thread) {
        /// The ID of the request: a number or a string.
        pub request_id: Json = "requestId",
    }

    /// A hook that started or is complete.
    pub struct HookReport of(thread) {
        /// The ID of the turn.
        pub turn_id: Option<String> = "turnId",
        /// The run.
        pub run: HookRun,
    }

    /// A run of a hook.
    pub struct HookRun {
        /// The ID of the run.
        pub id: String,
        /// The event, such as `preToolUse`.
        pub event_name: String = "eventName",
        /// The state.
        pub status: HookStatus,
        /// The message of the hook for the user.
        pub status_message: Option<String> = "statusMessage",
        /// The output.
        pub entries: Vec<HookOutput>,
        /// The duration in milliseconds.
        pub duration_ms: Option<i64> = "durationMs",
    }

    /// A part of the output of a hook.
    pub struct HookOutput {
        /// The kind of output, such as `warning`.
        pub kind: String,
        /// The text.
        pub text: String,
    }

    /// The state of an MCP server.
    pub struct McpServerStartup {
        /// The name of the server.
        pub name: String,
        /// The thread that uses the server.
        pub thread_id: Option<String> = "threadId",
        /// The state.
        pub status: McpServerState,
        /// The reason why the server failed.
        pub error: Option<String>,
    }

    /// The outcome of a login to an MCP server.
    pub struct McpLoginCompleted {
        /// The name of the server.
        pub name: String,
        /// The thread that uses the server.
        pub thread_id: Option<String> = "threadId",
        /// Whether the login succeeded.
        pub success: bool,
        /// The reason why the login failed.
        pub error: Option<String>,
    }

    /// A model that replied instead of another one.
    pub struct ModelRerouted of(turn) {
        /// The requested model.
        pub from_model: String = "fromModel",
        /// The model that replied.
        pub to_model: String = "toModel",
        /// The reason.
        pub reason: String,
    }

    /// A warning for the user.
    pub struct Warning {
        /// The ID of the thread.
        pub thread_id: Option<String> = "threadId",
        /// The text.
        pub message: String,
    }

    /// A use of a deprecated feature, or a problem of the configuration.
    pub struct Notice {
        /// The feature or the problem.
        pub summary: String,
        /// The remedy.
        pub details: Option<String>,
    }
}

enums! {
    /// The state of a step.
    pub enum PlanStepStatus {
        /// The step has not started.
        Pending = "pending",
        /// The step is in progress.
        InProgress = "inProgress",
        /// The step is complete.
        Completed = "completed",
    }

    /// The state of a run of a hook.
    pub enum HookStatus {
        /// The hook is running.
        Running = "running",
        /// It succeeded.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// The hook blocked the action.
        Blocked = "blocked",
        /// The hook stopped the turn.
        Stopped = "stopped",
    }

    /// The state of an MCP server.
    pub enum McpServerState {
        /// The server is starting.
        Starting = "starting",
        /// The server's tools are available.
        Ready = "ready",
        /// It failed.
        Failed = "failed",
        /// The start of the server was cancelled.
        Cancelled = "cancelled",
    }
}
