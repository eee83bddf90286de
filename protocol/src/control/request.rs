//! What a request of the host is.

use crate::open::object;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A control request that the host makes of the agent.
pub trait HostRequest: Serialize {
    /// The request's `subtype`.
    const SUBTYPE: &'static str;

    /// The capability by which an agent says that it knows this request, where
    /// there is one. An agent without it refuses the request.
    const CAPABILITY: Option<&'static str> = None;

    /// What the agent answers.
    type Answer: DeserializeOwned;

    /// The capabilities without which an agent takes this request and passes
    /// over a part of it, so that something else is done than was asked.
    fn relies_on(&self) -> Vec<&'static str> {
        vec![]
    }

    /// Whether user messages that wait before it are to be withdrawn, as
    /// [`Interrupt`](crate::control::Interrupt) may ask for.
    fn withdraws_waiting(&self) -> bool {
        false
    }

    /// The user message that it takes back, as [`CancelAsyncMessage`](crate::control::CancelAsyncMessage) does.
    fn takes_back(&self) -> Option<&str> {
        None
    }
}

/// Says which subtype a request has, and what it is answered with.
macro_rules! host_requests {
    ($($request:ident = $subtype:literal => $answer:ident,)*) => {$(
        impl $crate::control::HostRequest for $request {
            const SUBTYPE: &'static str = $subtype;
            type Answer = $answer;
        }
    )*};
}
pub(super) use host_requests;

object! {
    /// What a request is answered with that is only done: nothing.
    #[derive(Default)]
    pub struct Empty {}
}
