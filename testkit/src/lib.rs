//! A fake agent CLI and a scripted model, to test what drives an agent
//! without a network, an account or a bill.
//!
//! Both follow a [`Scenario`]: what the model says each time it is asked. The
//! [fake agent](fake_agent) is a CLI that needs no model at all, starts in
//! milliseconds and can fail in every way a process can. The scripted model
//! (feature `model`) is a server on loopback that the real CLI talks to. The
//! same scenario gives the same conversation on both.
//!
//! The third level are [recordings](recording) of real sessions, and their
//! [`replay`]: the CLI's side of one, played to a host that lives.

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
mod strings;

pub use asked::Asked;
pub use scenario::{
    ApiError, Child, Expect, Fault, HasAndHasNot, Load, LoadKind, NoSuchGate, OddLine, Predicate,
    Reply, Scenario, ScenarioError, Signal, Step, Streamed, TextMatch, Thinking, Times, ToolCall,
    Usage, When,
};
