//! What an agent asks of its host, and who answers.
//!
//! A callback is an async closure or a type that implements [`Handler`]. Each
//! call runs in a task of its own; many may run at once. One that panics, or
//! answers with an error, costs that one ask: the agent is denied what it asked
//! for, and a [`Notice::CallbackFailed`](crate::Notice::CallbackFailed) says so.

mod ask;
mod callbacks;
mod hook;
mod permission;
mod responder;

pub use ask::{
    Ask, AskAnswer, Askable, BoxFuture, DialogAsk, ElicitationAsk, Handler, Later, PermissionAsk,
    Reply,
};
pub(crate) use ask::{QUESTION_TOOL, Shared};
pub(crate) use callbacks::Callbacks;
pub use hook::{Hook, HookAnswer, HookCall};
pub use permission::{
    Always, Answers, Audited, Decision, Either, OrAsk, OrDeny, PlanAsk, Policy, QuestionAsk,
    ReadOnly, Rules, RulesBuilder, RulesError, RulesVerdict, TerminalPrompt, TerminalPrompter,
    TerminalQuestion, Undecided, visible,
};
pub(crate) use responder::encode;
pub use responder::{PendingAnswer, Responder};
