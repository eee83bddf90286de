//! Compares sequences of lines.

use serde::Serialize;

/// A difference: lines at one position that only one of two sequences has.
/// `Display` shows the first difference within it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hunk {
    /// The last common line before the difference. Empty at the beginning.
    pub after: String,
    /// Lines of the expected sequence.
    pub expected: Vec<String>,
    /// Lines of the other sequence.
    pub found: Vec<String>,
}

/// Returns the differences between two sequences, by their longest common
/// subsequence.
#[must_use]
pub fn hunks(expected: &[String], found: &[String]) -> Vec<Hunk> {
    // The length of the longest common subsequence from each pair of positions.
    let mut common = vec![vec![0_usize; found.len() + 1]; expected.len() + 1];
    for e in (0..expected.len()).rev() {
        for f in (0..found.len()).rev() {
            common[e][f] = if expected[e] == found[f] {
                common[e + 1][f + 1] + 1
            } else {
                common[e + 1][f].max(common[e][f + 1])
            };
        }
    }
    let (mut e, mut f) = (0, 0);
    let (mut hunks, mut hunk) = (vec![], Hunk::default());
    while e < expected.len() || f < found.len() {
        if e < expected.len() && f < found.len() && expected[e] == found[f] {
            let after = expected[e].clone();
            let done = std::mem::replace(
                &mut hunk,
                Hunk {
                    after,
                    ..Hunk::default()
                },
            );
            hunks.push(done);
            (e, f) = (e + 1, f + 1);
        } else if f == found.len() || e < expected.len() && common[e + 1][f] >= common[e][f + 1] {
            hunk.expected.push(expected[e].clone());
            e += 1;
        } else {
            hunk.found.push(found[f].clone());
            f += 1;
        }
    }
    hunks.push(hunk);
    hunks.retain(|it| !it.expected.is_empty() || !it.found.is_empty());
    hunks
}
