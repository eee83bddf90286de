//! Replaces the data of long images during a conversion.
//!
//! A conversion copies a line several times: as a message, as output, and to compare the output
//! with the input. Therefore long data is replaced by a [placeholder](Media), which is copied like
//! other base64, and which is replaced by the data on output. No conversion needs the contents of
//! images or PDFs. Texts are not replaced.

use super::outline::{Media, Outline};
use agentwire_protocol::Json;
use agentwire_protocol::text::{Cursor, Invalid, Span};
use memchr::memmem;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The minimum length of replaced data.
const LONG: usize = 1 << 16;

/// The maximum depth of the search.
const MAX_DEPTH: usize = 32;

/// The prefix of placeholders. It is random, so that no input can contain it.
static MARK: LazyLock<String> = LazyLock::new(|| format!("{:016x}{:016x}", random(0), random(1)));

/// The seed of the hash in a placeholder. Equal data has the same placeholder.
static SEED: LazyLock<u64> = LazyLock::new(|| random(2));

/// The length of a placeholder, which is valid base64.
const LENGTH: usize = 64;

fn random(number: u64) -> u64 {
    RandomState::new().hash_one(number)
}

/// Returns the token that stands for base64 data during a conversion.
fn placeholder_for(base64: &str) -> String {
    let digest = xxh3_128_with_seed(base64.as_bytes(), *SEED);
    format!("{}{digest:032x}", *MARK)
}

impl Outline {
    /// Replaces the data of long images by placeholders, so that a conversion does not copy the
    /// data. The output contains the placeholders, which
    /// [`Converted::media`](super::Converted::media) replaces by the data.
    #[must_use]
    pub fn without_media(self) -> Self {
        let Some((short, media)) = extract_media(&self) else {
            return self;
        };
        match Self::parse(short) {
            Ok(short) => short.with_media(media),
            Err(_) => self,
        }
    }
}

impl Media {
    /// Returns whether no data was replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes a text with the data in place of placeholders.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub fn write(&self, text: &str, writer: &mut impl Write) -> io::Result<()> {
        self.pieces(text, |piece| writer.write_all(piece.as_bytes()))
    }

    /// Returns a value with the data in place of placeholders.
    pub(super) fn restored(&self, text: &str) -> Json {
        let mut length = 0;
        _ = self.pieces(text, |piece| {
            length += piece.len();
            Ok(())
        });
        let mut whole = String::with_capacity(length);
        _ = self.pieces(text, |piece| {
            whole.push_str(piece);
            Ok(())
        });
        Json::of_text(whole)
    }

    fn pieces(&self, text: &str, mut take: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let mut rest = 0;
        if !self.is_empty() {
            for start in memmem::find_iter(text.as_bytes(), MARK.as_bytes()) {
                let end = start + LENGTH;
                let found = text.get(start..end).and_then(|it| self.0.get(it));
                let bytes = found.and_then(|(line, bytes)| line.text().get(bytes.clone()));
                if let (Some(bytes), Some(before)) = (bytes, text.get(rest..start)) {
                    take(before)?;
                    take(bytes)?;
                    rest = end;
                }
            }
        }
        take(text.get(rest..).unwrap_or_default())
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// Replaces the long data of a value. Returns `None` if it has none.
fn extract_media(outline: &Outline) -> Option<(String, Media)> {
    let text = outline.text();
    if text.len() < LONG {
        return None;
    }
    let mut look = MediaSearch {
        text,
        cursor: Cursor::new(text.as_bytes()),
        found: Vec::new(),
    };
    look.value(None, 0).ok()?;
    let mut found = look.found;
    if found.is_empty() {
        return None;
    }
    found.sort_unstable_by_key(|bytes| bytes.start);
    let mut media = Media::default();
    let (mut short, mut rest) = (String::new(), 0);
    for bytes in found {
        let placeholder = placeholder_for(text.get(bytes.clone())?);
        short += text.get(rest..bytes.start)?;
        short += &placeholder;
        rest = bytes.end;
        media.0.insert(placeholder, (outline.clone(), bytes));
    }
    short += text.get(rest..)?;
    Some((short, media))
}

/// A search for the data of images and PDFs.
struct MediaSearch<'t> {
    text: &'t str,
    cursor: Cursor<'t>,
    found: Vec<Range<usize>>,
}

impl<'t> MediaSearch<'t> {
    /// Searches a value. `name` is the name of the member that contains the value, or that contains
    /// its list.
    fn value(&mut self, name: Option<&str>, depth: usize) -> Result<(), Invalid> {
        match self.cursor.peek() {
            Some(b'{') if depth < MAX_DEPTH => self.object(depth + 1),
            Some(b'[') if depth < MAX_DEPTH => {
                self.cursor.take(b'[');
                let mut is_first = true;
                while self.cursor.next_item(is_first)? {
                    is_first = false;
                    self.value(name, depth + 1)?;
                }
                Ok(())
            }
            Some(b'"') => {
                let string = self.cursor.string("a string")?;
                if let Some("url" | "image_url" | "image_urls" | "file_data") = name {
                    self.found.extend(self.in_url(string));
                }
                Ok(())
            }
            _ => self.cursor.skip().map(|_| ()),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Invalid> {
        self.cursor.take(b'{');
        let mut is_first = true;
        // Records whether the media type is that of an image or a PDF, and whether it is ambiguous.
        let (mut is_media, mut is_other) = (false, false);
        let mut bytes = Vec::new();
        while let Some(name) = self.cursor.next_key(is_first)? {
            is_first = false;
            is_other |= name.escaped;
            let name = self.text.get(name.start..name.end);
            let start = self.cursor.peek().map(|_| self.cursor.at());
            self.value(name, depth)?;
            let value = start.and_then(|start| self.text.get(start..self.cursor.at()));
            let string = value.and_then(|it| it.strip_prefix('"')?.strip_suffix('"'));
            match (name, string) {
                (Some("media_type" | "mimeType" | "mime_type"), string) => {
                    let is_it = string.is_some_and(is_media_type);
                    is_media |= is_it;
                    is_other |= !is_it;
                }
                (Some("type"), Some(string)) => is_media |= is_media_type(string),
                (Some("data" | "base64"), Some(string)) if is_long_base64(string) => {
                    let end = self.cursor.at() - 1;
                    bytes.push(end - string.len()..end);
                }
                _ => {}
            }
        }
        if is_media && !is_other {
            self.found.append(&mut bytes);
        }
        Ok(())
    }

    /// Returns the range of the data in a data URL.
    fn in_url(&self, string: Span) -> Option<Range<usize>> {
        let url = self.text.get(string.start..string.end)?;
        let head = url.get(..url.len().min(100)).filter(|_| !string.escaped)?;
        let (head, _) = head.strip_prefix("data:")?.split_once(";base64,")?;
        let start = "data:".len() + head.len() + ";base64,".len();
        let bytes = url.get(start..)?;
        let is_it = is_media_type(head) && is_long_base64(bytes);
        is_it.then_some(string.start + start..string.end)
    }
}

fn is_media_type(text: &str) -> bool {
    let is_it = text.starts_with("image/") || text == "application/pdf";
    is_it && !text.contains([',', ';', '\\'])
}

fn is_long_base64(text: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    text.len() >= LONG && text.bytes().all(is_base64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn extract(text: &str) -> Option<(String, Media)> {
        extract_media(&Outline::parse(text.to_owned()).unwrap())
    }

    #[test]
    fn data_of_images_is_replaced_and_restored() {
        let bytes = "iVBORw0KGgo+/AAA".repeat(5000);
        for text in [
            format!(r#"{{"a":[{{"type":"base64","media_type":"image/png","data":"{bytes}"}}]}}"#),
            format!(r#"{{"file":{{"base64":"{bytes}","type":"image/png"}},"b":"{bytes}"}}"#),
            format!(r#"[{{"image_url":{{"url":"data:image/png;base64,{bytes}"}}}}]"#),
            format!(r#"[{{"image_urls":["x","data:application/pdf;base64,{bytes}"]}}]"#),
        ] {
            let (short, media) = extract(&text).unwrap();
            assert_eq!(short.len(), text.len() - bytes.len() + LENGTH);
            assert_eq!(media.restored(&short).get(), text);
            let moved = format!(r#"{{"{}":[{short},{short}]}}"#, *MARK);
            let mut written = Vec::new();
            media.write(&moved, &mut written).unwrap();
            assert_eq!(
                String::from_utf8(written).unwrap(),
                format!(r#"{{"{}":[{text},{text}]}}"#, *MARK)
            );
        }
    }

    #[test]
    fn nothing_else_is_replaced() {
        let bytes = "AAAA".repeat(LONG);
        for text in [
            format!(r#"{{"type":"text","text":"{bytes}"}}"#),
            format!(r#"{{"type":"text","media_type":"text/plain","data":"{bytes}"}}"#),
            format!(r#"{{"media_type":"image/png","media_type":"text/plain","data":"{bytes}"}}"#),
            format!(r#"{{"media_type":"image/png","media_typ\u0065":"a","data":"{bytes}"}}"#),
            format!(r#"{{"media_type":"image/png","data":"{bytes}\n"}}"#),
            format!(r#"{{"url":"data:text/plain;base64,{bytes}"}}"#),
            format!(r#"{{"url":"data:image/png,x;base64,{bytes}"}}"#),
            format!(r#"{{"text":"data:image/png;base64,{bytes}"}}"#),
            r#"{"media_type":"image/png","data":"AAAA"}"#.to_owned(),
        ] {
            assert!(extract(&text).is_none(), "{}", &text[..60.min(text.len())]);
        }
    }
}
