//! The declarations of agent and host that requests depend on.

use super::configured::{Configured, Names};
use crate::process::CliVersion;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The limit for the total size of the agent's capability names, in bytes. Real agents use a
/// few hundred. Further names are ignored.
const CAPABILITIES: usize = 64 * 1024;

/// The declarations of agent and host so far.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    capabilities: Mutex<Capabilities>,
    pub(crate) configured: Configured,
    version: OnceLock<String>,
}

#[derive(Debug, Default)]
struct Capabilities {
    names: Names,
    /// The total size of the names.
    bytes: usize,
}

impl Declared {
    /// Adds capabilities of the agent. The response to `initialize` contains some of them, the
    /// start of a turn more. They are never removed.
    pub(crate) fn add_capabilities(&self, names: &[String]) {
        let mut known = lock(&self.capabilities);
        for name in names {
            let bytes = known.bytes + name.len();
            if bytes <= CAPABILITIES && !known.names.contains_key(name) {
                known.names.insert(name.clone(), ());
                known.bytes = bytes;
            }
        }
    }

    pub(crate) fn capabilities(&self) -> Vec<String> {
        lock(&self.capabilities).names.keys().cloned().collect()
    }

    /// Sets the agent's version. Later calls have no effect.
    pub(crate) fn set_version(&self, version: &str) {
        let _ = self.version.set(version.to_owned());
    }

    pub(crate) fn version(&self) -> Option<&str> {
        self.version.get().map(String::as_str)
    }

    /// Returns the version, if it has the format of Claude Code's.
    pub(crate) fn cli_version(&self) -> Option<CliVersion> {
        self.version()?.parse().ok()
    }

    /// Returns the first of these capabilities that the agent has not declared.
    pub(crate) fn first_missing(&self, needed: Vec<&'static str>) -> Option<&'static str> {
        let capabilities = lock(&self.capabilities);
        (needed.into_iter()).find(|name| !capabilities.names.contains_key(*name))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::Declared;

    #[test]
    fn capability_names_are_limited() {
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
