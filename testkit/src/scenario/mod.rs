//! What an agent's model says, written down: the one script that the fake
//! agent and the scripted model both play.
//!
//! A scenario is a list of replies. Each time the agent asks its model to go
//! on (once for the prompt, once more after every batch of tool results), a
//! reply is taken: one that is meant for such a request
//! ([`when`](Reply::when)), or else the next of those that are meant for any.
//! So the same file gives the same conversation whether the fake agent plays
//! both parts, or the real CLI talks to the scripted model. The file
//! `SCENARIOS.md` of this crate has all members of the format, and `schema/`
//! its JSON Schema.
//!
//! Hooks and MCP servers need nothing in a scenario: the fake agent has those
//! that the host names in `initialize`, as the real CLI does. A call of
//! `mcp__server__tool` goes to the host's server of that name; only where
//! there is none, the call's `result` is the answer. Questions
//! (`AskUserQuestion`) and plans (`ExitPlanMode`) answer what the host allowed.
//! A prompt that calls a command of the CLI, such as `/clear` or `/cost`, takes
//! no reply.
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
//! The same in Rust:
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
pub use fault::{Child, Fault, OddLine, Signal};
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
