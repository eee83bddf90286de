//! Reads information about the whole input before the conversion.

use super::input::{Input, unwrapped};
use super::input_error::InputError;
use agentwire_interop::conversion::Outline;
use agentwire_interop::session::{Line, Superseded};
use agentwire_interop::transcript::{self, Branch, History, Record, Tree};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The size of a block, in bytes. A block has at least one line.
const BLOCK: u64 = 1 << 20;

/// Finds the lines of a session that other lines supersede, and the tool calls that started
/// sub-agents.
pub(super) fn superseded(file: &Path) -> Result<Superseded, InputError> {
    let failed = |error| InputError::File {
        file: file.display().to_string(),
        error,
    };
    let mut superseded = Superseded::default();
    let mut input = File::open(file).map_err(failed)?;
    // Only lines that contain these members are parsed.
    let members = [
        &b"\"supersedes\""[..],
        b"\"isReplay\"",
        b"\"agent_id\"",
        b"\"task_started\"",
    ]
    .map(memchr::memmem::Finder::new);
    let mut text = Vec::new();
    loop {
        let old = text.len();
        let read = (&mut input).take(BLOCK).read_to_end(&mut text);
        let is_end = read.map_err(failed)? == 0;
        let end = match memchr::memrchr(b'\n', text.get(old..).unwrap_or_default()) {
            _ if is_end => text.len(),
            Some(end) => old + end + 1,
            None => continue,
        };
        let lines = text.get(..end).unwrap_or_default();
        let mut starts: Vec<usize> = members
            .iter()
            .flat_map(|word| word.find_iter(lines))
            .map(|at| memchr::memrchr(b'\n', &lines[..at]).map_or(0, |end| end + 1))
            .collect();
        starts.sort_unstable();
        starts.dedup();
        for start in starts {
            let line = lines.get(start..).unwrap_or_default();
            let line = memchr::memchr(b'\n', line).map_or(line, |end| &line[..end]);
            let line = String::from_utf8(line.to_owned()).ok();
            match line.and_then(|line| Outline::parse(line).ok()) {
                Some(line) if !line.text().starts_with('[') => {
                    if let Some(line) = unwrapped(line.without_media()) {
                        superseded.note(&Line::of_outline(&line));
                    }
                }
                // Some line is not exactly one value.
                _ => return superseded_in_values(file),
            }
        }
        if is_end {
            return Ok(superseded);
        }
        text.drain(..end);
    }
}

/// Finds superseded lines like [`superseded`], but parses every value.
fn superseded_in_values(file: &Path) -> Result<Superseded, InputError> {
    let mut superseded = Superseded::default();
    for line in Input::<Line>::open(file)? {
        match line {
            Ok(line) => superseded.note(&line),
            // Other errors are reported when the file is converted.
            Err(InputError::File { file, error }) => return Err(InputError::File { file, error }),
            Err(_) => {}
        }
    }
    Ok(superseded)
}

/// Returns the branch of a transcript on which the conversation continued.
pub(super) fn branch(file: &Path, history: History) -> Result<Branch, InputError> {
    let place = transcript::Place::of(&file.to_string_lossy());
    let mut tree = match place.and_then(|place| place.agent) {
        Some(agent) => Tree::of_agent(agent),
        None => Tree::default(),
    };
    for record in Input::<Record>::open(file)?.one_per_line() {
        match record {
            Ok(record) => tree.note(&record),
            // These errors are reported when the file is converted.
            Err(InputError::Value { .. } | InputError::Utf8 { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(tree.branch(history))
}
