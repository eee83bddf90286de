//! Limits the stored bodies of requests.

use super::request::ModelRequest;
use std::collections::VecDeque;

/// The maximum total size of stored bodies in bytes. Bodies of the oldest
/// requests are removed first.
pub(super) const MAX_STORED_BODIES: usize = 256 << 20;

/// The sizes of the stored bodies, by the index of their request.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    sizes: VecDeque<(usize, usize)>,
    bytes: usize,
}

impl Bodies {
    /// Stores a body, and removes old ones that exceed the limit.
    pub(super) fn store(&mut self, requests: &mut [ModelRequest], index: usize, bytes: usize) {
        self.sizes.push_back((index, bytes));
        self.bytes += bytes;
        while self.bytes > MAX_STORED_BODIES
            && let Some((oldest, bytes)) = self.sizes.pop_front()
        {
            self.bytes -= bytes;
            requests[oldest].body = None;
        }
    }
}
