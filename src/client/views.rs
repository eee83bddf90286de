//! Messages and text of queries and clients.

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

    /// Returns the text of the reply.
    #[must_use]
    pub fn texts(self) -> TextStream<Self> {
        TextStream::new(self)
    }
}

impl Client {
    /// Returns the messages of the session, without its other events. After it is dropped, the
    /// client's stream continues from there.
    #[doc(alias = "receive_messages")]
    pub fn messages(&mut self) -> Messages<&mut Self> {
        Messages::new(self)
    }
}
