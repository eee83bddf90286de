//! The processes of a session, except the CLI itself.

use super::table::{Process, Table};
use agentwire_protocol::sorted::SortedMap;

/// All processes that the session of one child started.
///
/// A process belongs to the session if it is in the child's process group, descends from the
/// child or from a process found earlier, or has the session's name in its environment. None of
/// these finds all processes. Ancestry is lost when parents exit, so call [`update`](Self::look)
/// before each step that may end processes.
#[derive(Debug)]
pub(super) struct Descendants {
    session: String,
    /// The child, until it is reaped: before, its PID is not reused.
    root: Option<u32>,
    /// The processes alive at the last look: start times by PID.
    remaining: SortedMap<u32, u64>,
}

impl Descendants {
    pub(super) fn new(root: u32, session: &str) -> Self {
        Self {
            session: session.into(),
            root: Some(root),
            remaining: SortedMap::new(),
        }
    }

    /// Finds the descendants again in a new table.
    pub(super) fn update(&mut self, table: &Table) {
        let mut found: Vec<&Process> = vec![];
        if let Some(root) = self.root {
            found.extend(table.get(root));
            found.extend(table.group(root));
        }
        found.extend(table.session(&self.session));
        for (pid, start) in self.remaining.entries() {
            let same = table.get(*pid);
            found.extend(same.filter(|it| it.start == *start));
        }
        let mut ours = SortedMap::new();
        while let Some(process) = found.pop() {
            if ours.insert(process.pid, process.start).is_none() {
                // Windows retains the PID of an exited parent, and a younger process may have
                // reused it.
                let children = table.children(process.pid);
                found.extend(children.filter(|child| child.start >= process.start));
            }
        }
        // The ladder handles the child itself.
        if let Some(root) = self.root {
            ours.remove(&root);
        }
        self.remaining = ours;
    }

    /// Returns the child's PID while it cannot have been reused.
    pub(super) fn root(&self) -> Option<u32> {
        self.root
    }

    /// Drops the child's PID. Must be called when the child is reaped, because the PID may then be
    /// reused.
    pub(super) fn forget_root(&mut self) {
        self.root = None;
    }

    /// Returns the processes alive at the last look: start times by PID.
    pub(super) fn remaining(&self) -> &SortedMap<u32, u64> {
        &self.remaining
    }

    /// Returns the PIDs of the processes alive at the last look.
    pub(super) fn pids(&self) -> Vec<u32> {
        self.remaining.keys().copied().collect()
    }
}
