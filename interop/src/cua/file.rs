//! Documents as OpenAI's `input_file`s, which the documented format does not
//! have.

use super::Part;
use crate::media;
use crate::responses::InputFile;
use agentwire_protocol::content::{ContentBlock, DocumentBlock, Source};

/// A document as a file. Nothing, where it is neither bytes nor a URL.
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

/// A file as a document. Nothing, where it is somewhere that we cannot name.
pub(super) fn to_document(file: &InputFile) -> Option<ContentBlock> {
    let url = file.file_data.as_ref().or(file.file_url.as_ref())?;
    Some(media::document(url, file.filename.as_deref()))
}
