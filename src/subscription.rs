//! More than one stream of a session.

use crate::error::Error;
use crate::event::{Event, Notice};
use crate::mailbox::{Mailbox, Sender};
use agentwire_protocol::message::StreamEventMessage;
use agentwire_protocol::{Frame, Message};
use futures_core::Stream;
use std::future::poll_fn;
use std::pin::Pin;
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

/// What of a session somebody wants to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    Everything,
    /// The text of the main conversation, while it is written.
    Texts,
}

impl Interest {
    fn wants(self, event: &Event) -> bool {
        match (self, event) {
            (Self::Everything, _) => true,
            (Self::Texts, Event::Frame(frame)) => main_text(frame).is_some(),
            (Self::Texts, _) => false,
        }
    }
}

/// The text that a frame adds to the main conversation, if it adds some.
fn main_text(frame: &Frame) -> Option<String> {
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

/// Where the events of a session go.
#[derive(Debug)]
pub(crate) struct Streams {
    /// The client's own stream.
    pub(crate) own: Sender,
    subscribers: Vec<(Interest, Sender)>,
}

impl Streams {
    pub(crate) fn new(own: Sender) -> Self {
        Self {
            own,
            subscribers: vec![],
        }
    }

    pub(crate) fn subscribe(&mut self, interest: Interest, sender: Sender) {
        self.forget_those_who_left();
        self.subscribers.push((interest, sender));
    }

    /// Gives an event to all who want it. It waits for nobody.
    pub(crate) fn put(&mut self, event: Event) {
        self.forget_those_who_left();
        for (interest, sender) in &self.subscribers {
            if interest.wants(&event) {
                sender.put(event.clone());
            }
        }
        self.own.put(event);
    }

    /// Nothing more will come.
    pub(crate) fn end(&self, error: Option<&Error>) {
        for sender in self.subscribers.iter().map(|(_, sender)| sender) {
            sender.end(error.cloned());
        }
        self.own.end(error.cloned());
    }

    fn forget_those_who_left(&mut self) {
        self.subscribers
            .retain(|(_, sender)| !sender.is_abandoned());
    }
}
