//! What is written: values, one a line, or a list of them.

use super::ConvertError;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How much is written at once.
const BUFFER: usize = 1 << 18;

pub(super) struct Output {
    file: String,
    writer: BufWriter<Box<dyn Write>>,
    array: bool,
    is_empty: bool,
}

impl Output {
    /// A file, or standard output.
    pub(super) fn open(file: Option<&Path>, array: bool) -> Result<Self, ConvertError> {
        let name = file.map_or_else(
            || "standard output".to_owned(),
            |file| file.display().to_string(),
        );
        let writer: Box<dyn Write> = match file {
            None => Box::new(io::stdout()),
            Some(file) => match File::create(file) {
                Ok(file) => Box::new(file),
                Err(error) => return Err(ConvertError::Output { file: name, error }),
            },
        };
        Ok(Self {
            file: name,
            writer: BufWriter::with_capacity(BUFFER, writer),
            array,
            is_empty: true,
        })
    }

    /// A file, where one is named.
    pub(super) fn open_if(file: Option<&Path>) -> Result<Option<Self>, ConvertError> {
        file.map(|file| Self::open(Some(file), false)).transpose()
    }

    pub(super) fn write<T: Serialize>(&mut self, value: &T) -> Result<(), ConvertError> {
        let before: &[u8] = match (self.array, self.is_empty) {
            (true, true) => b"[",
            (true, false) => b",\n",
            _ => b"",
        };
        self.is_empty = false;
        let written = self
            .writer
            .write_all(before)
            .and_then(|()| serde_json::to_writer(&mut self.writer, value).map_err(io::Error::from))
            .and_then(|()| {
                if self.array {
                    Ok(())
                } else {
                    self.writer.write_all(b"\n")
                }
            });
        written.map_err(|error| self.failed(error))
    }

    pub(super) fn finish(mut self) -> Result<(), ConvertError> {
        let end: &[u8] = match (self.array, self.is_empty) {
            (true, true) => b"[]\n",
            (true, false) => b"]\n",
            _ => b"",
        };
        let written = self
            .writer
            .write_all(end)
            .and_then(|()| self.writer.flush());
        written.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> ConvertError {
        ConvertError::Output {
            file: self.file.clone(),
            error,
        }
    }
}
