//! The measured protocol: cases with the normalized lines of the real CLI.

use super::{Case, CaseError, Hunk, IgnoredMembers, Normal, Recording, hunks, play};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::time::Duration;

/// The measurements in this crate. `build.rs` has replaced repeated lines by their numbers.
const SHORT: &str = include_str!(concat!(env!("OUT_DIR"), "/cli.json"));

/// The measurements of a CLI.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Golden {
    /// The CLI's version, if it reported one.
    pub version: Option<String>,
    /// The cases, sorted by name.
    pub cases: Vec<Measured>,
}

/// A case and its measurement.
#[derive(Debug)]
#[non_exhaustive]
pub struct Measured {
    /// The case.
    pub case: Case,
    /// The lines of the case's recording, normalized by [`Normal`].
    pub lines: Vec<String>,
}

/// The result of a case.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The differences from the measurement. A session that ended early has at
    /// least one.
    pub differences: Vec<Hunk>,
    /// Why the session did not complete, as in [`Recording`].
    pub stuck: Option<String>,
    /// The next step of the host, as in [`Recording`].
    pub remaining: Option<String>,
    /// The end of the CLI's standard error.
    pub stderr: String,
}

/// The format of a file of measurements.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: Option<String>,
    cases: BTreeMap<String, Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    case: Value,
    lines: Vec<String>,
}

/// An invalid file of measurements.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// The text is not the output of [`Golden::to_json`].
    #[error(transparent)]
    Parse(#[from] serde_json::Error),
    /// A case is invalid.
    #[error(transparent)]
    Case(#[from] CaseError),
}

impl Golden {
    /// Returns the measurements of the real CLI in this crate.
    ///
    /// # Errors
    ///
    /// Fails only if the file was edited by hand.
    pub fn embedded() -> Result<Self, GoldenError> {
        let mut lines: Vec<&str> = vec![];
        let mut text = String::new();
        for line in SHORT.lines() {
            let number = line.strip_prefix('\u{1}');
            let number = number.and_then(|number| number.parse::<usize>().ok());
            match number.and_then(|number| lines.get(number)) {
                Some(line) => text += line,
                None => {
                    text += line;
                    lines.push(line);
                }
            }
            text += "\n";
        }
        Self::from_json(&text)
    }

    /// Parses the output of [`to_json`](Self::to_json).
    ///
    /// # Errors
    ///
    /// Fails if the text is not the output of [`to_json`](Self::to_json).
    pub fn from_json(text: &str) -> Result<Self, GoldenError> {
        let file: File = serde_json::from_str(text)?;
        let cases = file.cases.into_iter().map(|(name, entry)| {
            Ok(Measured {
                case: Case::from_json(&name, &entry.case.to_string())?,
                lines: entry.lines,
            })
        });
        Ok(Self {
            version: file.version,
            cases: cases.collect::<Result<_, CaseError>>()?,
        })
    }

    /// Returns JSON with one line for each case and for each line of its
    /// recording.
    ///
    /// # Errors
    ///
    /// No error is expected, because every value can be serialized.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let mut text = format!(
            "{{\"version\":{},\"cases\":{{",
            serde_json::to_string(&self.version)?
        );
        for (number, measured) in self.cases.iter().enumerate() {
            let name = serde_json::to_string(measured.case.name())?;
            let case = serde_json::to_string(measured.case.file())?;
            let before = if number == 0 { "" } else { "," };
            text += &format!("{before}\n{name}:{{\"case\":{case},\"lines\":[");
            for (number, line) in measured.lines.iter().enumerate() {
                let before = if number == 0 { "" } else { "," };
                text += &format!("{before}\n  {}", serde_json::to_string(line)?);
            }
            text += "]}";
        }
        Ok(text + "}}\n")
    }

    /// Adds a case with its recording as the measurement.
    ///
    /// # Errors
    ///
    /// Fails if the session did not complete.
    pub fn add(&mut self, case: Case, recording: &Recording) -> Result<(), String> {
        let ends = recording.stuck.iter().chain(&recording.remaining);
        let why: Vec<_> = ends.map(String::as_str).collect();
        if !why.is_empty() {
            return Err(why.join("; "));
        }
        let rules = IgnoredMembers::embedded().map_err(|error| error.to_string())?;
        let lines = Normal::new(&case, &rules).lines(&recording.entries);
        if self.version.is_none() {
            self.version = recording.version();
        }
        self.cases.push(Measured { case, lines });
        Ok(())
    }
}

impl Measured {
    /// Plays the case to a CLI and compares the recording.
    ///
    /// # Errors
    ///
    /// The errors of [`play`].
    pub async fn run(&self, cli: &[OsString], deadline: Duration) -> io::Result<Outcome> {
        let recording = play(&self.case, cli, deadline).await?;
        let rules = IgnoredMembers::embedded()?;
        let lines = Normal::new(&self.case, &rules).lines(&recording.entries);
        Ok(Outcome {
            differences: hunks(&self.lines, &lines),
            stuck: recording.stuck,
            remaining: recording.remaining,
            stderr: recording.stderr,
        })
    }
}
