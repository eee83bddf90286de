//! Standard output, as the script's faults want it written.

use crate::scenario::Fault;
use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

/// How long the next piece waits, so that a host that is quick reads each by
/// itself.
const PAUSE: Duration = Duration::from_micros(20);

/// Standard output.
#[derive(Debug, Default)]
pub(super) struct Stdout {
    /// How many bytes are written at once, if not all.
    chunk: Option<usize>,
    ends_in_crlf: bool,
    is_closed: bool,
}

impl Stdout {
    /// What a fault changes about it.
    pub(super) fn change(&mut self, fault: &Fault) {
        match fault {
            Fault::Chunked(bytes) => self.chunk = Some(*bytes),
            Fault::Crlf => self.ends_in_crlf = true,
            Fault::CloseStdout => self.is_closed = true,
            _ => {}
        }
    }

    /// The bytes as they are on the wire; none, if it is closed.
    pub(super) fn as_written<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.is_closed {
            return Cow::Borrowed(&[]);
        }
        if !self.ends_in_crlf {
            return Cow::Borrowed(bytes);
        }
        let mut changed = Vec::with_capacity(bytes.len() + 1);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match line.split_last() {
                Some((b'\n', rest)) => {
                    changed.extend_from_slice(rest);
                    changed.extend_from_slice(b"\r\n");
                }
                _ => changed.extend_from_slice(line),
            }
        }
        changed.into()
    }

    /// Writes what [`as_written`](Self::as_written) made.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        let Some(size) = self.chunk else {
            return stdout.write_all(bytes);
        };
        for chunk in bytes.chunks(size) {
            stdout.write_all(chunk)?;
            stdout.flush()?;
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_change_and_nothing_is_written_once_it_is_closed() {
        let mut stdout = Stdout::default();
        assert_eq!(&*stdout.as_written(b"a\nb"), b"a\nb");
        stdout.change(&Fault::Crlf);
        assert_eq!(&*stdout.as_written(b"a\n\nb"), b"a\r\n\r\nb");
        stdout.change(&Fault::CloseStdout);
        assert_eq!(&*stdout.as_written(b"a\n"), b"");
    }
}
