//! The stream of one turn.

use super::submission::Submission;
use crate::event::{Error, Event, Mailbox, StreamKind};
use agentwire_protocol::host::TurnEnd;
use futures_core::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The turn that takes up one message; see [`Submission::turn`].
///
/// It begins with the
/// [`PickedUp`](agentwire_protocol::host::TurnEvent::PickedUp) of the message and
/// ends behind the [`Ended`](agentwire_protocol::host::TurnEvent::Ended) of the
/// turn; what comes in between, sub-agents included, is in it. When no turn
/// takes the message up, there is nothing in it. When the session ends first, it
/// ends with the error that ended the session.
///
/// What waits for it is bounded as for a [`Subscription`](crate::Subscription).
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

    /// Returns what the turn brings next; `None` behind its end. Cancel safe: nothing is lost when the future is
    /// dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.mailbox.next().await
    }

    /// Waits until the turn is over, read or not, and returns how it ended.
    ///
    /// # Errors
    ///
    /// As [`Submission::turn_ended`].
    pub async fn ended(self) -> Result<Arc<TurnEnd>, Error> {
        let Self {
            mailbox,
            mut submission,
        } = self;
        // Nothing pauses for a stream that is not read any more.
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
    /// The turn that takes it up, event by event, at a pace of its own. Best
    /// asked for at once: what the turn brought before is not in it, and a
    /// [`Notice::Lagged`](crate::Notice::Lagged) says how much that is.
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
        let mailbox = self.link.listen(StreamKind::Turn {
            uuid: self.uuid.clone(),
        });
        Turn::new(mailbox, self.clone())
    }
}
