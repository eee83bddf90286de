//! Answers of callbacks on their way to the driver.

use crate::event::{Asked, CallbackFailure, Error};
use crate::process::CliVersion;
use agentwire_protocol::Json;
use bytes::Bytes;
use std::fmt;
use tokio::sync::oneshot;

/// Which ask of a session it is, whatever its id: an agent may use an id again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AskNumber(pub(crate) u64);

/// Makes the line that answers this, for a CLI of some version, with the part of
/// the request that it has to repeat.
pub(crate) struct Encode(Box<EncodeFn>);

type EncodeFn =
    dyn FnOnce(&Asked, Option<&Json>, Option<CliVersion>) -> Result<Bytes, CallbackFailure> + Send;

impl Encode {
    pub(crate) fn new(
        encode: impl FnOnce(&Asked, Option<&Json>, Option<CliVersion>) -> Result<Bytes, CallbackFailure>
        + Send
        + 'static,
    ) -> Self {
        Self(Box::new(encode))
    }

    pub(crate) fn line(
        self,
        asked: &Asked,
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

/// What a late answer is on its way to, and with what.
#[derive(Debug)]
pub(crate) struct LateAnswer {
    pub(crate) request_id: Box<str>,
    /// Which ask, when that is known.
    pub(crate) number: Option<AskNumber>,
    /// The answer.
    pub(crate) answer: Result<Encode, CallbackFailure>,
    /// Whether it answers that.
    pub(crate) fits: fn(&Asked) -> bool,
    pub(crate) reply: oneshot::Sender<Result<(), Error>>,
}
