//! Streams of messages and of text.

use super::subscription::Subscription;
use super::turn::Turn;
use crate::event::{Error, Event, Mailbox, Notice};
use agentwire_protocol::message::Pieces;
use agentwire_protocol::{Frame, Message};
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The messages of a session, without its other events.
///
/// Returned by [`Query::messages`](crate::Query::messages), [`Turn::messages`],
/// [`Subscription::messages`] and [`Client::messages`](crate::Client::messages). Discarded
/// events and the end of the session are errors: the stream continues after [`Error::Lagged`],
/// and ends after any other error.
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
/// Returned by [`Handle::texts`](crate::Handle::texts), [`Query::texts`](crate::Query::texts)
/// and [`Turn::texts`]. Text arrives in pieces with
/// [`Options::partial_messages`](crate::Options::partial_messages), and otherwise once per
/// message.
///
/// The stream continues after [`Error::Lagged`], which reports discarded text, and after
/// [`Error::FailedTurn`], which reports a turn that ended with an error other than an
/// interrupt. It ends after any other error.
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

    /// Returns the next message or error; `None` after the end of the session.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no message is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Lagged`] if events were discarded; the error that ended the session, once.
    pub async fn next(&mut self) -> Option<Result<Message, Error>> {
        let Self { events, frame } = self;
        let mailbox = events.mailbox();
        mailbox
            .next_of(|mailbox, context| poll_message(frame, mailbox, context))
            .await
    }

    /// Returns the frame of the last message: its bytes and its [faults](Frame::faults).
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
    let frame = match ready!(poll_frame(mailbox, context)) {
        Some(Ok(frame)) => last.insert(frame),
        Some(Err(error)) => return Poll::Ready(Some(Err(error))),
        None => return Poll::Ready(None),
    };
    Poll::Ready(Some(Ok(frame.message())))
}

/// Returns the next frame or error, skipping other events.
fn poll_frame(
    mailbox: &mut Mailbox,
    context: &mut Context<'_>,
) -> Poll<Option<Result<Frame, Error>>> {
    loop {
        return Poll::Ready(match ready!(mailbox.poll_next_without_requests(context)) {
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

    /// Returns the next piece of text or error; `None` after the end of the session.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no text is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Lagged`] if text was discarded; [`Error::FailedTurn`] if a turn ended with an
    /// error; the error that ended the session, once.
    pub async fn next(&mut self) -> Option<Result<String, Error>> {
        let Self { events, pieces } = self;
        let mailbox = events.mailbox();
        mailbox
            .next_of(|mailbox, context| poll_text(pieces, mailbox, context))
            .await
    }
}

impl<S: Events> Stream for TextStream<S> {
    type Item = Result<String, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { events, pieces } = self.get_mut();
        poll_text(pieces, events.mailbox(), context)
    }
}

fn poll_text(
    pieces: &mut Pieces,
    mailbox: &mut Mailbox,
    context: &mut Context<'_>,
) -> Poll<Option<Result<String, Error>>> {
    loop {
        return Poll::Ready(match ready!(poll_frame(mailbox, context)) {
            Some(Ok(frame)) => match pieces.text(&frame).transpose() {
                Some(text) => Some(text.map_err(Error::from)),
                None => continue,
            },
            Some(Err(error)) => Some(Err(error)),
            None => None,
        });
    }
}
