//! What outlives the agent's processes: its transcript, and what the simulation
//! noted of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// The disk of a simulated machine. All clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<Kept>>);

#[derive(Default)]
pub(crate) struct Kept {
    /// The number of processes so far.
    pub(crate) processes: usize,
    /// Whether there is a transcript.
    pub(crate) exists: bool,
    /// The messages in the transcript.
    pub(crate) messages: BTreeSet<String>,
    /// The messages of its last turn, if that is not over.
    pub(crate) open_turn: Vec<String>,
    /// How often a turn with this message came to its end and was written down.
    pub(crate) completed: BTreeMap<String, usize>,
    /// The messages whose turn came to its end, written down or not.
    pub(crate) done: BTreeSet<String>,
    /// The messages of which the user was told that a turn has picked them up,
    /// and in which process.
    pub(crate) started: BTreeMap<String, usize>,
    /// Whether turns that are cut off are handed back.
    pub(crate) hands_back: bool,
    /// Messages that are over, as far as the user was told.
    pub(crate) over: BTreeSet<String>,
    /// The number in the model's name that the host was last told is set.
    pub(crate) model: usize,
    /// The calls of permission callbacks, and those that have ended.
    pub(crate) asked: BTreeSet<String>,
    pub(crate) answered: BTreeSet<String>,
}

impl Disk {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap()
    }
}
