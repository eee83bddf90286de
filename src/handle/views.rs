//! Streams of events, read as messages or as text.

use super::subscription::Subscription;
use super::turn::Turn;
use crate::event::{Error, Event, Mailbox, Notice};
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::message::{ResultMessage, StreamEvent, StreamEventMessage, TerminalReason};
use agentwire_protocol::{Frame, Message};
use futures_core::Stream;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The messages of a session, without its other events.
///
/// Made by [`Query::messages`](crate::Query::messages), [`Turn::messages`],
/// [`Subscription::messages`] and [`Client::messages`](crate::Client::messages).
/// Dropped events and the end of the session are errors: after [`Error::Lagged`]
/// the stream goes on, after any other error it is over.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire::Error> {
/// use agentwire::{Message, Options, query};
///
/// let mut messages = query("What day is it?", Options::new()).await?.messages();
/// while let Some(message) = messages.next().await {
///     match message? {
///         Message::Assistant(said) => println!("{:?}", said.message.content),
///         Message::Result(result) => println!("{}", result.error_for_result()?.text()),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Messages<S = Subscription> {
    events: S,
    frame: Option<Frame>,
}

/// The text that the agent writes in the main conversation.
///
/// Made by [`Handle::texts`](crate::Handle::texts),
/// [`Query::texts`](crate::Query::texts) and [`Turn::texts`]. Text arrives in
/// pieces with [`Options::partial_messages`](crate::Options::partial_messages), and
/// otherwise once per message.
///
/// Failures are errors in between: [`Error::Lagged`] if text was dropped, and
/// [`Error::FailedTurn`] if a turn ended with an error, other than an interrupt.
/// The stream goes on after these two; any other error is the end of the session.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire::Error> {
/// use agentwire::{Options, query};
///
/// let mut texts = query("What day is it?", Options::new()).await?.texts();
/// while let Some(text) = texts.next().await {
///     println!("{}", text?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TextStream<S = Subscription> {
    events: S,
    pieces: Pieces,
}

mod sealed {
    use crate::event::Mailbox;

    /// A stream of events.
    pub trait Events: Unpin {
        fn mailbox(&mut self) -> &mut Mailbox;
    }
}
pub(crate) use sealed::Events;

impl Events for Subscription {
    fn mailbox(&mut self) -> &mut Mailbox {
        &mut self.mailbox
    }
}

impl Events for Turn {
    fn mailbox(&mut self) -> &mut Mailbox {
        &mut self.mailbox
    }
}

impl Turn {
    /// Returns the messages of the turn, without its other events.
    #[must_use]
    pub fn messages(self) -> Messages<Self> {
        Messages::new(self)
    }

    /// Returns the text that the agent writes in the turn.
    #[must_use]
    pub fn texts(self) -> TextStream<Self> {
        TextStream::new(self)
    }
}

impl Subscription {
    /// Returns the messages of the session, without its other events.
    #[must_use]
    pub fn messages(self) -> Messages<Self> {
        Messages::new(self)
    }
}

impl<S: Events> Messages<S> {
    pub(crate) fn new(events: S) -> Self {
        Self {
            events,
            frame: None,
        }
    }

    /// Returns the next message, or why there is none; `None` after the end of
    /// the session.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no message is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Lagged`] if events were dropped; the error that ended the session,
    /// once.
    pub async fn next(&mut self) -> Option<Result<Message, Error>> {
        let Self { events, frame } = self;
        let mailbox = events.mailbox();
        mailbox
            .next_of(|mailbox, context| poll_message(frame, mailbox, context))
            .await
    }

    /// Returns the frame of the last message: its bytes, and its
    /// [faults](Frame::faults).
    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Returns the stream of events.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.events
    }
}

fn poll_message(
    last: &mut Option<Frame>,
    mailbox: &mut Mailbox,
    context: &mut Context<'_>,
) -> Poll<Option<Result<Message, Error>>> {
    Poll::Ready(match ready!(poll_frame(mailbox, context)) {
        Some(Ok(frame)) => {
            let message = frame.message();
            *last = Some(frame);
            Some(Ok(message))
        }
        Some(Err(error)) => Some(Err(error)),
        None => None,
    })
}

/// The next frame, passing over events that are neither a message nor an error.
fn poll_frame(
    mailbox: &mut Mailbox,
    context: &mut Context<'_>,
) -> Poll<Option<Result<Frame, Error>>> {
    loop {
        return Poll::Ready(match ready!(mailbox.poll_next(context)) {
            Some(Ok(Event::Frame(frame))) => Some(Ok(frame)),
            Some(Ok(Event::Notice(Notice::Lagged { events, bytes }))) => {
                Some(Err(Error::Lagged { events, bytes }))
            }
            Some(Ok(_)) => continue,
            Some(Err(error)) => Some(Err(error)),
            None => None,
        });
    }
}

impl<S: Events> Stream for Messages<S> {
    type Item = Result<Message, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { events, frame } = self.get_mut();
        poll_message(frame, events.mailbox(), context)
    }
}

impl<S: Events> TextStream<S> {
    pub(crate) fn new(events: S) -> Self {
        Self {
            events,
            pieces: Pieces::default(),
        }
    }

    /// Returns the next piece of text, or why there is none; `None` after the end
    /// of the session.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no text is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Lagged`] if text was dropped; [`Error::FailedTurn`] if a turn
    /// ended with an error; the error that ended the session, once.
    pub async fn next(&mut self) -> Option<Result<String, Error>> {
        let Self { events, pieces } = self;
        let mailbox = events.mailbox();
        mailbox
            .next_of(|mailbox, context| pieces.poll(mailbox, context))
            .await
    }
}

impl<S: Events> Stream for TextStream<S> {
    type Item = Result<String, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { events, pieces } = self.get_mut();
        pieces.poll(events.mailbox(), context)
    }
}

/// Which messages of the main conversation come piece by piece.
#[derive(Debug, Default)]
struct Pieces {
    /// The message that the last partial message began.
    message_id: Option<String>,
    /// There were pieces of a message whose beginning was not seen.
    of_unknown: bool,
}

impl Pieces {
    fn poll(
        &mut self,
        mailbox: &mut Mailbox,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<String, Error>>> {
        loop {
            return Poll::Ready(match ready!(poll_frame(mailbox, context)) {
                Some(Ok(frame)) => match self.text(&frame).transpose() {
                    Some(text) => Some(text),
                    None => continue,
                },
                Some(Err(error)) => Some(Err(error)),
                None => None,
            });
        }
    }

    /// The text that a frame adds to the main conversation.
    fn text(&mut self, frame: &Frame) -> Result<Option<String>, Error> {
        Ok(match frame.message() {
            Message::StreamEvent(StreamEventMessage {
                parent_tool_use_id: None,
                event,
                ..
            }) => {
                if let StreamEvent::MessageStart(start) = &event {
                    self.message_id = start.message.id.clone();
                    self.of_unknown = false;
                }
                let text = event.text_delta().map(str::to_owned);
                self.of_unknown |= text.is_some() && self.message_id.is_none();
                text
            }
            // Its text is the error's, which the result has as well.
            Message::Assistant(said) if said.error.is_some() => None,
            Message::Assistant(said) if said.parent_tool_use_id.is_none() => {
                let id = &said.message.id;
                let is_known = id.is_some() && *id == self.message_id;
                if is_known || mem::take(&mut self.of_unknown) {
                    return Ok(None);
                }
                let content = said.message.content.iter();
                let text: String = content.filter_map(ContentBlock::as_text).collect();
                (!text.is_empty()).then_some(text)
            }
            Message::Result(result) if !is_interrupted(&result) => {
                result.error_for_result()?;
                None
            }
            _ => None,
        })
    }
}

/// The host asked for this end, so it is no failure.
fn is_interrupted(result: &ResultMessage) -> bool {
    use TerminalReason::{AbortedStreaming, AbortedTools};
    matches!(
        result.terminal_reason,
        Some(AbortedStreaming | AbortedTools)
    )
}
