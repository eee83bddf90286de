//! More than one stream of a session.

use crate::event::{Error, Event, Mailbox};
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Everything that a session delivers from some moment on, beside the
/// [`Client`](crate::Client)'s own stream; see
/// [`Handle::subscribe`](crate::Handle::subscribe).
///
/// What waits for it is bounded like the client's, on its own account
/// ([`Options::unread_limit`](crate::Options::unread_limit)), and beyond the
/// bound it is told so with a [`Notice::Lagged`] of its own. It ends as the
/// client's stream does. Dropping it unsubscribes.
#[derive(Debug)]
pub struct Subscription {
    pub(super) mailbox: Mailbox,
}

impl Subscription {
    pub(crate) fn new(mailbox: Mailbox) -> Self {
        Self { mailbox }
    }

    /// What the session delivers next; the error that ended it, once; then
    /// `None`. Cancel safe: nothing is lost when the future is dropped.
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
