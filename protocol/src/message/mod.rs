//! The data plane: what the agent says, and what the host says to it.

mod api;
mod assistant;
mod deltas;
mod events;
mod origin;
mod rate_limit;
mod reports;
mod result;
mod stream_event;
mod system;
mod usage;
mod user;

pub use api::{
    ApiError, ApiErrorKind, AppliedEdit, BindingMismatch, CacheMissMessagesChanged,
    CacheMissModelChanged, CacheMissPreviousMessageNotFound, CacheMissReason,
    CacheMissSystemChanged, CacheMissToolsChanged, CacheMissUnavailable, ClearedThinking,
    ClearedToolUses, Container, ContainerSkill, ContextManagement, Diagnostics,
    InputTransformation, RefusalDetails, SkillOwner, StopDetails, ThinkingDropped,
    ThinkingMismatchAllowed,
};
pub use assistant::{AssistantBody, AssistantError, AssistantMessage, StopReason, ToolUseMeta};
pub use deltas::DeltaMerger;
pub use events::{
    ActiveGoal, AuthStatus, CommandLifecycle, CommandState, ConversationReset, Goal, KeepAlive,
    PromptSuggestion, ResetTrigger, SubagentRetry, ToolProgress, ToolUseSummary, TranscriptMirror,
};
pub use origin::{
    AutoContinuationOrigin, ChannelOrigin, CoordinatorOrigin, HumanOrigin, MessageOrigin,
    ObserverActivityOrigin, ObserverOrigin, PeerMode, PeerOrigin, TaskNotificationKind,
    TaskNotificationOrigin, UnclassifiedOrigin,
};
pub use rate_limit::{
    LimitScope, OverageDisabledReason, RateLimitErrorCode, RateLimitEvent, RateLimitInfo,
    RateLimitStatus, RateLimitType,
};
pub use reports::{
    ContextCategoryKind, ContextLimit, ContextReport, ContextReportAgent, ContextReportCategory,
    ContextReportMcpTool, ContextReportMemoryFile, ContextReportSkill, DisplayName, ExtraUsage,
    LimitSubject, OverLimit, PlanLimit, PlanUsage, SessionUsage, UsageReport,
};
pub use result::{
    DeferredToolUse, InvalidConfigFile, PermissionDenial, QueuedBehind, ResultMessage,
    ResultSubtype, StartupFailureReason, StructuredError, SubagentRequests, SubagentStats,
    SubagentsKilled, SubagentsRefused, TerminalReason,
};
pub use stream_event::{
    AbandonedBlocks, BlockDelta, CitationsDelta, CompactionDelta, ContentBlockDelta,
    ContentBlockStart, ContentBlockStop, InputJsonDelta, MessageChange, MessageDelta, MessageStart,
    MessageStop, Ping, SignatureDelta, StreamError, StreamEvent, StreamEventMessage, TextDelta,
    ThinkingDelta,
};
pub use system::*;
pub use usage::{
    AdvisorIteration, CacheCreation, CompactionIteration, CostBasis, FallbackCredit,
    FallbackCreditNotApplied, FallbackCreditRedeemed, FallbackCreditRefusal, FallbackCreditStatus,
    FallbackIteration, IterationUsage, MessageIteration, ModelSpeed, ModelUsage,
    OutputTokensDetails, ServerToolUse, ServiceTier, Usage,
};
pub use user::{PermissionDecision, Priority, ToolResultMeta, UserBody, UserMessage};

use crate::open::union;

union! {
    /// A message of the data plane, in either direction.
    pub enum Message: tolerant by "type" {
        /// What a user said, a tool answered, or the agent put in a user's
        /// mouth.
        "user" => User(Box<UserMessage>),
        /// A content block that the model finished.
        "assistant" => Assistant(AssistantMessage),
        /// A piece of what the model is saying, while it says it. Older
        /// documents call it `partial_assistant`.
        "partial_assistant" | "stream_event" => StreamEvent(StreamEventMessage),
        /// The end of a turn.
        "result" => Result(Box<ResultMessage>),
        /// What the agent says of itself.
        "system" => System(SystemMessage),
        /// What became of a message that the host sent.
        "command_lifecycle" => CommandLifecycle(CommandLifecycle),
        /// A tool is still running.
        "tool_progress" => ToolProgress(ToolProgress),
        /// What some tool calls did, summed up.
        "tool_use_summary" => ToolUseSummary(ToolUseSummary),
        /// How much of the plan is used up.
        "rate_limit_event" => RateLimitEvent(RateLimitEvent),
        /// How logging in goes.
        "auth_status" => AuthStatus(AuthStatus),
        /// What the user could say next.
        "prompt_suggestion" => PromptSuggestion(PromptSuggestion),
        /// The conversation begins anew, under another id.
        "conversation_reset" => ConversationReset(ConversationReset),
        /// What the agent is to reach before it stops.
        "active_goal" => ActiveGoal(ActiveGoal),
        /// Lines that were added to a transcript.
        "transcript_mirror" => TranscriptMirror(TranscriptMirror),
        /// A sign of life without content.
        "keep_alive" => KeepAlive(KeepAlive),
    }
}

impl Message {
    /// The text that a partial message adds to the answer of the main agent.
    /// `None` for every other message, and for what a sub-agent says.
    #[must_use]
    pub fn text_delta(&self) -> Option<&str> {
        match self {
            Self::StreamEvent(partial) if partial.parent_tool_use_id.is_none() => {
                partial.event.text_delta()
            }
            _ => None,
        }
    }
}
