//! Where two sequences of lines differ.

/// Lines that only one of them has, at one place.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) real: Vec<String>,
    pub(crate) fake: Vec<String>,
    /// The line before it, which both have.
    pub(crate) after: String,
}

/// The places where they differ, by their longest common part.
pub(crate) fn hunks(real: &[String], fake: &[String]) -> Vec<Hunk> {
    // How much the ends from here have in common.
    let mut common = vec![vec![0_usize; fake.len() + 1]; real.len() + 1];
    for r in (0..real.len()).rev() {
        for f in (0..fake.len()).rev() {
            common[r][f] = if real[r] == fake[f] {
                common[r + 1][f + 1] + 1
            } else {
                common[r + 1][f].max(common[r][f + 1])
            };
        }
    }
    let (mut r, mut f) = (0, 0);
    let (mut hunks, mut hunk) = (vec![], Hunk::default());
    while r < real.len() || f < fake.len() {
        if r < real.len() && f < fake.len() && real[r] == fake[f] {
            let after = real[r].clone();
            let done = std::mem::replace(
                &mut hunk,
                Hunk {
                    after,
                    ..Hunk::default()
                },
            );
            hunks.push(done);
            (r, f) = (r + 1, f + 1);
        } else if f == fake.len() || r < real.len() && common[r + 1][f] >= common[r][f + 1] {
            hunk.real.push(real[r].clone());
            r += 1;
        } else {
            hunk.fake.push(fake[f].clone());
            f += 1;
        }
    }
    hunks.push(hunk);
    hunks.retain(|it| !it.real.is_empty() || !it.fake.is_empty());
    hunks
}
