//! The control plane: requests and responses in both directions.
//!
//! A request of the host is a type that implements [`HostRequest`], which names
//! its subtype and its response type. Requests of the agent are
//! [`AgentRequest`]s.

mod context;
mod envelope;
#[cfg(any(feature = "audit", feature = "schema"))]
mod every;
mod files;
mod hooks;
mod initialize;
mod introspection;
mod login;
mod mcp;
mod plugins;
mod queue;
mod request;
mod requests;
mod session;
mod settings;
mod tasks;
mod usage;

pub use context::{
    ContextAgent, ContextApiUsage, ContextCategory, ContextCategoryId, ContextCommands,
    ContextDeferredTool, ContextDetail, ContextItem, ContextMcpInstructions, ContextMcpTool,
    ContextMemoryFile, ContextMessages, ContextSkill, ContextSkills, ContextSquare,
    ContextToolCalls, ContextUsage, GetContextUsage,
};
pub use envelope::{
    Answer, AnswerKind, ControlCancel, ControlRequest, ControlResponse, Refusal, cancel, failure,
    request, success,
};
#[cfg(any(feature = "audit", feature = "schema"))]
pub(crate) use every::every_host_request;
pub use files::{
    FileEncoding, FileSuggestions, FileSuggestionsAnswer, ReadFile, ReadFileAnswer,
    RegisterRepoRoot, RegisterRepoRootAnswer, RewindFiles, RewindFilesAnswer, SeedReadState,
};
pub use hooks::{
    EditableHook, GetHooksListing, HookEventListing, HookListing, HooksBareMode, HooksListing,
    HooksPolicy, HooksSafeMode,
};
pub use initialize::{
    AccountInfo, ApiProvider, FeedbackMode, Initialize, InitializeAnswer, ManifestOutcome,
    ManifestsOrigin, SdkMcpServerConfig, SdkMcpServerManifest,
};
pub use introspection::{
    BinaryVersion, GetBinaryVersion, GetPlan, GetStatus, ListModels, ListModelsAnswer, PlanReport,
    StatusReport, StatusRow, StatusSection,
};
pub use login::{
    ClaudeAuthenticate, ClaudeAuthenticateAnswer, ClaudeLoginAnswer, ClaudeOauthCallback,
    ClaudeOauthWaitForCompletion, McpAuthenticate, McpAuthenticateAnswer, McpClearAuth,
    McpOauthCallbackUrl,
};
pub use mcp::{
    McpCall, McpCallAnswer, McpInputFile, McpOutputFile, McpReadResource, McpReadResourceAnswer,
    McpReconnect, McpResourceContents, McpSetServers, McpSetServersAnswer, McpStatus,
    McpStatusAnswer, McpToggle, SetMcpPermissionModeOverride, SetMcpPermissionModeOverrideAnswer,
};
pub use plugins::{
    CacheImpact, LspToolChange, ReloadOutputStyles, ReloadOutputStylesAnswer, ReloadPlugins,
    ReloadPluginsAnswer, ReloadSkills, ReloadSkillsAnswer,
};
pub use queue::{CancelAsyncMessage, CancelAsyncMessageAnswer};
pub use request::{Empty, HostRequest};
pub use requests::{
    AgentRequest, Interrupt, InterruptReceipt, SetModel, SetModelAnswer, SetPermissionMode,
    SetPermissionModeAnswer,
};
pub use session::{
    CwdOutcome, CwdRejection, EndSession, GenerateSessionTitle, RenameSession, SessionTitle,
    SetColor, SetCwd, SetCwdAnswer, SetHasSubscribers, SetMaxThinkingTokens, SideAnswer,
    SideQuestion, TitleSource,
};
pub use settings::{
    AppliedSettings, ApplyFlagSettings, GetSettings, GetSettingsAnswer, ListPermissionRules,
    ListPermissionRulesAnswer, PermissionRuleDescription, PermissionRuleEntry,
    PermissionRuleSource, PermissionRulesState, RuleEditability, SettingsParseError,
    UpdateSettings, WorkspaceDirectory, WritableSettings,
};
pub use tasks::{BackgroundTasks, BackgroundTasksAnswer, GetTaskOutput, StopTask, TaskOutput};
pub use usage::{
    GetSessionCost, GetUsage, GetUsageAnswer, ModelPlanLimit, PlanLimits, PlanWindow, SessionCost,
    UsageBehavior, UsageBehaviorKey, UsageBehaviors, UsageFix, UsagePeriod, UsageRecommendation,
    UsageShare,
};

#[cfg(any(feature = "audit", feature = "schema"))]
pub(crate) use crate::mcp::McpMessage;
pub use crate::slash_command::SlashCommand;
