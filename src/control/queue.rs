//! Requests about queued messages.

use super::ResponseFuture;
use crate::handle::Handle;
use agentwire_protocol::control::{CancelAsyncMessage, CancelAsyncMessageAnswer};

/// # The queue
impl Handle {
    /// Withdraws a message, given by its `uuid`, from the outbound queue, or
    /// from the agent's queue if it was already sent. The response says whether
    /// it was still queued.
    ///
    /// [`Submission::cancel`](crate::Submission::cancel) does the same for a
    /// message that you hold the submission of.
    #[doc(alias = "cancel_async_message")]
    pub fn cancel_message(&self, uuid: &str) -> ResponseFuture<CancelAsyncMessageAnswer> {
        self.request(&CancelAsyncMessage::new(uuid))
    }
}
