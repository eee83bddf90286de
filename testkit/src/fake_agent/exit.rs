//! How the fake agent exits when it cannot go on: what it says on standard
//! error, and the status.

use super::environment::LOG;
use std::io::{self, Write};
use std::process::exit;

/// The exit status when the host did not do what the scenario
/// [expects](crate::Expect).
pub const UNEXPECTED: i32 = 64;

/// The exit status when the script or the log cannot be used, or there is no
/// such clock or profile.
pub(super) const USAGE: i32 = 2;

/// Says this, and exits with this status.
pub(super) fn complain(message: &str, code: i32) -> ! {
    drop(writeln!(io::stderr(), "{message}"));
    exit(code)
}

/// Says that the log cannot be written, and exits.
pub(super) fn no_log(error: &io::Error) -> ! {
    complain(
        &format!("fake-agent: {LOG} cannot be written: {error}"),
        USAGE,
    )
}
