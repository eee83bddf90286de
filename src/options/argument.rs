//! CLI flags, as stored until they are passed.

use crate::event::Error;
use std::ffi::OsString;

/// A CLI flag with its value, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(super) flag: String,
    pub(super) value: Option<OsString>,
    /// The reason why the flag cannot be passed, if its setter has detected a
    /// problem.
    pub(super) problem: Option<String>,
}

impl Argument {
    pub(super) fn new(flag: impl Into<String>, value: Option<OsString>) -> Self {
        Self {
            flag: flag.into(),
            value,
            problem: None,
        }
    }

    /// Returns the argument as it is passed.
    pub(super) fn join(&self) -> Result<String, Error> {
        let problem = |problem: &str| Err(Error::option(&self.flag, problem));
        if let Some(why) = &self.problem {
            return problem(why);
        }
        if !self.flag.starts_with('-') {
            return problem("is not a flag: it does not start with `-`");
        }
        let joined = match &self.value {
            Some(value) => match value.to_str() {
                Some(value) => format!("{}={value}", self.flag),
                None => return problem("is not valid UTF-8, which CLI arguments must be"),
            },
            None => self.flag.clone(),
        };
        if joined.contains('\0') {
            return problem("contains a NUL character, which arguments cannot contain");
        }
        Ok(joined)
    }
}
