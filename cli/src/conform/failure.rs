//! Why there is no report.

use std::fmt::Display;

/// Why there is no report, for people.
pub(super) type Failure = String;

pub(super) fn text(error: impl Display) -> Failure {
    error.to_string()
}
