//! More than one stream of a session.

use crate::event::{Error, Event, Mailbox, Notice};
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::message::{StreamEvent, StreamEventMessage};
use agentwire_protocol::{Frame, Message};
use futures_core::Stream;
use std::mem;
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
/// Its pieces come as the agent sends them: partial messages where there are
/// some ([`Options::partial_messages`](crate::Options::partial_messages)), and
/// otherwise the text of each whole message. An [`Error::Lagged`] says that text
/// is missing at this place, and the stream goes on; any other error is the end
/// of the session. Dropping it unsubscribes.
#[derive(Debug)]
pub struct TextStream {
    mailbox: Mailbox,
    pieces: Pieces,
}

/// Which messages of the main conversation come piece by piece.
#[derive(Debug, Default)]
struct Pieces {
    /// The message that the last partial message began.
    message_id: Option<String>,
    /// There were pieces of a message whose beginning was not seen.
    of_unknown: bool,
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

impl TextStream {
    pub(crate) fn new(mailbox: Mailbox) -> Self {
        Self {
            mailbox,
            pieces: Pieces::default(),
        }
    }

    /// Returns the next piece of text; the error that ended the session, once;
    /// then `None`. Cancel safe: nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<String, Error>> {
        let Self { mailbox, pieces } = self;
        mailbox
            .next_of(|mailbox, context| pieces.poll(mailbox, context))
            .await
    }
}

impl Pieces {
    fn poll(
        &mut self,
        mailbox: &mut Mailbox,
        context: &Context<'_>,
    ) -> Poll<Option<Result<String, Error>>> {
        loop {
            return Poll::Ready(match ready!(mailbox.poll_next(context)) {
                Some(Ok(Event::Frame(frame))) => match self.text(&frame) {
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

impl Pieces {
    /// The text that a frame adds to the main conversation, if it adds some.
    fn text(&mut self, frame: &Frame) -> Option<String> {
        match frame.message() {
            Message::StreamEvent(StreamEventMessage {
                parent_tool_use_id: None,
                event,
                ..
            }) => {
                if let StreamEvent::MessageStart(start) = &event {
                    self.message_id = start.message.id.clone();
                    self.of_unknown = false;
                }
                let text = event.text_delta()?;
                self.of_unknown |= self.message_id.is_none();
                Some(text.to_owned())
            }
            Message::Assistant(said) if said.parent_tool_use_id.is_none() => {
                let id = &said.message.id;
                let is_known = id.is_some() && *id == self.message_id;
                if is_known || mem::take(&mut self.of_unknown) {
                    return None;
                }
                let texts = said
                    .message
                    .content
                    .iter()
                    .filter_map(ContentBlock::as_text);
                let text: String = texts.collect();
                (!text.is_empty()).then_some(text)
            }
            _ => None,
        }
    }
}

impl Stream for TextStream {
    type Item = Result<String, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { mailbox, pieces } = self.get_mut();
        pieces.poll(mailbox, context)
    }
}
