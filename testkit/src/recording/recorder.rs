//! Records the bytes between a host and a CLI.

use super::{Entry, EntryKind, INPUT_CLOSED, RecordedLine, Scrub, Spawn};
use std::time::Instant;

/// The pipe that bytes pass through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// From the host to the CLI's standard input.
    Sent,
    /// From the CLI's standard output to the host.
    Received,
    /// From the CLI's standard error.
    Stderr,
}

/// Records bytes in chunks of any size. The recorder does no I/O; its methods
/// return the entries to append to a file.
#[derive(Debug)]
pub struct Recorder {
    started: Instant,
    scrub: Scrub,
    /// The beginnings of incomplete lines, by direction.
    partial_lines: [PartialLine; 3],
    input_closed: Option<Instant>,
}

#[derive(Debug, Default)]
struct PartialLine {
    bytes: Vec<u8>,
    /// Whether the beginning of the line is missing, so that it is discarded.
    is_incomplete: bool,
}

impl Recorder {
    /// Creates a recorder whose times begin at `started`.
    #[must_use]
    pub fn new(started: Instant, scrub: Scrub) -> Self {
        Self {
            started,
            scrub,
            partial_lines: Default::default(),
            input_closed: None,
        }
    }

    /// Records that the CLI was spawned.
    #[must_use]
    pub fn spawned(&self, now: Instant, spawn: Spawn) -> Vec<u8> {
        self.write(now, EntryKind::Spawn(spawn))
    }

    /// Records bytes that passed through a pipe.
    #[must_use]
    pub fn passed(&mut self, now: Instant, direction: Direction, bytes: &[u8]) -> Vec<u8> {
        let mut written = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            self.partial_line(direction)
                .bytes
                .extend_from_slice(&rest[..end]);
            let line = std::mem::take(self.partial_line(direction));
            if !line.is_incomplete {
                written.extend(self.line(now, direction, &line.bytes, false));
            }
            rest = &rest[end + 1..];
        }
        let partial = self.partial_line(direction);
        if !partial.is_incomplete {
            partial.bytes.extend_from_slice(rest);
        }
        written
    }

    /// Records that this many bytes were missed. The rest of the last line is
    /// discarded.
    #[must_use]
    pub fn missed(&mut self, now: Instant, direction: Direction, bytes: usize) -> Vec<u8> {
        *self.partial_line(direction) = PartialLine {
            bytes: Vec::new(),
            is_incomplete: true,
        };
        let name = match direction {
            Direction::Sent => "sent",
            Direction::Received => "received",
            Direction::Stderr => "to standard error",
        };
        self.note(now, format!("{bytes} bytes {name} were not recorded"))
    }

    /// Records the end of a pipe.
    #[must_use]
    pub fn ended(&mut self, now: Instant, direction: Direction) -> Vec<u8> {
        let partial = std::mem::take(self.partial_line(direction));
        let mut written = Vec::new();
        if !partial.bytes.is_empty() {
            written.extend(self.line(now, direction, &partial.bytes, true));
        }
        if direction == Direction::Sent {
            self.input_closed = Some(now);
            written.extend(self.note(now, INPUT_CLOSED.to_owned()));
        }
        written
    }

    /// Records the exit of the CLI, with a status or by a signal.
    #[must_use]
    pub fn exited(&self, now: Instant, code: Option<i32>, signal: Option<i32>) -> Vec<u8> {
        let after = self
            .input_closed
            .map(|closed| rounded(now.saturating_duration_since(closed).as_secs_f64()));
        let exit = super::Exit {
            code,
            signal,
            after_s: after,
        };
        self.write(now, EntryKind::Exit(exit))
    }

    fn note(&self, now: Instant, text: String) -> Vec<u8> {
        self.write(now, EntryKind::Note(text))
    }

    fn line(&self, now: Instant, from: Direction, line: &[u8], unfinished: bool) -> Vec<u8> {
        let line = RecordedLine::new(line, unfinished);
        let kind = match from {
            Direction::Sent => EntryKind::Sent(line),
            Direction::Received => EntryKind::Received(line),
            Direction::Stderr => EntryKind::Stderr(line),
        };
        self.write(now, kind)
    }

    fn write(&self, now: Instant, kind: EntryKind) -> Vec<u8> {
        let t = now.saturating_duration_since(self.started).as_secs_f64();
        let entry = Entry::new(Some(rounded(t)), kind);
        self.scrub.entry(entry).to_line()
    }

    fn partial_line(&mut self, direction: Direction) -> &mut PartialLine {
        &mut self.partial_lines[direction as usize]
    }
}

/// Rounds a time to a tenth of a millisecond.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e4).round() / 1e4
}
