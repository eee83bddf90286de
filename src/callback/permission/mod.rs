//! Permission callbacks: who decides whether tools may run.

mod plan;
mod policy;
mod question;
mod read_only;
mod recorded;
mod rules;
mod terminal;
pub mod visible;

pub use plan::PlanAsk;
pub(crate) use plan::TOOL as PLAN_TOOL;
pub use policy::{Either, Opinion, OrAsk, OrDeny, Policy};
pub use question::{Answers, QuestionAsk};
pub use read_only::ReadOnly;
pub use recorded::Recorded;
pub use rules::{Rules, RulesBuilder, RulesError, RulesVerdict, Undecided};
pub use terminal::{Always, AskOnTerminal, Showing, TerminalQuestion};
