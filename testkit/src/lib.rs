//! A fake agent CLI and a scripted model, to test what drives an agent
//! without a network, an account or a bill. For programs that use `agentwire`,
//! and for SDKs in any language: the binary `fake-agent` needs no Rust.
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
//! | `model` | the scripted model (feature `model`) |
//! | [`recording`], [`replay`] | recorded sessions |
//! | [`secret`] | finds and masks secrets |
//! | `conform` | conformance suites for CLIs and SDKs (feature `conform`) |
//! | `stores` | the conformance suite for session stores (feature `stores`) |
//!
//! Both follow a [`Scenario`]: what the model says each time it is asked. The
//! [fake agent](fake_agent) is a CLI that needs no model at all, starts in
//! milliseconds and can fail in every way a process can. The scripted model
//! (feature `model`) is a server on loopback that the real CLI talks to. The
//! same scenario gives the same conversation on both.
//!
//! The third level are [recordings](recording) of real sessions, and their
//! [`replay`]: the CLI's side of one, played to a host that lives.

// docs.rs builds with a nightly compiler, which marks what needs a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod agent;
mod asked;
#[cfg(feature = "conform")]
pub mod conform;
pub mod fake_agent;
#[cfg(feature = "model")]
pub mod model;
pub mod recording;
pub mod replay;
pub mod scenario;
mod script;
pub mod secret;
#[cfg(feature = "stores")]
pub mod stores;
mod strings;

pub use asked::Asked;
pub use scenario::{
    ApiError, Child, Expect, Fault, HasAndHasNot, Load, LoadKind, NoSuchGate, OddLine, Predicate,
    Reply, Scenario, ScenarioError, Signal, Step, Streamed, TextMatch, Thinking, Times, ToolCall,
    Usage, When,
};
