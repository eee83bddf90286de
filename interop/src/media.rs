//! Converts sources of images and documents to and from URLs.

use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::content::{Base64Source, DocumentBlock, ImageBlock, Source};
use std::str::from_utf8;

/// Returns the URL of a source, which is a data URL for bytes and texts. Returns `None` for
/// uploaded files.
pub(crate) fn url_of(source: &Source) -> Option<String> {
    match source {
        Source::Base64(bytes) => Some(data_url(bytes)),
        Source::Url(source) => Some(source.url.clone()),
        Source::Text(source) => Some(data_url(&Base64Source::new(
            &*source.media_type,
            &source.data,
        ))),
        _ => None,
    }
}

fn data_url(bytes: &Base64Source) -> String {
    format!("data:{};base64,{}", bytes.media_type, bytes.data)
}

/// Converts a URL to a source. A base64 data URL becomes bytes.
pub(crate) fn source_of(url: &str) -> Source {
    let bytes = url
        .strip_prefix("data:")
        .and_then(|data| data.split_once(";base64,"))
        .filter(|(media_type, _)| !media_type.contains(','));
    match bytes {
        Some((media_type, data)) => {
            let mut source = Base64Source::new(media_type, "");
            data.clone_into(&mut source.data);
            Source::Base64(source)
        }
        None => Source::url(url),
    }
}

/// Creates an image with this URL.
pub(crate) fn image(url: &str) -> ContentBlock {
    ImageBlock::new(source_of(url)).into()
}

/// Creates the document at this URL. The Messages API requires plain text as a text source.
pub(crate) fn document(url: &str, title: Option<&str>) -> ContentBlock {
    let mut source = source_of(url);
    if let Source::Base64(bytes) = &source
        && bytes.media_type == "text/plain"
        && let Ok(bytes) = bytes.decode()
        && let Ok(text) = from_utf8(&bytes)
    {
        source = Source::text(text);
    }
    let mut block = DocumentBlock::new(source);
    block.title = title.map(str::to_owned);
    block.into()
}
