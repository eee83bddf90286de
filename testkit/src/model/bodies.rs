//! The bodies of requests, of which no more are kept than have room.

use super::request::ModelRequest;
use std::collections::VecDeque;

/// How many bytes the bodies may have together that are kept. Those of the
/// oldest requests go first.
pub(super) const KEPT_BODIES: usize = 256 << 20;

/// How long the bodies are that are kept, by the place of their requests.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    kept: VecDeque<(usize, usize)>,
    bytes: usize,
}

impl Bodies {
    /// One more is kept. Those that are not kept for that go.
    pub(super) fn keep(&mut self, requests: &mut [ModelRequest], place: usize, bytes: usize) {
        self.kept.push_back((place, bytes));
        self.bytes += bytes;
        while self.bytes > KEPT_BODIES
            && let Some((oldest, bytes)) = self.kept.pop_front()
        {
            self.bytes -= bytes;
            requests[oldest].body = None;
        }
    }
}
