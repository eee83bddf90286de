//! Additional streams of a session.

use crate::event::{Error, Event, Mailbox};
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};

/// All events of a session from a certain moment on, independent of the
/// [`Client`](crate::Client)'s own stream; see [`Handle::subscribe`](crate::Handle::subscribe).
///
/// It has its own buffer, bounded like the client's
/// ([`Options::unread_limit`](crate::Options::unread_limit)); a
/// [`Notice::Lagged`](crate::Notice::Lagged) in the stream reports discarded events. It ends
/// when the client's stream ends. Dropping it unsubscribes.
#[derive(Debug)]
pub struct Subscription {
    pub(super) mailbox: Mailbox,
}

impl Subscription {
    pub(crate) fn new(mailbox: Mailbox) -> Self {
        Self { mailbox }
    }

    /// Returns the next event of the session. The error that ended the session,
    /// if any, is returned once, then `None`.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if the session did not end normally.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.mailbox.next().await
    }
}

impl Stream for Subscription {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.mailbox.poll_next(context)
    }
}
