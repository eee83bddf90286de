//! State that survives the agent's processes: the transcript, and what the simulation
//! records about the processes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// The disk of a simulated machine. Clones share their contents.
#[derive(Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<DiskState>>);

#[derive(Default)]
pub(crate) struct DiskState {
    /// The number of processes so far.
    pub(crate) processes: usize,
    /// Whether a transcript exists.
    pub(crate) exists: bool,
    /// The messages in the transcript.
    pub(crate) messages: BTreeSet<String>,
    /// The messages of the last turn in the transcript, if that turn has not ended.
    pub(crate) open_turn: Vec<String>,
    /// How many ended turns in the transcript have this message.
    pub(crate) completed: BTreeMap<String, usize>,
    /// The messages whose turn has ended, in the transcript or not.
    pub(crate) done: BTreeSet<String>,
    /// The messages that were reported to the user as picked up by a turn, with the
    /// number of the process.
    pub(crate) started: BTreeMap<String, usize>,
    /// Whether interrupted turns are not resumed.
    pub(crate) returns_interrupted_turns: bool,
    /// Messages whose final state was reported to the user.
    pub(crate) finished: BTreeSet<String>,
    /// The number in the name of the model that was last confirmed as set.
    pub(crate) model: usize,
    /// The permission requests whose callback was called or has ended.
    pub(crate) called_back: BTreeSet<String>,
    pub(crate) answered: BTreeSet<String>,
}

impl Disk {
    pub(crate) fn lock(&self) -> MutexGuard<'_, DiskState> {
        self.0.lock().unwrap()
    }
}
