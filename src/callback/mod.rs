//! Callbacks for the agent's requests: their arguments and responses.
//!
//! A callback is an async closure or a type that implements [`Handler`]. Each
//! call runs in its own task; many may run at once. If a callback panics or
//! returns an error, that request is denied, and a
//! [`Notice::CallbackFailed`](crate::Notice::CallbackFailed) reports it.

mod callbacks;
mod request;
mod responder;

pub(crate) use callbacks::Callbacks;
pub use request::{
    BoxFuture, CallbackRequest, CallbackResponse, DialogRequest, ElicitationRequest, Handler,
    IntoResponse, Later, Request, Response,
};
pub(crate) use request::{QUESTION_TOOL, Shared};
pub(crate) use responder::encode;
pub use responder::{RespondFuture, Responder};
