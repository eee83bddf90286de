//! What a session delivers, and how it waits to be read: events, notices,
//! errors, and the mailbox of each stream.

mod asked;
mod demand;
mod error;
mod ignored_option;
mod mailbox;
mod notice;
mod unread;

pub use asked::{Asked, CallbackFailure};
pub(crate) use demand::{Demand, Wanted};
pub use error::{AttachError, EndReason, Error, SessionEnd};
pub use ignored_option::IgnoredOption;
pub(crate) use mailbox::{Mailbox, Room, Sender, mailbox, unused_mailbox};
pub use notice::Notice;
pub use unread::{StreamKind, Unread, UnreadStream};

use agentwire_protocol::Frame;
use agentwire_protocol::host::{Activity, SessionUpdate, TurnEvent};
use agentwire_protocol::message::BackgroundTask;

/// Something that a session delivers, in the order of the wire.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A message of the agent's, of a known type or not. Its typed form is
    /// read when it is asked for: [`Frame::message`].
    Frame(Frame),
    /// A turn began, took a message up, or ended. What begins is told before
    /// the frame that begins it, what ends after the frame that ends it.
    Turn(TurnEvent),
    /// The session is not what it was: its id, its model, its title.
    Session(SessionUpdate),
    /// These tasks run in the background, and no others.
    Background(Vec<BackgroundTask>),
    /// The session began to work, to rest, or to wait for somebody.
    Activity(Activity),
    /// Something is not as it should be, and the session goes on.
    Notice(Notice),
}

/// What an event weighs beside what it holds from the wire.
const OVERHEAD: usize = 256;

/// What news of the session weighs: the agent's description of itself.
const SESSION: usize = 8 * 1024;

impl Event {
    /// The bytes that an event counts for while it is unread.
    pub(crate) fn weight(&self) -> usize {
        OVERHEAD + self.size()
    }

    /// The bytes from the wire that an event holds.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Frame(frame) => frame.raw().len(),
            // The result has come as a frame, which shares its bytes.
            Self::Activity(_) | Self::Turn(_) => 0,
            Self::Session(SessionUpdate::Auth(news)) => news.size(),
            Self::Session(_) => SESSION,
            Self::Background(tasks) => tasks.len() * OVERHEAD,
            Self::Notice(notice) => notice.size(),
        }
    }
}
