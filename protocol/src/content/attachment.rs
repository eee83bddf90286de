//! Files as content blocks.

use super::{ContentBlock, DocumentBlock, ImageBlock, Source};

/// A file that cannot be sent as a content block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` cannot be attached: it is not an image (PNG, JPEG, GIF, WebP), a PDF or UTF-8 text; \
     leave the file where the agent can read it, and name its path in the prompt"
)]
#[non_exhaustive]
pub struct CannotAttach {
    /// The name of the file.
    pub name: String,
}

impl ContentBlock {
    /// Creates the content block for a file. The bytes of the file determine
    /// the block, not its name:
    ///
    /// | bytes | block |
    /// |---|---|
    /// | PNG, JPEG, GIF, WebP | an image |
    /// | PDF | a document, with the name as its title |
    /// | text in UTF-8, without NUL | a document, with the name as its title |
    ///
    /// ```
    /// use agentwire_protocol::content::ContentBlock;
    /// use agentwire_protocol::message::UserMessage;
    ///
    /// let notes = ContentBlock::attachment("notes.md", "# Crabs\n")?;
    /// let prompt = UserMessage::text("Sum this up").with(notes);
    /// # drop(prompt);
    /// # Ok::<(), agentwire_protocol::content::CannotAttach>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the bytes are none of these. The agent passes documents on unchanged,
    /// and the API has no type for other bytes. [`Source::bytes`] creates a
    /// source without this check.
    pub fn attachment(
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<Self, CannotAttach> {
        Self::of_file(name.into(), bytes.into())
    }

    fn of_file(name: String, bytes: Vec<u8>) -> Result<Self, CannotAttach> {
        if let Some(media_type) = image_type(&bytes) {
            return Ok(ImageBlock::new(Source::bytes(media_type, bytes)).into());
        }
        let source = if bytes.starts_with(b"%PDF-") {
            Source::bytes("application/pdf", bytes)
        } else {
            match String::from_utf8(bytes) {
                Ok(text) if !text.contains('\0') => Source::text(text),
                _ => return Err(CannotAttach { name }),
            }
        };
        Ok(DocumentBlock::new(source).title(name).into())
    }
}

/// Returns the media type of an image, if the Messages API accepts its kind.
///
/// The check is implemented here because it must also distinguish images from
/// text. Libraries check fewer bytes, and take any text that begins with `GIF`
/// for an image.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        _ if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => Some("image/png"),
        _ if bytes.starts_with(b"\xff\xd8\xff") => Some("image/jpeg"),
        _ if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") => Some("image/gif"),
        // The length follows the first four bytes.
        _ if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::content::Base64Source;

    fn attached(bytes: &[u8]) -> String {
        serde_json::to_string(&ContentBlock::attachment("n", bytes).unwrap()).unwrap()
    }

    #[test]
    fn the_bytes_determine_the_block_of_a_file() {
        for (bytes, media_type) in [
            (&b"\x89PNG\r\n\x1a\n\0"[..], "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF87a", "image/gif"),
            (b"GIF89a\0", "image/gif"),
            (b"RIFF\x04\0\0\0WEBP", "image/webp"),
        ] {
            let data = Base64Source::new(media_type, bytes).data;
            assert_eq!(
                attached(bytes),
                format!(
                    r#"{{"type":"image","source":{{"type":"base64","media_type":"{media_type}","data":"{data}"}}}}"#
                )
            );
        }
        assert_eq!(
            attached(b"%PDF-1.7\n\xff"),
            r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjcK/w=="},"title":"n"}"#
        );
    }

    #[test]
    fn other_utf_8_is_a_text_document() {
        for text in [
            "",
            "plain",
            "GIF is a format, and GIF8 is its beginning",
            "RIFF text WEB",
            "A %PDF- further on",
            "<svg/>",
            "\u{feff}é\r\n",
        ] {
            let quoted = serde_json::to_string(text).unwrap();
            assert_eq!(
                attached(text.as_bytes()),
                format!(
                    r#"{{"type":"document","source":{{"type":"text","media_type":"text/plain","data":{quoted}}},"title":"n"}}"#
                )
            );
        }
    }

    #[test]
    fn an_unsupported_file_is_an_error_with_its_name() {
        for bytes in [
            &b"PK\x03\x04\xff"[..],
            b"ustar\0 tar",
            b"caf\xe9",
            b"\x89PNG",
            b"RIFF\x04\0\0\0WAVE",
        ] {
            let refused = ContentBlock::attachment("a.png", bytes).unwrap_err();
            assert_eq!(refused.name, "a.png");
            assert!(
                refused
                    .to_string()
                    .starts_with("`a.png` cannot be attached: ")
            );
        }
    }
}
