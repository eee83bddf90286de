//! Requests about the messages that wait in the agent's queue.

use super::request::HostRequest;
use crate::open::object;

impl HostRequest for CancelAsyncMessage {
    const SUBTYPE: &'static str = "cancel_async_message";
    type Answer = CancelAsyncMessageAnswer;

    fn takes_back(&self) -> Option<&str> {
        Some(&self.message_uuid)
    }
}

object! {
    /// Withdraws a user message that waits in the agent's queue.
    #[derive(Default)]
    pub struct CancelAsyncMessage tags("subtype" = "cancel_async_message") {
        /// The message's `uuid`.
        pub message_uuid: String,
    }
}

object! {
    /// Whether the message was withdrawn.
    pub struct CancelAsyncMessageAnswer {
        /// Whether it was. It was not, when it had been taken up or was never
        /// there.
        pub cancelled: bool,
        /// The message, when it was withdrawn.
        pub message_uuid: Option<String>,
    }
}

impl CancelAsyncMessage {
    /// Withdraws the message with this `uuid`.
    pub fn new(message_uuid: impl Into<String>) -> Self {
        Self {
            message_uuid: message_uuid.into(),
            ..Self::default()
        }
    }
}
