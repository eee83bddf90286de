//! Mutates recorded lines: cuts, doubles and splices them, and inserts bytes
//! and tokens. Whatever results does not panic, and a line that can be read is
//! written as the same JSON value. The fuzz targets (`scripts/fuzz`) run the
//! same checks, but need a nightly compiler.
//!
//! `AGENTWIRE_FUZZ_SECONDS=60 cargo test …` runs for a minute.
#![allow(clippy::unwrap_used)]

#[path = "../../fuzz/checks.rs"]
mod checks;
#[path = "common/recorded.rs"]
mod recorded;

use agentwire_testing::{Random, counted};
use std::time::{Duration, Instant};

/// The minimum number of mutated inputs.
const INPUTS: usize = 20_000;

/// Tokens that are inserted at wrong positions.
const TOKENS: &[&str] = &[
    "null",
    "{}",
    "[]",
    "\"\"",
    "true",
    "-0",
    "1e400",
    "1.0",
    "18446744073709551616",
    "\\ud800",
    "\\u0000",
    "\u{2028}",
    "\"type\":\"result\",",
    "\"type\":7,",
    "\"subtype\":null,",
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\u{feff}",
];

#[test]
fn mutated_lines_are_lossless_or_refused() {
    let recorded = recorded::sessions().into_values().flatten();
    let lines: Vec<Vec<u8>> = recorded
        .filter(|it| it.dir == "recv" || it.dir == "send")
        .map(|it| it.line.into_bytes())
        .collect();
    let seconds: u64 =
        std::env::var("AGENTWIRE_FUZZ_SECONDS").map_or(0, |seconds| seconds.parse().unwrap());
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut dice = Random::new(1);
    let mut inputs = 0;
    while inputs < INPUTS || Instant::now() < until {
        let mut input = dice.pick(&lines);
        // A response has an effect only after its request, so some inputs have
        // two lines.
        if dice.below(4) == 0 {
            input.push(b'\n');
            input.extend(dice.pick(&lines));
        }
        for _ in 0..=dice.below(4) {
            mutate(&mut input, &lines, &mut dice);
        }
        checks::frames(&input);
        checks::codec(&input);
        inputs += 1;
    }
    counted(inputs, "spoilt lines");
}

fn mutate(input: &mut Vec<u8>, lines: &[Vec<u8>], dice: &mut Random) {
    let at = dice.below(input.len() + 1);
    let end = (at + dice.below(64)).min(input.len());
    match dice.below(7) {
        0 => drop(input.drain(at..end)),
        1 => {
            let again = input[at..end].to_vec();
            input.splice(at..at, again);
        }
        2 => {
            let token = dice.pick(TOKENS);
            input.splice(at..end, token.bytes());
        }
        3 => {
            let token = dice.pick(TOKENS);
            input.splice(at..at, token.bytes());
        }
        4 => {
            let other = dice.pick(lines);
            let from = dice.below(other.len());
            input.splice(at..end, other[from..].iter().copied());
        }
        5 => input.truncate(at),
        _ => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << dice.below(8);
            }
        }
    }
}
