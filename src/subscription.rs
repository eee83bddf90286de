//! More than one stream of a session.

use crate::error::Error;
use crate::event::{Event, Notice};
use crate::mailbox::Mailbox;
use crate::submission::Submission;
use agentwire_protocol::host::TurnEnd;
use agentwire_protocol::message::StreamEventMessage;
use agentwire_protocol::{Frame, Message};
use futures_core::Stream;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

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
    mailbox: Mailbox,
}

/// What the agent writes, as it writes it; see
/// [`Handle::texts`](crate::Handle::texts).
///
/// Its pieces come as the agent sends them, or joined to larger ones when they
/// were not read in time. An [`Error::Lagged`] says that text is missing at
/// this place, and the stream goes on; any other error is the end of the
/// session. Dropping it unsubscribes.
#[derive(Debug)]
pub struct Texts {
    mailbox: Mailbox,
}

/// The turn that takes up one message; see [`Submission::turn`].
///
/// It begins with the
/// [`TookUp`](agentwire_protocol::host::TurnEvent::TookUp) of the message and
/// ends behind the [`Ended`](agentwire_protocol::host::TurnEvent::Ended) of the
/// turn; what comes in between, sub-agents included, is in it. When no turn
/// takes the message up, there is nothing in it. When the session ends first,
/// its last event says so, and no error follows.
///
/// What waits for it is bounded as for a [`Subscription`].
#[derive(Debug)]
pub struct Turn {
    mailbox: Mailbox,
    submission: Submission,
}

impl Turn {
    pub(crate) fn new(mailbox: Mailbox, submission: Submission) -> Self {
        Self {
            mailbox,
            submission,
        }
    }

    /// What the turn brings next; `None` behind its end. It fails only when
    /// the runtime goes. Cancel safe: nothing is lost when the future is
    /// dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        poll_fn(|context| self.mailbox.poll_next(context)).await
    }

    /// Waits until the turn is over, read or not, and says how it ended; see
    /// [`Submission::turn_ended`].
    pub async fn ended(mut self) -> Option<Arc<TurnEnd>> {
        self.submission.turn_ended().await
    }
}

impl Stream for Turn {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.mailbox.poll_next(context)
    }
}

impl Subscription {
    pub(crate) fn new(mailbox: Mailbox) -> Self {
        Self { mailbox }
    }

    /// What the session delivers next; the error that ended it, once; then
    /// `None`. Cancel safe: nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        poll_fn(|context| self.mailbox.poll_next(context)).await
    }
}

impl Stream for Subscription {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.mailbox.poll_next(context)
    }
}

impl Texts {
    pub(crate) fn new(mailbox: Mailbox) -> Self {
        Self { mailbox }
    }

    /// The next piece of text; the error that ended the session, once; then
    /// `None`. Cancel safe: nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<String, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<String, Error>>> {
        loop {
            return Poll::Ready(match ready!(self.mailbox.poll_next(context)) {
                Some(Ok(Event::Frame(frame))) => match main_text(&frame) {
                    Some(text) => Some(Ok(text)),
                    None => continue,
                },
                Some(Ok(Event::Notice(Notice::Lagged { events, bytes }))) => {
                    Some(Err(Error::Lagged { events, bytes }))
                }
                Some(Ok(_)) => continue,
                Some(Err(error)) => Some(Err(error)),
                None => None,
            });
        }
    }
}

impl Stream for Texts {
    type Item = Result<String, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

/// The text that a frame adds to the main conversation, if it adds some.
pub(crate) fn main_text(frame: &Frame) -> Option<String> {
    if frame.kind() != "stream_event" {
        return None;
    }
    match frame.message().ok()? {
        Message::StreamEvent(StreamEventMessage {
            parent_tool_use_id: None,
            event,
            ..
        }) => event.text_delta().map(str::to_owned),
        _ => None,
    }
}
