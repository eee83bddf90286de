//! Makes a recording of what passes by.

use super::{Entry, INPUT_CLOSED, Said, Scrub, Spawn, What};
use std::time::Instant;

/// Whose bytes they are.
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

/// Makes a recording of the bytes that pass by, in chunks of any size. It does
/// no I/O: what it gives is to be appended to a file.
#[derive(Debug)]
pub struct Recorder {
    started: Instant,
    scrub: Scrub,
    /// What has come of lines that have not ended, by direction.
    halves: [Half; 3],
    input_closed: Option<Instant>,
}

#[derive(Debug, Default)]
struct Half {
    bytes: Vec<u8>,
    /// Whether the beginning of the line was missed, so that it is no line.
    missed: bool,
}

impl Recorder {
    /// Records from now on.
    #[must_use]
    pub fn new(started: Instant, scrub: Scrub) -> Self {
        Self {
            started,
            scrub,
            halves: Default::default(),
            input_closed: None,
        }
    }

    /// The CLI is started.
    #[must_use]
    pub fn spawned(&self, now: Instant, spawn: Spawn) -> Vec<u8> {
        self.write(now, What::Spawn(spawn))
    }

    /// Bytes have passed.
    #[must_use]
    pub fn passed(&mut self, now: Instant, direction: Direction, bytes: &[u8]) -> Vec<u8> {
        let mut written = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            self.half(direction).bytes.extend_from_slice(&rest[..end]);
            let line = std::mem::take(self.half(direction));
            if !line.missed {
                written.extend(self.line(now, direction, &line.bytes, false));
            }
            rest = &rest[end + 1..];
        }
        let half = self.half(direction);
        if !half.missed {
            half.bytes.extend_from_slice(rest);
        }
        written
    }

    /// So many bytes have passed that could not be kept, the rest of their
    /// last line with them.
    #[must_use]
    pub fn missed(&mut self, now: Instant, direction: Direction, bytes: usize) -> Vec<u8> {
        *self.half(direction) = Half {
            bytes: Vec::new(),
            missed: true,
        };
        let name = match direction {
            Direction::Sent => "sent",
            Direction::Received => "received",
            Direction::Stderr => "of standard error",
        };
        self.note(now, format!("{bytes} bytes {name} were not recorded"))
    }

    /// No more comes from there.
    #[must_use]
    pub fn ended(&mut self, now: Instant, direction: Direction) -> Vec<u8> {
        let half = std::mem::take(self.half(direction));
        let mut written = Vec::new();
        if !half.bytes.is_empty() {
            written.extend(self.line(now, direction, &half.bytes, true));
        }
        if direction == Direction::Sent {
            self.input_closed = Some(now);
            written.extend(self.note(now, INPUT_CLOSED.to_owned()));
        }
        written
    }

    /// The CLI has ended, with a status or by a signal.
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
        self.write(now, What::Exit(exit))
    }

    fn note(&self, now: Instant, text: String) -> Vec<u8> {
        self.write(now, What::Note(text))
    }

    fn line(&self, now: Instant, from: Direction, line: &[u8], unfinished: bool) -> Vec<u8> {
        let said = Said::new(line, unfinished);
        let what = match from {
            Direction::Sent => What::Sent(said),
            Direction::Received => What::Received(said),
            Direction::Stderr => What::Stderr(said),
        };
        self.write(now, what)
    }

    fn write(&self, now: Instant, what: What) -> Vec<u8> {
        let t = now.saturating_duration_since(self.started).as_secs_f64();
        let entry = Entry::new(Some(rounded(t)), what);
        self.scrub.entry(entry).to_line()
    }

    fn half(&mut self, direction: Direction) -> &mut Half {
        &mut self.halves[direction as usize]
    }
}

/// To a tenth of a millisecond.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e4).round() / 1e4
}
