//! What a handle knows about its session.

use super::Handle;
use crate::event::{PendingRequest, SessionStatus};
use agentwire_protocol::host::Activity;
use tokio::sync::watch;

impl Handle {
    /// Returns the session ID: the one that the agent reported last. Before the first turn it is
    /// the one that the session was [named](crate::Options::session_id) or
    /// [resumed](crate::Options::resume) with, if any. It changes when the conversation is cleared.
    #[must_use]
    pub fn session_id(&self) -> Option<Box<str>> {
        self.link().status.borrow().session_id.clone()
    }

    /// Returns whether the session is idle, busy, or requires action.
    #[must_use]
    pub fn activity(&self) -> Activity {
        self.link().status.borrow().activity
    }

    /// Returns whether the session has ended: every call fails with
    /// [`Error::Ended`](crate::Error::Ended). Its last events can still be read.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.link().commands.is_closed()
    }

    /// Returns the requests of the agent without a response, from the oldest to the newest:
    /// permission requests, elicitations and dialogs, in the streams
    /// ([`Options::requests_in_stream`](crate::Options::requests_in_stream)) or in callbacks. Hook
    /// calls are not included.
    #[must_use]
    pub fn pending_requests(&self) -> Vec<PendingRequest> {
        self.link().status.borrow().pending_requests.clone()
    }

    /// Returns a channel with the status of the session: all of the above, and their changes.
    ///
    /// When it reports that a turn has ended, the streams have the events of that turn. The channel
    /// is closed when the session's task ends.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use agentwire::protocol::host::Activity;
    ///
    /// let mut status = client.status();
    /// status.wait_for(|it| it.activity == Activity::Idle || it.is_closed).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn status(&self) -> watch::Receiver<SessionStatus> {
        self.link().status.clone()
    }
}
