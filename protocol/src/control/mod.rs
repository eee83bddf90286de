//! The control plane: requests and answers, both ways.
//!
//! A request that the host can make is a type with [`HostRequest`], which
//! names its subtype and its answer. What the agent can ask is
//! [`AgentRequest`].

mod envelope;
mod requests;

pub use envelope::{
    Answer, AnswerKind, ControlCancel, ControlRequest, ControlResponse, Refusal, cancel, failure,
    request, success,
};
pub use requests::{
    AgentRequest, Initialize, InitializeAnswer, Interrupt, InterruptReceipt, SetModel,
    SetModelAnswer, SetPermissionMode, SetPermissionModeAnswer, SlashCommand,
};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A control request that the host makes of the agent.
pub trait HostRequest: Serialize {
    /// The request's `subtype`.
    const SUBTYPE: &'static str;

    /// What the agent answers.
    type Answer: DeserializeOwned;

    /// Whether user messages that wait before it are to be withdrawn, as
    /// [`Interrupt`] may ask for.
    fn withdraws_waiting(&self) -> bool {
        false
    }
}
