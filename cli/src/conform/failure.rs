//! The error that prevents a report.

use std::fmt::Display;

/// The text of an error that prevents a report.
pub(super) type Failure = String;

pub(super) fn text(error: impl Display) -> Failure {
    error.to_string()
}
