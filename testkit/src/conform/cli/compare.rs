//! Compares a CLI with the fake agent.

use super::{AcceptedDifference, Case, Hunk, IgnoredMembers, Normal, hunks, play};
use std::ffi::OsString;
use std::io;
use std::time::Duration;

/// The result of a case.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The differences from the fake agent, without the accepted ones. A session
    /// that ended early has at least one.
    pub differences: Vec<Hunk>,
    /// Why the session did not complete, as in [`Recording`](super::Recording).
    /// Also set if the fake agent cannot play the case.
    pub stuck: Option<String>,
    /// The next step of the host, as in [`Recording`](super::Recording).
    pub remaining: Option<String>,
    /// The end of the CLI's standard error.
    pub stderr: String,
}

/// Plays a case to a CLI and to the fake agent at the same time, and compares
/// their lines. The differences that [`AcceptedDifference::embedded`] lists are
/// not reported.
///
/// Both are a program and its first arguments, as for [`play`].
///
/// # Errors
///
/// The errors of [`play`].
pub async fn compare(
    case: &Case,
    fake_agent: &[OsString],
    cli: &[OsString],
    deadline: Duration,
) -> io::Result<Outcome> {
    let rules = IgnoredMembers::embedded()?;
    let accepted = AcceptedDifference::embedded()?;
    let (fake, found) =
        tokio::try_join!(play(case, fake_agent, deadline), play(case, cli, deadline))?;
    let lines = |entries: &[_]| Normal::new(case, &rules).lines(entries);
    let mut differences = hunks(&lines(&fake.entries), &lines(&found.entries));
    differences.retain(|hunk| !accepted.iter().any(|it| it.matches(case.name(), hunk)));
    let unplayable = fake.stuck.or(fake.remaining);
    let unplayable = unplayable.map(|why| format!("the fake agent cannot play the case: {why}"));
    Ok(Outcome {
        differences,
        stuck: unplayable.or(found.stuck),
        remaining: found.remaining,
        stderr: found.stderr,
    })
}
