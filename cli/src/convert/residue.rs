//! The file of a residue: a head that names the conversion, then its parts, one
//! per line.

use super::error::ConvertError;
use super::format::Format;
use super::input::{Input, InputError};
use agentwire_interop::conversion::Group;
use agentwire_protocol::Json;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The first line, which names the conversion.
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

/// Reads the parts of the residue of a conversion.
pub(super) fn open(
    file: Option<&Path>,
    from: Format,
    to: Format,
) -> Result<impl Iterator<Item = Result<Group, InputError>>, ConvertError> {
    let mut lines = Input::<Json>::open(file.unwrap_or(Path::new("-")))?;
    let head: Option<Head> = lines.next().transpose()?.and_then(|line| line.read().ok());
    match head {
        Some(head) if head.from == from.to_string() && head.to == to.to_string() => {}
        Some(head) => return Err(ConvertError::OtherResidue(head.from, head.to)),
        None => return Err(ConvertError::NoResidue),
    }
    let mut number = 1;
    Ok(lines.map(move |line| {
        number += 1;
        line.and_then(|line| {
            line.read()
                .map_err(|error| InputError::Value { number, error })
        })
    }))
}
