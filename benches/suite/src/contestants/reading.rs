//! Reads lines from memory on one thread, without a pipe.

use super::{Failure, Outcome};
use agentwire::Frame;
use bytes::Bytes;
use serde_json::Value;
use std::hint::black_box;
use std::time::Instant;

/// Reads every line of the corpus in the given way.
pub(super) fn run(way: &str) -> Outcome {
    let text = Bytes::from(std::fs::read(std::env::var("EMIT_FILE")?)?);
    let lines: Vec<Bytes> = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| text.slice_ref(line))
        .collect();
    let seconds = match way {
        "serde_json::Value" => each(&lines, |line| Ok(serde_json::from_slice::<Value>(line)?)),
        "route" => each(&lines, |line| Ok(Frame::new(line.clone())?)),
        "route and typed read" => each(&lines, |line| Ok(Frame::new(line.clone())?.message())),
        "typed read" => {
            let frames: Result<Vec<_>, _> = lines.into_iter().map(Frame::new).collect();
            each(&frames?, |frame| Ok(frame.message()))
        }
        other => return Err(format!("no contestant {other}").into()),
    }?;
    Ok(vec![("seconds", seconds)])
}

/// The number of passes over all lines. One pass is too short for an exact
/// measurement.
const PASSES: usize = 10;

/// Calls `what` with each item. Returns the seconds per pass.
fn each<T, R>(all: &[T], what: impl Fn(&T) -> Result<R, Failure>) -> Result<f64, Failure> {
    let start = Instant::now();
    for _ in 0..PASSES {
        for one in all {
            black_box(what(one)?);
        }
    }
    Ok(start.elapsed().as_secs_f64() / PASSES as f64)
}
