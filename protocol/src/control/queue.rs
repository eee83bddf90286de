//! Requests about messages in the agent's queue.

use super::request::HostRequest;
use crate::open::object;

impl HostRequest for CancelAsyncMessage {
    const SUBTYPE: &'static str = "cancel_async_message";
    type Response = CancelAsyncMessageAnswer;

    fn takes_back(&self) -> Option<&str> {
        Some(&self.message_uuid)
    }
}

object! {
    /// Withdraws a user message from the agent's queue.
    #[derive(Default)]
    pub struct CancelAsyncMessage tags("subtype" = "cancel_async_message") {
        /// The `uuid` of the message.
        pub message_uuid: String,
    }
}

object! {
    /// The outcome of withdrawing a message.
    pub struct CancelAsyncMessageAnswer {
        /// Whether the message was withdrawn. `false` if a turn had picked it
        /// up, or if it did not exist.
        pub cancelled: bool,
        /// The ID of the message, if it was withdrawn.
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
