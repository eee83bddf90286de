//! What a session started, apart from the CLI itself.

use super::table::{Process, Table};
use std::collections::BTreeMap;

/// Everything that the session of one child started.
///
/// What belongs to it can be seen in four ways, none of which sees all: it is in the child's
/// process group, it descends from the child, it descends from something that was seen before, or
/// the session is named in its environment. Ancestry is lost when parents end, so
/// [`look`](Self::look) has to be called before each step that may end some.
#[derive(Debug)]
pub(super) struct Descendants {
    session: String,
    /// The child, as long as it is not reaped: until then its pid is its own.
    root: Option<u32>,
    /// Those that were alive at the last look: start times by pid.
    alive: BTreeMap<u32, u64>,
}

impl Descendants {
    pub(super) fn new(root: u32, session: &str) -> Self {
        Self {
            session: session.into(),
            root: Some(root),
            alive: BTreeMap::new(),
        }
    }

    /// Finds the descendants anew, in a table that was read just now.
    pub(super) fn look(&mut self, table: &Table) {
        let root = self.root.into_iter();
        let mut found: Vec<&Process> = root
            .clone()
            .flat_map(|root| table.get(root).into_iter().chain(table.group(root)))
            .chain(table.session(&self.session))
            .chain(self.alive.iter().filter_map(|(&pid, &start)| {
                let same = table.get(pid)?;
                (same.start == start).then_some(same)
            }))
            .collect();
        let mut ours = BTreeMap::new();
        while let Some(process) = found.pop() {
            if ours.insert(process.pid, process.start).is_none() {
                // Windows keeps the pid of a parent that is gone, and that pid may have gone to
                // somebody younger since.
                let children = table.children(process.pid);
                found.extend(children.filter(|child| child.start >= process.start));
            }
        }
        // The child itself is the ladder's business.
        ours.retain(|pid, _| Some(*pid) != self.root);
        self.alive = ours;
    }

    /// The child's pid, while it surely is the child's.
    pub(super) fn root(&self) -> Option<u32> {
        self.root
    }

    /// To be called when the child is reaped: from now on its pid may be another's.
    pub(super) fn forget_root(&mut self) {
        self.root = None;
    }

    /// Those that were alive at the last look: start times by pid.
    pub(super) fn alive(&self) -> &BTreeMap<u32, u64> {
        &self.alive
    }
}
