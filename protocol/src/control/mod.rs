//! The control plane: requests and answers, both ways.
//!
//! A request that the host can make is a type with [`HostRequest`], which
//! names its subtype and its answer. What the agent can ask is
//! [`AgentRequest`].

mod context;
mod envelope;
mod files;
mod hooks;
mod initialize;
mod introspection;
mod mcp;
mod plugins;
mod queue;
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

pub use crate::slash_command::SlashCommand;

#[cfg(any(feature = "audit", feature = "schema"))]
pub(crate) use crate::mcp::McpMessage;
use crate::open::object;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A control request that the host makes of the agent.
pub trait HostRequest: Serialize {
    /// The request's `subtype`.
    const SUBTYPE: &'static str;

    /// The capability by which an agent says that it knows this request, where
    /// there is one. An agent without it refuses the request.
    const CAPABILITY: Option<&'static str> = None;

    /// What the agent answers.
    type Answer: DeserializeOwned;

    /// The capabilities without which an agent takes this request and passes
    /// over a part of it, so that something else is done than was asked.
    fn relies_on(&self) -> Vec<&'static str> {
        vec![]
    }

    /// Whether user messages that wait before it are to be withdrawn, as
    /// [`Interrupt`] may ask for.
    fn withdraws_waiting(&self) -> bool {
        false
    }

    /// The user message that it takes back, as [`CancelAsyncMessage`] does.
    fn takes_back(&self) -> Option<&str> {
        None
    }
}

/// Calls a macro with the names of all requests that the host can make.
#[cfg(any(feature = "audit", feature = "schema"))]
macro_rules! every_host_request {
    ($call:ident) => {
        $call! {
            ApplyFlagSettings,
            BackgroundTasks,
            CancelAsyncMessage,
            EndSession,
            FileSuggestions,
            GenerateSessionTitle,
            GetBinaryVersion,
            GetContextUsage,
            GetHooksListing,
            GetPlan,
            GetSessionCost,
            GetSettings,
            GetStatus,
            GetTaskOutput,
            GetUsage,
            Initialize,
            Interrupt,
            ListModels,
            ListPermissionRules,
            McpCall,
            McpMessage,
            McpReadResource,
            McpReconnect,
            McpSetServers,
            McpStatus,
            McpToggle,
            ReadFile,
            RegisterRepoRoot,
            ReloadOutputStyles,
            ReloadPlugins,
            ReloadSkills,
            RenameSession,
            RewindFiles,
            SeedReadState,
            SetColor,
            SetCwd,
            SetHasSubscribers,
            SetMaxThinkingTokens,
            SetMcpPermissionModeOverride,
            SetModel,
            SetPermissionMode,
            SideQuestion,
            StopTask,
            UpdateSettings
        }
    };
}
#[cfg(any(feature = "audit", feature = "schema"))]
pub(crate) use every_host_request;

/// Says which subtype a request has, and what it is answered with.
macro_rules! host_requests {
    ($($request:ident = $subtype:literal => $answer:ident,)*) => {$(
        impl $crate::control::HostRequest for $request {
            const SUBTYPE: &'static str = $subtype;
            type Answer = $answer;
        }
    )*};
}
use host_requests;

object! {
    /// What a request is answered with that is only done: nothing.
    #[derive(Default)]
    pub struct Empty {}
}
