//! Compares sequences of lines.

use serde::Serialize;

/// A difference: lines at one position that only one of two sequences has.
/// `Display` shows the first difference within it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hunk {
    /// The last common line before the difference. Empty at the beginning.
    pub after: String,
    /// Lines of the measured sequence.
    pub measured: Vec<String>,
    /// Lines of the other sequence.
    pub found: Vec<String>,
}

/// Returns the differences between two sequences, by their longest common
/// subsequence.
#[must_use]
pub fn hunks(measured: &[String], found: &[String]) -> Vec<Hunk> {
    // The length of the longest common subsequence from each pair of positions.
    let mut common = vec![vec![0_usize; found.len() + 1]; measured.len() + 1];
    for m in (0..measured.len()).rev() {
        for f in (0..found.len()).rev() {
            common[m][f] = if measured[m] == found[f] {
                common[m + 1][f + 1] + 1
            } else {
                common[m + 1][f].max(common[m][f + 1])
            };
        }
    }
    let (mut m, mut f) = (0, 0);
    let (mut hunks, mut hunk) = (vec![], Hunk::default());
    while m < measured.len() || f < found.len() {
        if m < measured.len() && f < found.len() && measured[m] == found[f] {
            let after = measured[m].clone();
            let done = std::mem::replace(
                &mut hunk,
                Hunk {
                    after,
                    ..Hunk::default()
                },
            );
            hunks.push(done);
            (m, f) = (m + 1, f + 1);
        } else if f == found.len() || m < measured.len() && common[m + 1][f] >= common[m][f + 1] {
            hunk.measured.push(measured[m].clone());
            m += 1;
        } else {
            hunk.found.push(found[f].clone());
            f += 1;
        }
    }
    hunks.push(hunk);
    hunks.retain(|it| !it.measured.is_empty() || !it.found.is_empty());
    hunks
}
