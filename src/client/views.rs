//! Queries and clients, read as messages or as text.

use super::{Client, Query};
use crate::event::Mailbox;
use crate::handle::{Events, Messages, TextStream};

impl Events for Query {
    fn mailbox(&mut self) -> &mut Mailbox {
        self.client_mut().mailbox_mut()
    }
}

impl Events for &mut Client {
    fn mailbox(&mut self) -> &mut Mailbox {
        self.mailbox_mut()
    }
}

impl Query {
    /// Returns the messages of the session, without its other events.
    #[must_use]
    pub fn messages(self) -> Messages<Self> {
        Messages::new(self)
    }

    /// Returns the text of the response.
    #[must_use]
    pub fn texts(self) -> TextStream<Self> {
        TextStream::new(self)
    }
}

impl Client {
    /// Returns the messages of the session, without its other events. When it is
    /// dropped, the client's stream goes on where it was.
    #[doc(alias = "receive_messages")]
    pub fn messages(&mut self) -> Messages<&mut Self> {
        Messages::new(self)
    }
}
