//! Responses of callbacks to the driver.

use crate::event::{CallbackFailure, Error, RequestSummary};
use crate::process::CliVersion;
use agentwire_protocol::Json;
use bytes::Bytes;
use std::fmt;
use tokio::sync::oneshot;

/// Identifies a request of the agent within the session, because an agent may reuse IDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestNumber(pub(crate) u64);

/// Encodes a response for the CLI's version, including the part of the request that it must
/// repeat.
pub(crate) struct Encode(Box<EncodeFn>);

type EncodeFn = dyn FnOnce(&RequestSummary, Option<&Json>, Option<CliVersion>) -> Result<Bytes, CallbackFailure>
    + Send;

impl Encode {
    pub(crate) fn new(
        encode: impl FnOnce(
            &RequestSummary,
            Option<&Json>,
            Option<CliVersion>,
        ) -> Result<Bytes, CallbackFailure>
        + Send
        + 'static,
    ) -> Self {
        Self(Box::new(encode))
    }

    pub(crate) fn line(
        self,
        asked: &RequestSummary,
        to_repeat: Option<&Json>,
        version: Option<CliVersion>,
    ) -> Result<Bytes, CallbackFailure> {
        (self.0)(asked, to_repeat, version)
    }
}

impl fmt::Debug for Encode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encode")
    }
}

/// A late response, and its request.
#[derive(Debug)]
pub(crate) struct LateAnswer {
    pub(crate) request_id: Box<str>,
    /// The request's number, if known.
    pub(crate) number: Option<RequestNumber>,
    /// The response.
    pub(crate) answer: Result<Encode, CallbackFailure>,
    /// Returns whether the response fits that type of request.
    pub(crate) fits: fn(&RequestSummary) -> bool,
    pub(crate) reply: oneshot::Sender<Result<(), Error>>,
}
