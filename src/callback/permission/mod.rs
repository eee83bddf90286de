//! Permission callbacks and policies.

mod audited;
mod plan;
mod policy;
mod question;
mod read_only;
mod rules;
mod terminal;
pub mod visible;

pub use audited::Audited;
pub use plan::PlanAsk;
pub(crate) use plan::TOOL as PLAN_TOOL;
pub use policy::{Decision, Either, OrAsk, OrDeny, Policy};
pub use question::{Answers, QuestionAsk};
pub use read_only::ReadOnly;
pub use rules::{Rules, RulesBuilder, RulesError, RulesVerdict, Undecided};
pub use terminal::{Always, TerminalPrompt, TerminalPrompter, TerminalQuestion};
