//! The data plane: messages of the agent, and user messages of the host.

mod api;
mod assistant;
mod deltas;
mod events;
mod origin;
mod pieces;
mod rate_limit;
mod reports;
mod result;
mod stream_event;
mod summary;
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
#[doc(hidden)]
pub use pieces::Pieces;
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
pub use summary::FailedTurn;
pub use system::*;
pub use usage::{
    AdvisorIteration, CacheCreation, CompactionIteration, CostBasis, FallbackCredit,
    FallbackCreditNotApplied, FallbackCreditRedeemed, FallbackCreditRefusal, FallbackCreditStatus,
    FallbackIteration, IterationUsage, MessageIteration, ModelSpeed, ModelUsage,
    OutputTokensDetails, ServerToolUse, ServiceTier, Usage,
};
pub use user::{PermissionDecision, Priority, ToolResultMeta, UserBody, UserMessage};

use crate::frame::Frame;
use crate::open::union;

union! {
    /// A message of the data plane, in either direction.
    pub enum Message: tolerant by "type" {
        /// A prompt of the user, a tool result, or a message that the agent
        /// inserted for the user.
        "user" => User(Box<UserMessage>),
        /// A completed content block of the model.
        "assistant" => Assistant(AssistantMessage),
        /// A partial message, sent while the model is streaming. Older
        /// documentation calls it `partial_assistant`.
        "partial_assistant" | "stream_event" => StreamEvent(StreamEventMessage),
        /// The end of a turn.
        "result" => Result(Box<ResultMessage>),
        /// A report of the agent about itself or the session.
        "system" => System(SystemMessage),
        /// The delivery state of a message that the host sent.
        "command_lifecycle" => CommandLifecycle(CommandLifecycle),
        /// A tool is still running.
        "tool_progress" => ToolProgress(ToolProgress),
        /// A summary of some tool calls.
        "tool_use_summary" => ToolUseSummary(ToolUseSummary),
        /// The usage of the plan's rate limits.
        "rate_limit_event" => RateLimitEvent(RateLimitEvent),
        /// The progress of a login.
        "auth_status" => AuthStatus(AuthStatus),
        /// A suggestion for the next prompt.
        "prompt_suggestion" => PromptSuggestion(PromptSuggestion),
        /// A new conversation starts, with another ID.
        "conversation_reset" => ConversationReset(ConversationReset),
        /// The goal that the agent has to reach before it stops.
        "active_goal" => ActiveGoal(ActiveGoal),
        /// Lines appended to a transcript.
        "transcript_mirror" => TranscriptMirror(TranscriptMirror),
        /// A heartbeat without content.
        "keep_alive" => KeepAlive(KeepAlive),
    }
}

/// Calls `look` with a system message, which may move parts out of it. This
/// function is not inlined, because the code that drops a message would be
/// compiled again at each call.
#[inline(never)]
pub(crate) fn look_at_system(frame: &Frame, look: &mut dyn FnMut(&mut SystemMessage)) {
    if let Message::System(message) = &mut frame.message() {
        look(message);
    }
}

impl Message {
    /// Returns the text that a partial message of the main agent adds. Returns
    /// `None` for other messages and for sub-agents.
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
