//! A fake agent CLI and a scripted model: test programs that drive an agent
//! without a network, an account or costs. Use it from Rust with `agentwire`, or
//! from any language with the binary `fake-agent`.
//!
//! ```
//! use agentwire_testkit::{Scenario, Step, fake_agent};
//!
//! let script = Scenario::default()
//!     .reply([Step::tool("Bash", serde_json::json!({ "command": "ls" }), "a.txt")])
//!     .reply([Step::text("There is one file.")]);
//! // Start `fake-agent` as the CLI, with this in its environment:
//! let (name, value) = (fake_agent::SCRIPT, script.to_json());
//! # assert_eq!(name, "FAKE_AGENT_SCRIPT");
//! # assert_eq!(Scenario::from_json(&value).map_err(|error| error.to_string())?.to_json(), value);
//! # Ok::<(), String>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`agent`] | state machine of the CLI's side of a session |
//! | [`scenario`] | the format of scripts |
//! | [`fake_agent`] | the fake agent: as a program, and without a process |
//! | `codex` | a fake Codex (feature `codex`) |
//! | `model` | the scripted model (feature `model`) |
//! | [`recording`], [`replay`] | recorded sessions |
//! | [`secret`] | finds and masks secrets |
//! | `conform` | conformance suites for CLIs and SDKs (feature `conform`) |
//! | `stores` | the conformance suite for session stores (feature `stores`) |
//!
//! The [fake agent](fake_agent) is a CLI that needs no model, starts in
//! milliseconds and simulates failures of a process. The scripted model
//! (feature `model`) is a server on loopback for the real CLI. Both take the
//! model's replies from a [`Scenario`], so the conversation is the same with
//! both.
//!
//! [Recordings](recording) are sessions of the real CLI. [`replay`] plays the
//! CLI's side of a recording to a running host.

// docs.rs builds with a nightly compiler, which marks the items that need a
// feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod agent;
#[cfg(feature = "codex")]
pub mod codex;
#[cfg(feature = "conform")]
pub mod conform;
pub mod fake_agent;
#[cfg(feature = "model")]
pub mod model;
pub mod recording;
pub mod replay;
mod request_info;
pub mod scenario;
mod script;
pub mod secret;
#[cfg(feature = "stores")]
pub mod stores;
mod strings;

pub use request_info::RequestInfo;
pub use scenario::{
    ApiError, Child, Expect, Fault, HasAndHasNot, LineFault, Load, LoadKind, NoSuchGate, Predicate,
    Reply, Scenario, ScenarioError, Signal, Step, Streamed, TextMatch, Thinking, Times, ToolCall,
    Usage, When,
};
