//! The measured protocol: cases, and what the real CLI made of each.

use super::{Case, CaseError, Hunk, LeftOut, Normal, Recording, hunks, play};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::time::Duration;

/// What this crate comes with.
const FILE: &str = include_str!("../../../conform/cli.json");

/// What a CLI made of each case.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Golden {
    /// The version that the CLI gave, if it did.
    pub version: Option<String>,
    /// The cases, in the order of their names.
    pub cases: Vec<Measured>,
}

/// A case, and what was measured.
#[derive(Debug)]
#[non_exhaustive]
pub struct Measured {
    /// The case.
    pub case: Case,
    /// The lines of its recording, as [`Normal`] makes them.
    pub lines: Vec<String>,
}

/// What a CLI made of a case.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Where it departs from what was measured. A session that did not come
    /// to its end departs somewhere, if it is only there.
    pub differences: Vec<Hunk>,
    /// As in the [`Recording`].
    pub stuck: Option<String>,
    /// As in the [`Recording`].
    pub left: Option<String>,
    /// The end of what the CLI wrote to standard error.
    pub complaints: String,
}

/// The file.
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

/// A golden file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// It is not what [`Golden::to_json`] writes.
    #[error(transparent)]
    Parse(#[from] serde_json::Error),
    /// It has a case that makes no sense.
    #[error(transparent)]
    Case(#[from] CaseError),
}

impl Golden {
    /// What the real CLI made of the cases that come with this crate.
    ///
    /// # Errors
    ///
    /// Never, unless somebody has edited the file.
    pub fn embedded() -> Result<Self, GoldenError> {
        Self::from_json(FILE)
    }

    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    ///
    /// When the text is something else.
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

    /// Writes JSON: a line for each case, and one for each line of its recording.
    ///
    /// # Errors
    ///
    /// None that is known: everything in it can be written as JSON.
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

    /// Adds a case, and what the CLI made of it that is the measure.
    ///
    /// # Errors
    ///
    /// Why the recording is no measure: the session did not come to its end.
    pub fn add(&mut self, case: Case, recording: &Recording) -> Result<(), String> {
        let ends = recording.stuck.iter().chain(&recording.left);
        let why: Vec<_> = ends.map(String::as_str).collect();
        if !why.is_empty() {
            return Err(why.join("; "));
        }
        let rules = LeftOut::embedded().map_err(|error| error.to_string())?;
        let lines = Normal::new(&case, &rules).lines(&recording.entries);
        if self.version.is_none() {
            self.version = recording.version();
        }
        self.cases.push(Measured { case, lines });
        Ok(())
    }
}

impl Measured {
    /// Plays the case to a CLI, and compares.
    ///
    /// # Errors
    ///
    /// As [`play`].
    pub async fn hold(&self, cli: &[OsString], deadline: Duration) -> io::Result<Outcome> {
        let recording = play(&self.case, cli, deadline).await?;
        let rules = LeftOut::embedded()?;
        let lines = Normal::new(&self.case, &rules).lines(&recording.entries);
        Ok(Outcome {
            differences: hunks(&self.lines, &lines),
            stuck: recording.stuck,
            left: recording.left,
            complaints: recording.complaints,
        })
    }
}
