//! Reads and writes the residue file. Its first line names the conversion, each further line
//! is a part, and its last line has the number of parts.

use super::error::ConvertError;
use super::format::Format;
use super::input::Input;
use super::input_error::InputError;
use agentwire_interop::conversion::Group;
use agentwire_protocol::Json;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The first line of the file, which names the conversion.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    from: String,
    to: String,
}

impl Head {
    pub(super) fn new(from: Format, to: Format) -> Self {
        Self {
            from: from.to_string(),
            to: to.to_string(),
        }
    }
}

/// The last line of the file, which has the number of parts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    pub(super) end: usize,
}

/// Reads the parts of the residue of a conversion. The last item is an error if the
/// residue is incomplete.
pub(super) fn open(
    file: Option<&Path>,
    from: Format,
    to: Format,
) -> Result<impl Iterator<Item = Result<Group, InputError>> + use<>, ConvertError> {
    let mut lines = Input::<Json>::open(file.unwrap_or(Path::new("-")))?;
    let head: Option<Head> = match lines.next() {
        Some(Err(error @ (InputError::File { .. } | InputError::Encoding { .. }))) => {
            return Err(error.into());
        }
        Some(Ok(line)) => line.read().ok(),
        Some(Err(_)) | None => None,
    };
    match head {
        Some(head) if head.from == from.to_string() && head.to == to.to_string() => {}
        Some(head) => return Err(ConvertError::OtherResidue(head.from, head.to)),
        None => return Err(ConvertError::NoResidue),
    }
    Ok(Parts {
        lines,
        read: 0,
        is_finished: false,
    })
}

/// The parts of a residue.
struct Parts {
    lines: Input<Json>,
    read: usize,
    is_finished: bool,
}

impl Parts {
    fn incomplete(&mut self, why: String) -> InputError {
        self.is_finished = true;
        InputError::Residue(why)
    }
}

impl Iterator for Parts {
    type Item = Result<Group, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_finished {
            return None;
        }
        let read = self.read;
        let line = match self.lines.next() {
            Some(Ok(line)) => line,
            Some(Err(error)) => {
                let why = format!("the residue is invalid after {read} parts: {error}");
                return Some(Err(self.incomplete(why)));
            }
            None => {
                let why = format!("the residue has no end after {read} parts: it is incomplete");
                return Some(Err(self.incomplete(why)));
            }
        };
        if let Ok(End { end }) = line.read() {
            self.is_finished = true;
            return (end != read).then(|| {
                let why = format!("the residue has {read} parts, but its end says {end}");
                Err(InputError::Residue(why))
            });
        }
        Some(match line.read() {
            Ok(group) => {
                self.read += 1;
                Ok(group)
            }
            Err(error) => {
                let why = format!("the residue is invalid after {read} parts: {error}");
                Err(self.incomplete(why))
            }
        })
    }
}
