//! The files that the fake Codex reads and writes.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// The files of a fake Codex: those that patches change, and stored threads.
pub trait Disk: Debug + Send {
    /// Returns the text of a file, if it can be read.
    fn read(&self, path: &str) -> Option<String>;
    /// Writes a file, and creates its folder. Failures are ignored.
    fn write(&mut self, path: &str, text: &str);
    /// Removes a file. Failures are ignored.
    fn remove(&mut self, path: &str);
    /// Returns the paths of the files in a folder.
    fn list(&self, folder: &str) -> Vec<String>;
}

/// Files in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryDisk(BTreeMap<String, String>);

impl Disk for MemoryDisk {
    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn write(&mut self, path: &str, text: &str) {
        self.0.insert(path.to_owned(), text.to_owned());
    }

    fn remove(&mut self, path: &str) {
        self.0.remove(path);
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let is_in = |path: &&String| path.rsplit_once('/').is_some_and(|it| it.0 == folder);
        self.0.keys().filter(is_in).cloned().collect()
    }
}
