//! Measures the commands that read whole sessions: `inspect` and `convert`.

use crate::lines::{kinds, repeated};
use crate::{TIMES, built, callgrind, total};
use std::path::Path;

/// Returns the instructions for n, 2n and 4n lines of each kind, without those
/// of the start.
pub(crate) fn all(wanted: &str) -> Vec<(String, [u64; 3])> {
    let commands: &[(&str, &[&str])] = &[
        ("inspect", &["inspect"]),
        (
            "convert",
            &["convert", "--from", "agent", "--to", "openhands"],
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut counted = vec![];
    for (command, arguments) in commands {
        let mut bare = None;
        for kind in kinds() {
            let name = format!("{command}: {}", kind.name);
            if !name.contains(wanted) {
                continue;
            }
            let run = |lines: Vec<u8>| {
                let file = folder.path().join("lines.ndjson");
                std::fs::write(&file, lines).unwrap();
                instructions(arguments, &file)
            };
            let bare = *bare.get_or_insert_with(|| run(vec![]));
            let times = |n| run(repeated(&kind.line, n, true)).saturating_sub(bare);
            counted.push((name, [TIMES, 2 * TIMES, 4 * TIMES].map(times)));
        }
    }
    counted
}

fn instructions(arguments: &[&str], file: &Path) -> u64 {
    let out = file.with_extension("callgrind");
    let mut command = callgrind(&out);
    command.arg(built()).args(arguments).arg(file);
    command.stderr(std::process::Stdio::null());
    command.status().unwrap();
    total(&out).unwrap()
}
