//! The trait of the host's control requests.

use crate::open::object;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A control request of the host.
pub trait HostRequest: Serialize {
    /// The `subtype` of the request.
    const SUBTYPE: &'static str;

    /// The capability of an agent that supports this request. `None` if there
    /// is no such capability. Agents without the capability reject the request.
    const CAPABILITY: Option<&'static str> = None;

    /// The response type.
    type Response: DeserializeOwned;

    /// Returns the capabilities without which an agent accepts this request but
    /// ignores a part of it, so that its effect differs.
    fn relies_on(&self) -> Vec<&'static str> {
        vec![]
    }

    /// Returns whether this request withdraws the user messages that are queued
    /// before it, as [`Interrupt`](crate::control::Interrupt) can.
    fn withdraws_waiting(&self) -> bool {
        false
    }

    /// Returns the user message that this request withdraws, as
    /// [`CancelAsyncMessage`](crate::control::CancelAsyncMessage) does.
    fn takes_back(&self) -> Option<&str> {
        None
    }
}

/// Declares the subtype and the response type of requests.
macro_rules! host_requests {
    ($($request:ident = $subtype:literal => $answer:ident,)*) => {$(
        impl $crate::control::HostRequest for $request {
            const SUBTYPE: &'static str = $subtype;
            type Response = $answer;
        }
    )*};
}
pub(super) use host_requests;

object! {
    /// An empty response.
    #[derive(Default)]
    pub struct Empty {}
}
