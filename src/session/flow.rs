//! Whether the CLI's output is read.

use crate::mailbox::Sender;
use crate::options::{Options, WhenUnread};

/// What a chunk that was read may weigh beside the last line of it: it can be
/// many messages of a few bytes each.
const CHUNK: usize = 4 * 1024 * 1024;

/// Whether the CLI's output is read.
#[derive(Debug)]
pub(super) struct Flow {
    when_unread: WhenUnread,
    /// What may wait for a consumer that makes the reader stop.
    most: usize,
    pub(super) is_stopped: bool,
}

impl Flow {
    pub(super) fn new(options: &Options) -> Self {
        // The limit may be reached by one line, as long as lines may be.
        let beyond = options.line_limit.saturating_add(CHUNK);
        Self {
            when_unread: options.when_unread,
            most: options.unread_limit.saturating_add(beyond),
            is_stopped: false,
        }
    }

    /// Nobody reads while the session comes to its end: nothing waits for that
    /// any more.
    pub(super) fn throw_away(&mut self) {
        self.when_unread = WhenUnread::ThrowAway;
    }

    /// Looks at what waits for the consumer, who can read from the moment in
    /// which the session is in use. Says whether reading stops (`true`), goes
    /// on (`false`), or neither.
    pub(super) fn update(&mut self, consumer: &Sender, is_in_use: bool) -> Option<bool> {
        let waits = is_in_use && self.when_unread == WhenUnread::StopReading;
        consumer.keep(if waits { self.most } else { 0 });
        let stops = waits && consumer.is_full();
        let changes = stops != self.is_stopped;
        self.is_stopped = stops;
        changes.then_some(stops)
    }
}
