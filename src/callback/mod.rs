//! Callbacks: they answer the agent's requests.
//!
//! A callback is an async closure or a type that implements [`Handler`]. Each
//! call runs in its own task; many may run at once. If a callback panics or
//! returns an error, that request is denied, and a
//! [`Notice::CallbackFailed`](crate::Notice::CallbackFailed) reports it.

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
