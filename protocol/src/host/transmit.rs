//! What goes out: messages and requests that were made ready, and what the
//! driver is to do with the pipe.

use crate::codec::encode;
use crate::control::{self, HostRequest};
use crate::json::{Json, Members};
use crate::message::UserMessage;
use crate::outbox::{Class, Outgoing, Urgency};
use bytes::Bytes;
use serde::Serialize;
use std::fmt;

/// What the driver is to do with the pipe.
#[derive(Clone, PartialEq, Eq)]
pub enum Transmit {
    /// Write this line, and say so with [`Host::handle_written`](super::Host::handle_written) or
    /// [`Host::handle_write_failed`](super::Host::handle_write_failed).
    Line(Bytes),
    /// Close the pipe. It comes once, and nothing comes after it.
    End,
}

impl fmt::Debug for Transmit {
    /// A line may hold secrets, so its length is all that is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "Line({} bytes)", line.len()),
            Self::End => f.write_str("End"),
        }
    }
}

/// A user message, ready to be sent.
#[derive(Debug, Clone)]
pub struct Prompt(pub(super) Outgoing);

/// A control request, ready to be sent.
#[derive(Debug, Clone)]
pub struct Request {
    pub(super) subtype: Box<str>,
    pub(super) withdraws_waiting: bool,
    /// The user message that it takes back.
    pub(super) takes_back: Option<Box<str>>,
    pub(super) outgoing: Outgoing,
}

/// Why the session does not take a message or a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotTaken {
    /// It takes nothing any more: it is closing, or it is over.
    #[error("the session is closing and takes nothing any more")]
    Closing,
    /// So much waits to be written already that there is no room for it.
    #[error("too much waits to be written already")]
    Full,
}

impl Prompt {
    /// Makes a message ready, with the id under which the agent reports what
    /// becomes of it. It is encoded here, in the caller's time.
    ///
    /// # Errors
    ///
    /// When the message cannot be written as JSON.
    pub fn new(uuid: impl Into<Box<str>>, mut message: UserMessage) -> serde_json::Result<Self> {
        let id = uuid.into();
        message.uuid = Some(id.to_string());
        let class = Class::User(Urgency::from(message.priority.as_ref()));
        Ok(Self(Outgoing {
            class,
            id,
            line: encode(&message)?,
            since: None,
        }))
    }

    /// The id under which the agent reports what becomes of it.
    #[must_use]
    pub fn uuid(&self) -> &str {
        &self.0.id
    }
}

impl Request {
    /// Makes a request ready, with the id that its answer will carry.
    ///
    /// # Errors
    ///
    /// When the request cannot be written as JSON.
    pub fn new<R: HostRequest>(
        request_id: impl Into<Box<str>>,
        request: &R,
    ) -> serde_json::Result<Self> {
        Self::ready(request_id.into(), R::SUBTYPE, request).map(|it| Self {
            withdraws_waiting: request.withdraws_waiting(),
            takes_back: request.takes_back().map(Into::into),
            ..it
        })
    }

    /// Makes a request ready that nobody has given a type to: its subtype, and
    /// its other members as an object.
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
    /// When `members` is not an object.
    pub fn raw(
        request_id: impl Into<Box<str>>,
        subtype: &str,
        members: impl Into<Json>,
    ) -> serde_json::Result<Self> {
        let members: Members = members.into().read()?;
        let withdraws_waiting = subtype == "interrupt"
            && members
                .get("cancel_queued")
                .is_some_and(|cancel| cancel.get() == "true");
        let takes_back = (subtype == "cancel_async_message")
            .then(|| members.get_str("message_uuid"))
            .flatten();
        let mut request = Members::default();
        request.push("subtype", subtype.into());
        for (name, value) in members.into_entries() {
            if name != "subtype" {
                request.push(name, value);
            }
        }
        Self::ready(request_id.into(), subtype, &request).map(|it| Self {
            withdraws_waiting,
            takes_back: takes_back.map(Into::into),
            ..it
        })
    }

    fn ready(id: Box<str>, subtype: &str, request: &impl Serialize) -> serde_json::Result<Self> {
        let class = match subtype {
            "initialize" => Class::Greeting,
            "interrupt" => Class::Interrupt,
            "mcp_message" => Class::Mcp,
            _ => Class::Control,
        };
        let line = control::request(&id, request)?;
        Ok(Self {
            subtype: subtype.into(),
            withdraws_waiting: false,
            takes_back: None,
            outgoing: Outgoing {
                class,
                id,
                line,
                since: None,
            },
        })
    }

    /// The id that the answer will carry.
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
    fn a_raw_request_is_what_the_typed_one_is() {
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
    fn a_raw_request_has_one_subtype_and_keeps_its_digits() {
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
