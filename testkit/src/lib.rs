//! A fake agent CLI and a scripted model, to test what drives an agent
//! without a network, an account or a bill.

pub mod fake_agent;
#[cfg(feature = "model")]
pub mod model;
pub mod scenario;

pub use scenario::{ApiError, Fault, Reply, Scenario, ScenarioError, Step, Streamed, ToolCall};
