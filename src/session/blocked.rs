//! Messages that wait for space in the outbound queue.

use crate::command::Progress;
use crate::telemetry::Origin;
use agentwire_protocol::host::Prompt;
use tokio::sync::{oneshot, watch};

/// A message that waits for space in the outbound queue.
pub(super) struct Blocked {
    pub(super) prompt: Prompt,
    pub(super) origin: Origin,
    pub(super) progress: watch::Sender<Progress>,
    /// Notified when the message is queued; `None` if nobody waits for that.
    pub(super) has_room: Option<oneshot::Sender<()>>,
}

impl Blocked {
    pub(super) fn is_unwanted(&self) -> bool {
        (self.has_room.as_ref()).is_some_and(oneshot::Sender::is_closed)
    }
}
