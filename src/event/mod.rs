//! Events, notices and errors of a session, and the mailbox of each stream.

mod busy;
mod demand;
mod error;
mod ignored_option;
mod mailbox;
mod notice;
mod queue;
mod request;
mod restart;
mod status;
mod summary;
mod unread;

pub use busy::Busy;
pub(crate) use demand::{Demand, Wanted};
pub use error::{AttachError, EndReason, Error, SessionEnd};
pub use ignored_option::IgnoredOption;
pub(crate) use mailbox::{Mailbox, Room, Sender, mailbox, unused_mailbox};
pub use notice::Notice;
pub(crate) use request::Unanswered;
pub use request::{PendingRequest, RequestKind};
pub use restart::{Restart, RestartReason};
pub use status::SessionStatus;
pub use summary::{CallbackFailure, RequestSummary};
pub use unread::{StreamKind, Unread, UnreadStream};

use agentwire_protocol::Frame;
use agentwire_protocol::host::{Activity, SessionUpdate, TurnEvent};
use agentwire_protocol::message::BackgroundTask;

/// An event of a session, in the order of the wire.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A message from the agent. [`Frame::message`] parses it into its typed form, if the type is
    /// known.
    Frame(Frame),
    /// A turn started, picked up a message, or ended. A start precedes the frame that causes it; an
    /// end follows it.
    Turn(TurnEvent),
    /// Session metadata changed: its ID, model or title.
    Session(SessionUpdate),
    /// The current set of background tasks.
    Background(Vec<BackgroundTask>),
    /// The session became busy or idle, or requires action.
    Activity(Activity),
    /// The agent's process has exited, because the agent was put to sleep
    /// ([`Handle::sleep`](crate::Handle::sleep)).
    Asleep,
    /// The agent was restarted: the session continues in another process.
    Restarted(Box<Restart>),
    /// A problem that does not end the session.
    Notice(Notice),
    /// A request of the agent that you answer with
    /// [`Handle::respond`](crate::Handle::respond). Only with
    /// [`Options::requests_in_stream`](crate::Options::requests_in_stream).
    Request(PendingRequest),
    /// A request in the streams is no longer pending: it was answered by
    /// [`Handle::respond`](crate::Handle::respond), or denied because no stream delivered it.
    RequestAnswered {
        /// The request ID.
        request_id: Box<str>,
    },
    /// The agent withdrew a request in the streams. It takes no response.
    RequestWithdrawn {
        /// The request ID.
        request_id: Box<str>,
    },
}

/// The overhead of each event.
const OVERHEAD: usize = 256;

/// The size of a session update: the agent's metadata.
const SESSION: usize = 8 * 1024;

impl Event {
    /// Returns the size of an unread event for limits.
    pub(crate) fn weight(&self) -> usize {
        OVERHEAD + self.size()
    }

    /// Returns the bytes from the wire that an event contains.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Frame(frame) => frame.raw().len(),
            // The result was also delivered as a frame, and shares its bytes.
            Self::Restarted(restart) => restart.size(),
            Self::Asleep | Self::Activity(_) | Self::Turn(_) => 0,
            Self::RequestAnswered { .. } | Self::RequestWithdrawn { .. } => 0,
            Self::Request(request) => request.size,
            Self::Session(SessionUpdate::Auth(update)) => update.size(),
            Self::Session(_) => SESSION,
            Self::Background(tasks) => tasks.len() * OVERHEAD,
            Self::Notice(notice) => notice.size(),
        }
    }
}
