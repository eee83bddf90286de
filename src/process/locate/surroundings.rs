//! The inputs of the search for the CLI.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The inputs of the search.
pub(super) struct Surroundings {
    pub(super) is_windows: bool,
    pub(super) home: Option<PathBuf>,
    pub(super) variable: Box<Lookup>,
}

/// Looks up the value of a variable.
pub(super) type Lookup = dyn Fn(&str) -> Option<OsString>;

impl Surroundings {
    pub(super) fn of_this_process() -> Self {
        Self {
            is_windows: cfg!(windows),
            home: env::home_dir(),
            variable: Box::new(|name| env::var_os(name)),
        }
    }

    /// Returns the value of a variable if it is set and not empty.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// Returns the file names to try for a bare name.
    pub(super) fn files(&self, name: &OsStr) -> Vec<OsString> {
        if !self.is_windows || Path::new(name).extension().is_some() {
            return vec![name.to_owned()];
        }
        let with = |ending| {
            let mut name = name.to_owned();
            name.push(ending);
            name
        };
        vec![with(".exe"), with(".cmd")]
    }
}
