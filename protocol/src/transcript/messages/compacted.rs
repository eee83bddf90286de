//! Limits a large transcript to the part after the last compaction.

use memchr::{memchr_iter, memmem};

/// The size in bytes above which a transcript is limited.
const LARGE: usize = 5 << 20;

/// The size of the chunks in which the official SDK reads. It checks a line
/// that spans two chunks less strictly.
const READ_CHUNK: usize = 1 << 20;

/// The number of bytes at the start of a line in which a compaction must be
/// recognizable.
const HEAD: usize = 256;

/// The minimum length of a line's part in the first chunk for which the less
/// strict check applies.
const MIN_SPLIT_LENGTH: usize = r#"{"type":"attribution-snapshot""#.len();

/// Returns the part of a transcript to read. This is the whole transcript, or
/// the part from the last compaction that preserved no messages.
pub(super) fn since_compaction(text: &[u8]) -> &[u8] {
    if text.len() <= LARGE {
        return text;
    }
    let finder = memmem::Finder::new(r#""compact_boundary""#);
    let (mut start, mut from) = (0, 0);
    for end in memchr_iter(b'\n', text) {
        let line = &text[start..end];
        let piece = end - end % READ_CHUNK;
        let is_split = start < piece && piece - start >= MIN_SPLIT_LENGTH;
        let may_be = if is_split {
            line.starts_with(br#"{"type":"system""#)
        } else {
            let head = &line[..line.len().min(HEAD + 17)];
            finder.find(head).is_some()
        };
        if may_be && is_boundary(line) {
            from = start;
        }
        start = end + 1;
    }
    &text[from..]
}

/// Returns whether a line is a compaction that preserved no messages.
fn is_boundary(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let Ok(json) = line.parse::<crate::Json>() else {
        return false;
    };
    let metadata = json.member("compactMetadata");
    let preserves = |member: &str| {
        let kept = metadata.as_ref().and_then(|it| it.member(member));
        super::value::is_truthy(kept.as_ref())
    };
    super::value::is(json.member("type").as_ref(), "system")
        && super::value::is(json.member("subtype").as_ref(), "compact_boundary")
        && !preserves("preservedSegment")
        && !preserves("preservedMessages")
}
