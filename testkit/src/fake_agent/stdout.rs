//! Standard output, with the faults that change it.

use crate::scenario::Fault;
use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

/// The pause after each chunk, so that a fast host reads it separately.
const PAUSE: Duration = Duration::from_micros(20);

/// Standard output.
#[derive(Debug, Default)]
pub(super) struct Stdout {
    /// The maximum size of a write in bytes.
    chunk: Option<usize>,
    ends_in_crlf: bool,
    is_closed: bool,
}

impl Stdout {
    /// Applies a fault, if it changes standard output.
    pub(super) fn apply(&mut self, fault: &Fault) {
        match fault {
            Fault::Chunked(bytes) => self.chunk = Some(*bytes),
            Fault::Crlf => self.ends_in_crlf = true,
            Fault::CloseStdout => self.is_closed = true,
            _ => {}
        }
    }

    /// Returns the bytes in the form in which they are written. Empty if the
    /// output is closed.
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

    /// Writes the bytes that [`as_written`](Self::as_written) returned.
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
    fn crlf_replaces_line_ends_and_a_closed_output_writes_nothing() {
        let mut stdout = Stdout::default();
        assert_eq!(&*stdout.as_written(b"a\nb"), b"a\nb");
        stdout.apply(&Fault::Crlf);
        assert_eq!(&*stdout.as_written(b"a\n\nb"), b"a\r\n\r\nb");
        stdout.apply(&Fault::CloseStdout);
        assert_eq!(&*stdout.as_written(b"a\n"), b"");
    }
}
