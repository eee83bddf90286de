//! Permission requests, and their handlers: callbacks, policies, rules.
//!
//! A [`Policy`] decides about the tool calls that it knows, and passes the others to the next
//! policy or callback ([`Policy::or_ask`], [`Policy::or_deny`]). [`Rules`] are the CLI's own
//! permission rules. The module [`terminal`](crate::terminal) asks the user.

mod audited;
mod plan;
mod policy;
mod question;
mod read_only;
mod rules;
mod within;

pub use audited::Audited;
pub use plan::PlanRequest;
pub(crate) use plan::TOOL as PLAN_TOOL;
pub(crate) use policy::SharedPolicy;
pub use policy::{Decision, Either, OrAsk, OrDeny, Policy};
pub use question::{Answers, QuestionRequest};
pub use read_only::ReadOnly;
pub use rules::{Rules, RulesBuilder, RulesError, RulesVerdict, Undecided};
pub use within::Within;

#[doc(inline)]
pub use agentwire_protocol::visible;

use crate::callback::Request;
use agentwire_protocol::permission::CanUseTool;

/// A request for permission to run a tool. The response is a
/// [`PermissionResult`](crate::PermissionResult).
pub type PermissionRequest = Request<CanUseTool>;
