//! Outgoing messages and requests, and the driver's actions on the pipe.

use crate::codec::encode_form;
use crate::control::{self, HostRequest};
use crate::json::{Json, Members};
use crate::message::UserMessage;
use crate::open::Field as _;
use crate::outbox::{Class, Outgoing, Urgency};
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// The next action of the driver on the pipe.
#[derive(Clone, PartialEq, Eq)]
pub enum Transmit {
    /// Write this line, then report it with
    /// [`Host::handle_written`](super::Host::handle_written) or
    /// [`Host::handle_write_failed`](super::Host::handle_write_failed). Other
    /// lines may be written together with it: see
    /// [`Host::poll_transmit_behind`](super::Host::poll_transmit_behind).
    Line(Bytes),
    /// Close the pipe. Returned once, as the last action.
    End,
}

impl fmt::Debug for Transmit {
    /// Shows only the length of a line, because lines may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "Line({} bytes)", line.len()),
            Self::End => f.write_str("End"),
        }
    }
}

/// An encoded user message.
#[derive(Debug, Clone)]
pub struct Prompt(pub(super) Outgoing);

/// An encoded control request.
#[derive(Debug, Clone)]
pub struct Request {
    pub(super) subtype: Box<str>,
    pub(super) withdraws_waiting: bool,
    /// The user message that this request withdraws.
    pub(super) withdraws: Option<Box<str>>,
    pub(super) outgoing: Outgoing,
}

/// The reason why a message or a request was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// The session is closing or has ended.
    #[error("the session is closing")]
    Closing,
    /// The outbound queue is full.
    #[error("the outbound queue is full")]
    Full,
}

impl Prompt {
    /// Encodes a message. The agent reports the state of the message under
    /// `uuid`. The message is encoded in this call, not in the driver.
    ///
    /// # Errors
    ///
    /// If the message cannot be written as JSON.
    pub fn new(uuid: impl Into<Arc<str>>, mut message: UserMessage) -> serde_json::Result<Self> {
        Ok(Self::with_id(&mut message, uuid.into()))
    }

    /// Reads a message from JSON, and encodes it like [`Prompt::new`].
    ///
    /// # Errors
    ///
    /// If the JSON is not a user message.
    pub fn from_json(uuid: impl Into<Arc<str>>, message: &Json) -> serde_json::Result<Self> {
        Ok(Self::with_id(&mut message.read()?, uuid.into()))
    }

    /// Encodes a message under its `uuid`, or under a new one. Also returns
    /// this ID, and whether the message is sent verbatim, because of
    /// `is_verbatim` or of its own setting.
    #[doc(hidden)]
    pub fn of(
        mut message: UserMessage,
        is_verbatim: bool,
        new_id: fn() -> Arc<str>,
    ) -> (Arc<str>, bool, Self) {
        if is_verbatim {
            message.client_composed = Some(true);
        }
        let is_verbatim = message.client_composed == Some(true);
        let id = message.uuid.take().map_or_else(new_id, Into::into);
        let prompt = Self::with_id(&mut message, Arc::clone(&id));
        (id, is_verbatim, prompt)
    }

    fn with_id(message: &mut UserMessage, id: Arc<str>) -> Self {
        let line = message.plain_line(&id).unwrap_or_else(|| {
            message.uuid = Some((*id).to_owned());
            encode_form(message.form())
        });
        Self(Outgoing {
            class: Class::User(Urgency::from(message.priority.as_ref())),
            id,
            line,
            since: None,
        })
    }

    /// Returns the ID under which the agent reports the state of the message.
    #[must_use]
    pub fn uuid(&self) -> &str {
        &self.0.id
    }

    /// Returns that ID without copying it.
    #[doc(hidden)]
    #[must_use]
    pub fn shared_uuid(&self) -> Arc<str> {
        Arc::clone(&self.0.id)
    }

    /// Returns the line that is sent to the agent, with its newline.
    #[must_use]
    pub fn line(&self) -> &[u8] {
        &self.0.line
    }
}

impl Request {
    /// Encodes a request. The response carries the same ID.
    ///
    /// # Errors
    ///
    /// If the request cannot be written as JSON.
    pub fn new<R: HostRequest>(
        request_id: impl Into<Arc<str>>,
        request: &R,
    ) -> serde_json::Result<Self> {
        let id = request_id.into();
        let line = control::request(&id, request)?;
        let (withdraws_waiting, withdraws) = (request.withdraws_waiting(), request.takes_back());
        Ok(Self::ready(
            id,
            R::SUBTYPE,
            line,
            withdraws_waiting,
            withdraws,
        ))
    }

    /// Encodes a request that has no type in this crate, from its subtype and
    /// an object with its other members.
    ///
    /// ```
    /// use agentwire_protocol::host::{Host, Request};
    /// use serde_json::json;
    /// use std::time::{Duration, Instant};
    ///
    /// let mut host = Host::default();
    /// let request = Request::raw("r7", "make_coffee", json!({ "cups": 2 }))?;
    /// host.request(Instant::now(), request, Duration::from_secs(60))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `members` is not an object.
    pub fn raw(
        request_id: impl Into<Arc<str>>,
        subtype: &str,
        members: impl Into<Json>,
    ) -> serde_json::Result<Self> {
        let members: Members = members.into().read()?;
        let withdraws_waiting = subtype == "interrupt"
            && members
                .get("cancel_queued")
                .is_some_and(|cancel| cancel.get() == "true");
        let withdraws = (subtype == "cancel_async_message")
            .then(|| members.get_str("message_uuid"))
            .flatten();
        let mut request = Members::default();
        request.push("subtype", subtype.into());
        for (name, value) in members.into_entries() {
            if name != "subtype" {
                request.push(name, value);
            }
        }
        let id = request_id.into();
        let line = control::request(&id, &request)?;
        let withdraws = withdraws.as_deref();
        Ok(Self::ready(id, subtype, line, withdraws_waiting, withdraws))
    }

    /// The part of [`Request::new`] that is compiled once for all types.
    fn ready(
        id: Arc<str>,
        subtype: &str,
        line: Bytes,
        withdraws_waiting: bool,
        withdraws: Option<&str>,
    ) -> Self {
        let class = match subtype {
            "initialize" => Class::Greeting,
            "interrupt" => Class::Interrupt,
            "mcp_message" => Class::Mcp,
            _ => Class::Control,
        };
        Self {
            subtype: subtype.into(),
            withdraws_waiting,
            withdraws: withdraws.map(Into::into),
            outgoing: Outgoing {
                class,
                id,
                line,
                since: None,
            },
        }
    }

    /// Returns the subtype.
    #[must_use]
    pub fn subtype(&self) -> &str {
        &self.subtype
    }

    /// Returns the ID that the response will carry.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.outgoing.id
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::control::{Interrupt, SetModel};
    use serde_json::json;

    fn parts(request: Request) -> (Box<str>, bool, Class, Bytes) {
        let Outgoing { class, line, .. } = request.outgoing;
        (request.subtype, request.withdraws_waiting, class, line)
    }

    #[test]
    fn a_raw_request_equals_the_typed_one() {
        let raw = |subtype, members| parts(Request::raw("r", subtype, members).unwrap());
        assert_eq!(
            raw("set_model", json!({ "model": "m" })),
            parts(Request::new("r", &SetModel::to("m")).unwrap())
        );
        assert_eq!(
            raw("interrupt", json!({ "cancel_queued": true })),
            parts(Request::new("r", &Interrupt::and_cancel_queued()).unwrap())
        );
        assert_eq!(
            raw("interrupt", json!({})),
            parts(Request::new("r", &Interrupt::default()).unwrap())
        );
    }

    #[test]
    fn a_raw_request_has_one_subtype_and_preserves_digits() {
        let members: Json = serde_json::from_str(r#"{"n":1.00,"subtype":"other"}"#).unwrap();
        let (.., line) = parts(Request::raw("r", "make_coffee", members).unwrap());
        assert_eq!(
            line,
            "{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{\"subtype\":\"make_coffee\",\"n\":1.00}}\n"
        );
        for no_object in [json!(null), json!([1]), json!("a")] {
            assert!(Request::raw("r", "make_coffee", no_object).is_err());
        }
    }
}
