//! The file of results: one JSON object per line. Each line is written at once, so that
//! an interrupted batch continues where it was.

use crate::rating::Rating;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// The result of a line of the input. If a line was tried in several runs, the
/// last result counts.
#[derive(Debug, Serialize, Deserialize)]
pub struct Line {
    /// The line of the input, counted from 1.
    pub number: usize,
    pub review: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub cost_usd: f64,
    pub tries: u32,
}

pub struct Results {
    file: File,
    done: HashSet<(usize, String)>,
    /// Returns the cost of all results in the file.
    pub cost_usd: f64,
}

impl Results {
    /// Opens or creates the file, and reads the results in it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        // A run that was killed may have left an incomplete line.
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let mut done = HashSet::new();
        let mut cost_usd = 0.0;
        for Line {
            number,
            review,
            rating,
            cost_usd: cost,
            ..
        } in lines
        {
            cost_usd += cost;
            if rating.is_some() {
                done.insert((number, review));
            }
        }
        Ok(Self {
            file,
            done,
            cost_usd,
        })
    }

    /// Returns whether an earlier run has rated this line of the input.
    pub fn has(&self, number: usize, review: &str) -> bool {
        self.done.contains(&(number, review.to_owned()))
    }

    pub fn add(&mut self, line: &Line) -> io::Result<()> {
        self.cost_usd += line.cost_usd;
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())
    }
}
