//! Writes values, one per line or as a list.

use super::error::ConvertError;
use crate::files::{Files, NewFile};
use agentwire_interop::conversion::Media;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The size of the write buffer, in bytes.
const BUFFER: usize = 1 << 18;

pub(super) struct Output {
    file: String,
    writer: BufWriter<NewFile>,
    array: bool,
    is_empty: bool,
}

impl Output {
    /// Opens a file, or standard output for `None` and `-`. `in_folder` is true if the file
    /// belongs to a converted directory.
    pub(super) fn open(
        files: &mut Files,
        file: Option<&Path>,
        in_folder: bool,
        array: bool,
    ) -> Result<Self, ConvertError> {
        let path = file.unwrap_or(Path::new("-"));
        let name = match path == Path::new("-") {
            true => "standard output".to_owned(),
            false => path.display().to_string(),
        };
        let opened = match in_folder {
            true => files.write_in_folder(path),
            false => files.write(path),
        };
        match opened {
            Ok(file) => Ok(Self {
                file: name,
                writer: BufWriter::with_capacity(BUFFER, file),
                array,
                is_empty: true,
            }),
            Err(error) => Err(ConvertError::Output { file: name, error }),
        }
    }

    pub(super) fn write<T: Serialize>(&mut self, value: &T) -> Result<(), ConvertError> {
        self.write_with_media(value, &Media::default())
    }

    /// Writes a value with the texts that `media` holds.
    pub(super) fn write_with_media<T: Serialize>(
        &mut self,
        value: &T,
        media: &Media,
    ) -> Result<(), ConvertError> {
        let before: &[u8] = match (self.array, self.is_empty) {
            (true, true) => b"[",
            (true, false) => b",\n",
            _ => b"",
        };
        self.is_empty = false;
        let written = self
            .writer
            .write_all(before)
            .and_then(|()| match media.is_empty() {
                true => Ok(serde_json::to_writer(&mut self.writer, value)?),
                false => media.write(&serde_json::to_string(value)?, &mut self.writer),
            })
            .and_then(|()| {
                if self.array {
                    Ok(())
                } else {
                    self.writer.write_all(b"\n")
                }
            });
        written.map_err(|error| self.failed(error))
    }

    /// Completes the output. An incomplete output does not replace an existing file, and its list
    /// is not closed.
    pub(super) fn finish(mut self, is_complete: bool) -> Result<(), ConvertError> {
        let end: &[u8] = match (self.array, self.is_empty) {
            (true, true) if is_complete => b"[]\n",
            (true, false) if is_complete => b"]\n",
            (true, true) => b"[\n",
            (true, false) => b",\n",
            _ => b"",
        };
        let written = self
            .writer
            .write_all(end)
            .and_then(|()| self.writer.flush());
        written.map_err(|error| self.failed(error))?;
        let Self { file, writer, .. } = self;
        let finished = match writer.into_inner() {
            Ok(new) if is_complete => new.finish(),
            Ok(_) => Ok(()),
            Err(error) => Err(error.into_error()),
        };
        finished.map_err(|error| ConvertError::Output { file, error })
    }

    fn failed(&self, error: io::Error) -> ConvertError {
        ConvertError::Output {
            file: self.file.clone(),
            error,
        }
    }
}
