//! Exits with an error message.

use super::environment::LOG;
use std::io::{self, Write};
use std::process::exit;

/// The exit status after the host violated an [expectation](crate::Expect) of
/// the scenario.
pub const UNEXPECTED: i32 = 64;

/// The exit status for an invalid environment, script or log.
pub(crate) const USAGE: i32 = 2;

/// Prints a message to standard error and exits with this status.
pub(crate) fn exit_with(message: &str, code: i32) -> ! {
    drop(writeln!(io::stderr(), "{message}"));
    exit(code)
}

/// Prints that the log cannot be written, and exits.
pub(super) fn exit_without_log(error: &io::Error) -> ! {
    exit_with(&format!("fake-agent: cannot write `{LOG}`: {error}"), USAGE)
}
