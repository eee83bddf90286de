//! `agentwire sessions search`.

use super::error::SessionsError;
use super::stored::{Stored, transcript};
use agentwire::permission::visible::line;
use agentwire_history::ListSessions;
use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::transcript::{Author, Entry, Record};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;

/// The maximum length of a line in bytes. Longer lines are skipped, because only lines with
/// images are that long.
const MAX_LINE: u64 = 32 << 20;

/// The number of characters that are printed before and after a hit.
const CONTEXT: usize = 40;

/// Nothing was found.
const NOT_FOUND: u8 = 1;

/// Search the prompts and responses of all sessions
///
/// Prints the session ID, the message ID and an excerpt for each message that contains the text,
/// ignoring case. Messages from before a compaction and of abandoned branches are searched too;
/// tool calls, their results, sub-agents and the agent's own notes are not. Exit status: 1 if
/// nothing was found.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The text, without line breaks
    text: String,

    #[command(flatten)]
    stored: Stored,
}

pub(super) fn search(arguments: &Arguments) -> Result<ExitCode, SessionsError> {
    let history = arguments.stored.history()?;
    let needle = LowerCase::of(&arguments.text).text;
    let mut output = io::stdout().lock();
    let mut is_found = false;
    for session in history.list_sessions(&ListSessions::new())? {
        let id = session.session_id;
        let path = match transcript(&history, &id) {
            // The session was deleted after it was listed.
            Err(SessionsError::NotFound { .. }) => continue,
            path => path?,
        };
        let mut print = |uuid: &str, hit: &str| {
            is_found = true;
            writeln!(output, "{id}  {}  {}", line(uuid), line(hit))
        };
        search_in(&path, &needle, &mut print)?;
    }
    Ok(match is_found {
        true => ExitCode::SUCCESS,
        false => NOT_FOUND.into(),
    })
}

/// Calls `found` with the ID and an excerpt of each message that contains the text.
fn search_in(
    path: &Path,
    needle: &str,
    found: &mut impl FnMut(&str, &str) -> io::Result<()>,
) -> Result<(), SessionsError> {
    let mut file = match File::open(path) {
        Ok(file) => BufReader::with_capacity(1 << 16, file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(SessionsError::input(path)(error)),
    };
    let mut text = Vec::new();
    while read_line(&mut file, &mut text).map_err(SessionsError::input(path))? {
        let Ok(record) = Record::read(&String::from_utf8_lossy(&text)) else {
            continue;
        };
        let hit = texts(&record).find_map(|text| {
            let mut lines = text.lines();
            lines.find_map(|line| excerpt(line, needle))
        });
        if let Some(hit) = hit {
            found(record.uuid().unwrap_or_default(), &hit)?;
        }
    }
    Ok(())
}

/// Reads a line. A line that is too long is read as an empty one. Returns `false` at the end
/// of the file.
fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    let mut read = || {
        line.clear();
        let read = file.by_ref().take(MAX_LINE).read_until(b'\n', line)?;
        io::Result::Ok((read, read as u64 == MAX_LINE && line.last() != Some(&b'\n')))
    };
    let (first, mut is_partial) = read()?;
    let is_long = is_partial;
    while is_partial {
        (_, is_partial) = read()?;
    }
    if is_long {
        line.clear();
    }
    Ok(first > 0)
}

/// Returns the texts of a prompt or a response of the model.
fn texts(record: &Record) -> Box<dyn Iterator<Item = &str> + '_> {
    match record.entry() {
        Entry::User(entry) if entry.author() == Author::Person => {
            Box::new(entry.message.content.iter().flat_map(Content::texts))
        }
        Entry::Assistant(entry) => {
            let blocks = entry.message.content.iter();
            Box::new(blocks.filter_map(ContentBlock::as_text))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// A text in lower case, with the index in the original text of each of its bytes.
struct LowerCase {
    text: String,
    from: Vec<usize>,
}

impl LowerCase {
    fn of(text: &str) -> Self {
        let mut lowered = Self {
            text: String::with_capacity(text.len()),
            from: Vec::with_capacity(text.len()),
        };
        for (at, char) in text.char_indices() {
            lowered.text.extend(char.to_lowercase());
            lowered.from.resize(lowered.text.len(), at);
        }
        lowered
    }
}

/// Returns an excerpt of a line around the text, or `None` if the line does not contain the
/// text.
fn excerpt(line: &str, needle: &str) -> Option<String> {
    let lowered = LowerCase::of(line);
    let at = lowered.text.find(needle)?;
    let start = lowered.from.get(at).copied().unwrap_or(line.len());
    let end = lowered.from.get(at + needle.len()).copied();
    let end = end.unwrap_or(line.len());
    let before = line[..start].char_indices().rev().take(CONTEXT).last();
    let before = before.map_or(start, |(at, _)| at);
    let after = line[end..].char_indices().nth(CONTEXT);
    let after = after.map_or(line.len(), |(at, _)| end + at);
    let (cut_before, cut_after) = (
        if before > 0 { "…" } else { "" },
        if after < line.len() { "…" } else { "" },
    );
    Some(format!("{cut_before}{}{cut_after}", &line[before..after]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn search_ignores_case() {
        assert_eq!(
            excerpt("Größe ÄRGER", "ärger").as_deref(),
            Some("Größe ÄRGER")
        );
        assert_eq!(
            excerpt("İstanbul!", &LowerCase::of("İS").text).as_deref(),
            Some("İstanbul!")
        );
        assert_eq!(excerpt("crab", "lobster"), None);
        assert_eq!(excerpt("", "").as_deref(), Some(""));
    }

    #[test]
    fn an_excerpt_of_a_long_line_is_cut_around_the_text() {
        let long = format!("{}crab{}", "ü".repeat(100), "🦀".repeat(100));
        let expected = format!("…{}crab{}…", "ü".repeat(CONTEXT), "🦀".repeat(CONTEXT));
        assert_eq!(excerpt(&long, "crab"), Some(expected));
    }

    #[test]
    fn lines_are_read_one_by_one() {
        let mut text = &b"a\n\nb"[..];
        let mut line = Vec::new();
        let mut read = Vec::new();
        while read_line(&mut text, &mut line).unwrap() {
            read.push(line.clone());
        }
        assert_eq!(read, [&b"a\n"[..], b"\n", b"b"]);
    }
}
