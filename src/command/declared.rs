//! What the two sides have said of themselves, as far as requests depend on
//! it.

use crate::process::CliVersion;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// How many bytes the names of an agent's capabilities may have together. One
/// that is real has a few hundred; what is beyond is passed over.
const CAPABILITIES: usize = 64 * 1024;

/// What the agent has declared so far, and what the host has.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    capabilities: Mutex<Capabilities>,
    in_process: Mutex<BTreeSet<String>>,
    version: OnceLock<String>,
}

#[derive(Debug, Default)]
struct Capabilities {
    names: BTreeSet<String>,
    /// How long the names are together.
    bytes: usize,
}

impl Declared {
    /// The agent has these capabilities. The answer to `initialize` has some
    /// of them, and the beginning of a turn has more: what was named once is
    /// there.
    pub(crate) fn add_capabilities(&self, names: &[String]) {
        let mut known = lock(&self.capabilities);
        for name in names {
            let bytes = known.bytes + name.len();
            if bytes <= CAPABILITIES && !known.names.contains(name) {
                known.names.insert(name.clone());
                known.bytes = bytes;
            }
        }
    }

    pub(crate) fn capabilities(&self) -> Vec<String> {
        lock(&self.capabilities).names.iter().cloned().collect()
    }

    /// The agent is of this version. What was said first counts.
    pub(crate) fn set_version(&self, version: &str) {
        let _ = self.version.set(version.to_owned());
    }

    pub(crate) fn version(&self) -> Option<&str> {
        self.version.get().map(String::as_str)
    }

    /// The version, if it looks like one of Claude Code.
    pub(crate) fn cli_version(&self) -> Option<CliVersion> {
        self.version()?.parse().ok()
    }

    /// The first of these capabilities that the agent has not declared.
    pub(crate) fn first_missing(&self, needed: Vec<&'static str>) -> Option<&'static str> {
        let capabilities = lock(&self.capabilities);
        (needed.into_iter()).find(|name| !capabilities.names.contains(*name))
    }

    /// These MCP servers run inside the host. Those that were named before
    /// stay, for the agent keeps them.
    pub(crate) fn add_in_process_servers(&self, names: &[String]) {
        lock(&self.in_process).extend(names.iter().cloned());
    }

    pub(crate) fn in_process_servers(&self) -> BTreeSet<String> {
        lock(&self.in_process).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::Declared;

    #[test]
    fn the_names_of_capabilities_are_bounded_and_real_ones_stay() {
        let declared = Declared::default();
        declared.add_capabilities(&["queue_v1".into()]);
        for i in 0..100_000 {
            declared.add_capabilities(&[format!("name{i}"), "queue_v1".into()]);
        }
        let names = declared.capabilities();
        let bytes: usize = names.iter().map(String::len).sum();
        assert!(names.contains(&"queue_v1".into()) && names.contains(&"name0".into()));
        assert!(bytes <= super::CAPABILITIES, "{bytes} bytes");
    }
}
