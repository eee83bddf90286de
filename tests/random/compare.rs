//! Compares three recordings of a session: two of the real agent and one of the fake
//! agent. Differences between the two of the real agent are ignored.

use crate::Agents;
use crate::accepted::Accepted;
use agentwire_testkit::conform::cli::{Case, Entry, Hunk, Normal, hunks, play};
use std::path::Path;
use std::time::Duration;

/// The timeout of a session.
const DEADLINE: Duration = Duration::from_secs(60);

/// The result of a session.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The number of lines of the real agent.
    pub(crate) lines: usize,
    /// The number of lines that are not compared.
    pub(crate) not_compared: usize,
    /// Differences that are not accepted.
    pub(crate) differences: Vec<Hunk>,
    /// Accepted differences, with the number of their reason.
    pub(crate) accepted: Vec<(usize, Hunk)>,
    recordings: Vec<Recorded>,
}

struct Recorded {
    name: &'static str,
    raw: String,
    lines: Vec<String>,
}

/// Plays a case three times.
pub(crate) async fn compare(case: &Case, agents: &Agents, accepted: &Accepted) -> Outcome {
    let mut recordings = vec![];
    for (name, cli) in [
        ("real", &agents.real),
        ("again", &agents.real),
        ("fake", &agents.fake),
    ] {
        let recording = play(case, &[cli.into()], DEADLINE).await.unwrap();
        let mut lines = Normal::new(case, &agents.rules).lines(&recording.entries);
        // The remaining contents of the session are also compared.
        lines.extend(recording.remaining.map(|it| format!("left {it}")));
        lines.extend(recording.stuck.map(|it| format!("stuck {it}")));
        let unordered = accepted.put_last(&mut lines);
        lines[unordered..].sort_unstable();
        let raw = raw(&recording.entries, &recording.stderr);
        recordings.push(Recorded { name, raw, lines });
    }
    let [real, again, fake] = [0, 1, 2].map(|it: usize| &recordings[it].lines);
    let stable = common(real, again);
    let mut outcome = Outcome {
        lines: real.len(),
        not_compared: real.len() - stable.len(),
        ..Outcome::default()
    };
    if fake != real && fake != again {
        let mut by_chance = [without(real, &stable), without(again, &stable)].concat();
        for mut hunk in hunks(&stable, fake) {
            hunk.found.retain(|line| {
                let place = by_chance.iter().position(|it| it == line);
                place.map(|it| by_chance.swap_remove(it)).is_none()
            });
            if hunk.expected.is_empty() && hunk.found.is_empty() {
                continue;
            }
            match accepted.reason(&hunk) {
                Some(reason) => outcome.accepted.push((reason, hunk)),
                None => outcome.differences.push(hunk),
            }
        }
    }
    outcome.recordings = recordings;
    outcome
}

impl Outcome {
    /// Returns the lines of the first difference, without their numbers. A smaller
    /// session differs in the same way if its value is equal.
    pub(crate) fn kind(&self) -> Option<[String; 2]> {
        let first = self.differences.first()?;
        Some([&first.expected, &first.found].map(|lines| {
            let line = lines.first().map_or("", String::as_str);
            line.replace(|it: char| it.is_ascii_digit(), "")
        }))
    }

    /// Writes the case, the recordings and the differences.
    pub(crate) fn write(&self, folder: &Path, case: &str) {
        std::fs::create_dir_all(folder).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("case.json", case);
        for recorded in &self.recordings {
            write(&format!("{}.raw", recorded.name), &recorded.raw);
            write(
                &format!("{}.txt", recorded.name),
                &recorded.lines.join("\n"),
            );
        }
        let hunks = serde_json::to_string_pretty(&self.differences).unwrap();
        write("differences.json", &hunks);
    }
}

fn raw(entries: &[Entry], complaints: &str) -> String {
    let mut lines: Vec<_> = entries
        .iter()
        .map(|entry| match entry {
            Entry::Sent(line) => format!("> {line}"),
            Entry::Received(line) => format!("< {line}"),
            other => format!("{other:?}"),
        })
        .collect();
    lines.push(complaints.to_owned());
    lines.join("\n")
}

/// Returns the longest common subsequence of lines.
fn common(one: &[String], other: &[String]) -> Vec<String> {
    let mut longest = vec![vec![0_usize; other.len() + 1]; one.len() + 1];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            longest[i][j] = if one[i] == other[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut common = vec![];
    while i < one.len() && j < other.len() {
        if one[i] == other[j] {
            common.push(one[i].clone());
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    common
}

/// Returns the lines that are not in the sequence. A repeated line is returned as often
/// as the sequence lacks it.
fn without(lines: &[String], sequence: &[String]) -> Vec<String> {
    let mut rest = lines.to_vec();
    for line in sequence {
        if let Some(place) = rest.iter().position(|it| it == line) {
            rest.remove(place);
        }
    }
    rest
}
