//! Requests about messages that wait in the agent's queue.

use crate::handle::{Handle, Pending};
use agentwire_protocol::control::{CancelAsyncMessage, CancelAsyncMessageAnswer};

/// # The queue
impl Handle {
    /// Takes a message back, by its `uuid`: here if it waits here, and else out
    /// of the agent's queue. The answer says whether it was still to be had.
    ///
    /// [`Submission::cancel`](crate::Submission::cancel) is the same for
    /// whoever has sent it.
    #[doc(alias = "cancel_async_message")]
    pub fn cancel_message(&self, uuid: &str) -> Pending<CancelAsyncMessageAnswer> {
        self.request(&CancelAsyncMessage::new(uuid))
    }
}
