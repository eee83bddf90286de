//! What goes out: messages and requests that were made ready, and what the
//! driver is to do with the pipe.

use crate::codec::encode;
use crate::control::{self, HostRequest};
use crate::message::UserMessage;
use crate::outbox::{Class, Outgoing, Urgency};
use bytes::Bytes;
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
    pub(super) outgoing: Outgoing,
}

/// The session takes nothing any more: it is closing, or it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the session is closing and takes nothing any more")]
pub struct Closing;

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
        let id = request_id.into();
        let class = match R::SUBTYPE {
            "initialize" => Class::Greeting,
            "interrupt" => Class::Interrupt,
            _ => Class::Control,
        };
        let line = control::request(&id, request)?;
        Ok(Self {
            subtype: R::SUBTYPE.into(),
            withdraws_waiting: request.withdraws_waiting(),
            outgoing: Outgoing { class, id, line },
        })
    }

    /// The id that the answer will carry.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.outgoing.id
    }
}
