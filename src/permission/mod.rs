//! Permission callbacks: who decides whether tools may run.

mod plan;
mod question;

pub use plan::PlanAsk;
pub(crate) use plan::TOOL as PLAN_TOOL;
pub(crate) use question::TOOL as QUESTION_TOOL;
pub use question::{Answers, QuestionAsk};
