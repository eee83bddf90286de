//! Of a large transcript only what came after the last compaction is read.

use memchr::{memchr_iter, memmem};

/// Transcripts above this size are cut.
const LARGE: usize = 5 << 20;

/// The official SDK reads in pieces of this size. A line that goes from one to
/// another is looked at less closely.
const PIECE: usize = 1 << 20;

/// A compaction says that it is one among this many first bytes of its line.
const HEAD: usize = 256;

/// What a line between two pieces has to have in the first of them to be looked
/// at less closely.
const SPLIT: usize = r#"{"type":"attribution-snapshot""#.len();

/// Returns what of a transcript is read: all of it, or what begins with the last
/// compaction that preserved no messages.
pub(super) fn since_compaction(text: &[u8]) -> &[u8] {
    if text.len() <= LARGE {
        return text;
    }
    let finder = memmem::Finder::new(r#""compact_boundary""#);
    let (mut start, mut from) = (0, 0);
    for end in memchr_iter(b'\n', text) {
        let line = &text[start..end];
        let piece = end - end % PIECE;
        let is_split = start < piece && piece - start >= SPLIT;
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

/// Whether a line is a compaction that preserved no messages.
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
