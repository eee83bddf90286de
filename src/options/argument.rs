//! A flag of the CLI: how it is kept until it is passed.

use crate::event::Error;
use std::ffi::OsString;

/// A flag of the CLI, with its value if it takes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(super) flag: String,
    pub(super) value: Option<OsString>,
    /// Why it cannot be passed, where that was seen when it was set.
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

    /// The argument as it is passed.
    pub(super) fn join(&self) -> Result<String, Error> {
        let problem = |problem: &str| Err(Error::option(&self.flag, problem));
        if let Some(why) = &self.problem {
            return problem(why);
        }
        if !self.flag.starts_with('-') {
            return problem("is no flag: it does not begin with `-`");
        }
        let joined = match &self.value {
            Some(value) => match value.to_str() {
                Some(value) => format!("{}={value}", self.flag),
                None => return problem("is not UTF-8, which the CLI's arguments are"),
            },
            None => self.flag.clone(),
        };
        if joined.contains('\0') {
            return problem("has a NUL character, which no argument can hold");
        }
        Ok(joined)
    }
}
