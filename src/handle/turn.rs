//! The events of one turn.

use super::submission::Submission;
use crate::event::{Error, Event, Mailbox};
use agentwire_protocol::host::TurnEnd;
use futures_core::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A stream of the events of the turn that picks up a message; see
/// [`Submission::turn`].
///
/// It starts with the [`PickedUp`](agentwire_protocol::host::TurnEvent::PickedUp) event of the
/// message and ends after the [`Ended`](agentwire_protocol::host::TurnEvent::Ended) event of
/// the turn. It contains every event in between, including those of sub-agents. It is empty if
/// no turn picks up the message. If the session ends first, the stream ends with the session's
/// error.
///
/// Its buffer is bounded like that of a [`Subscription`](crate::Subscription).
#[derive(Debug)]
pub struct Turn {
    pub(super) mailbox: Mailbox,
    submission: Submission,
}

impl Turn {
    pub(crate) fn new(mailbox: Mailbox, submission: Submission) -> Self {
        Self {
            mailbox,
            submission,
        }
    }

    /// Returns the next event of the turn, or `None` after its end.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if the session failed before the turn ended.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.mailbox.next().await
    }

    /// Waits for the end of the turn, and returns how it ended. Unread events
    /// are discarded.
    ///
    /// # Errors
    ///
    /// As [`Submission::turn_ended`].
    ///
    /// # Cancel safety
    ///
    /// The turn continues if the future is dropped; its unread events are discarded.
    pub async fn turn_ended(self) -> Result<Arc<TurnEnd>, Error> {
        let Self {
            mailbox,
            mut submission,
        } = self;
        // Reading must not pause for a stream that is no longer read.
        drop(mailbox);
        submission.turn_ended().await
    }
}

impl Stream for Turn {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.mailbox.poll_next(context)
    }
}

impl Submission {
    /// Returns a stream of the turn that picks up the message. It is read at its own pace.
    ///
    /// Call this right after sending. The first 64 events of the turn, up to 64 KiB, are retained
    /// for a late stream, also after the end of the turn. If there were more before this call, they
    /// are missing from the stream, and a [`Notice::Lagged`](crate::Notice::Lagged) reports their
    /// number.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// use agentwire::Event;
    ///
    /// let mut turn = client.send("Tell me a story.").turn();
    /// while let Some(event) = turn.next().await {
    ///     if let Event::Frame(frame) = event? {
    ///         print!("{}", frame.message().text_delta().unwrap_or_default());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "receive_response")]
    #[must_use]
    pub fn turn(&self) -> Turn {
        let mailbox = self.link.listen_to_turn(&self.uuid, self.progress());
        Turn::new(mailbox, self.clone())
    }
}
