//! Scenarios: scripts of the model, for the fake agent and for the scripted
//! model.
//!
//! A scenario is a list of replies. Each request of the agent to its model
//! takes a reply: the request for a prompt, and a request after each batch of
//! tool results. A request takes the first reply whose [`when`](Reply::when)
//! matches it, otherwise the next reply without `when`. The fake agent and the
//! real CLI with the scripted model therefore have the same conversation.
//! `SCENARIOS.md` of this crate describes all members of the format.
//!
//! Hooks and MCP servers need no entry in a scenario: the fake agent takes them
//! from the host's `initialize`, as the real CLI does. A call of
//! `mcp__server__tool` goes to the host's server of that name; the call's
//! `result` applies only if there is no such server. Questions
//! (`AskUserQuestion`) and plans (`ExitPlanMode`) return what the host allowed.
//! A prompt that is a command of the CLI, such as `/clear` or `/cost`, takes no
//! reply.
//!
//! ```
//! use agentwire_testkit::Scenario;
//!
//! let scenario = Scenario::from_json(r#"{
//!     "replies": [
//!         [ { "text": "Let me look." },
//!           { "tool": { "name": "Bash", "input": { "command": "echo hi" }, "result": "hi" } } ],
//!         { "when": { "result": { "contains": "hi" } },
//!           "say": [ { "text": { "chunks": ["It says ", "hi."], "delay_ms": 20 } } ] }
//!     ]
//! }"#)?;
//! assert_eq!(scenario.replies.len(), 2);
//! # Ok::<(), agentwire_testkit::ScenarioError>(())
//! ```
//!
//! The same scenario in Rust:
//!
//! ```
//! use agentwire_testkit::{Reply, Scenario, Step, TextMatch, When};
//! use serde_json::json;
//!
//! let after = When::default().result(TextMatch::Contains("hi".into()));
//! let scenario = Scenario::default()
//!     .reply([
//!         Step::text("Let me look."),
//!         Step::tool("Bash", json!({ "command": "echo hi" }), "hi"),
//!     ])
//!     .reply(Reply::new([Step::text("It says hi.")]).when(after));
//! # assert_eq!(scenario.replies.len(), 2);
//! ```

mod expect;
mod fault;
pub(crate) mod gate;
pub(crate) mod gate_name;
mod load;
mod reply;
mod responses;
#[cfg(feature = "schema")]
mod schema;
mod session;
mod step;
mod streamed;
#[cfg(test)]
mod tests;
mod when;

pub use expect::{Expect, HasAndHasNot};
pub use fault::{Child, Fault, LineFault, Signal};
pub use gate::NoSuchGate;
pub use load::{Load, LoadKind};
pub use reply::{Reply, Times, Usage};
pub use responses::{Permissions, Response, Responses};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use session::{Scenario, ScenarioError};
pub use step::{ApiError, Step, ToolCall};
pub use streamed::{Streamed, Thinking};
pub use when::{Predicate, TextMatch, When};
