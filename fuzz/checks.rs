//! Properties that hold for any bytes. The fuzz targets and the test
//! `protocol/tests/mutations.rs` check them.

use agentwire_protocol::audit::Auditor;
use agentwire_protocol::codec::{Line, LineDecoder};

/// Checks that the lines do not depend on the way in which the bytes are cut.
pub(crate) fn codec(data: &[u8]) {
    let [limit, piece, input @ ..] = data else {
        return;
    };
    let (limit, piece) = (usize::from(*limit), usize::from(*piece).max(1));
    let mut whole = LineDecoder::new(limit);
    whole.push(input);
    let expected = lines(&mut whole);

    let mut cut = LineDecoder::new(limit);
    let mut got = vec![];
    for piece in input.chunks(piece) {
        cut.push(piece);
        while let Some(line) = cut.next_line() {
            got.push(line);
        }
        assert!(cut.buffered() <= limit + piece.len(), "the buffer grows");
    }
    got.extend(cut.finish());
    let same = |one: &Line, other: &Line| match (one, other) {
        // The head of a line that is too long depends on the number of received
        // bytes.
        (Line::TooLong { length: one, .. }, Line::TooLong { length: other, .. }) => one == other,
        (one, other) => one == other,
    };
    assert!(
        got.len() == expected.len() && got.iter().zip(&expected).all(|(a, b)| same(a, b)),
        "{got:?} is not {expected:?}"
    );
}

fn lines(decoder: &mut LineDecoder) -> Vec<Line> {
    let mut lines: Vec<Line> = std::iter::from_fn(|| decoder.next_line()).collect();
    lines.extend(decoder.finish());
    lines
}

/// Checks that every readable frame is written as the same JSON value, and that
/// other frames have a reason. The lines belong to one session, so that a
/// response is read with the type of its request.
pub(crate) fn frames(data: &[u8]) {
    let mut decoder = LineDecoder::default();
    decoder.push(data);
    let mut auditor = Auditor::default();
    for line in lines(&mut decoder) {
        let (Line::Whole(line) | Line::Unfinished(line)) = line else {
            continue;
        };
        let audit = auditor.line(&line);
        // `partial_assistant` is the old name of `stream_event`, which replaces
        // it.
        let is_renamed = audit.kind.starts_with("partial_assistant");
        assert!(
            audit.error.is_some() || audit.lossless || is_renamed,
            "{audit:?} of {}",
            String::from_utf8_lossy(&line)
        );
        assert!(!audit.kind.is_empty());
    }
}
