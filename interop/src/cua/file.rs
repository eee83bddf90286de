//! Converts documents to and from OpenAI's `input_file`.

use super::Part;
use crate::media;
use crate::responses::InputFile;
use agentwire_protocol::content::{ContentBlock, DocumentBlock, Source};

/// Converts a document. Returns `None` if it is an uploaded file.
pub(super) fn of_document(document: &DocumentBlock) -> Option<Part> {
    let mut file = InputFile::default();
    let url = media::url_of(&document.source)?;
    match &document.source {
        Source::Url(_) => file.file_url = Some(url),
        _ => file.file_data = Some(url),
    }
    file.filename = document.title.clone();
    Some(file.into())
}

/// Converts a file. Returns `None` if it is an uploaded file.
pub(super) fn to_document(file: &InputFile) -> Option<ContentBlock> {
    let url = file.file_data.as_ref().or(file.file_url.as_ref())?;
    Some(media::document(url, file.filename.as_deref()))
}
