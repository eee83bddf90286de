//! Conformance: compares a CLI with the fake agent, and tests an SDK with
//! misbehaving agents.

pub mod cli;
mod process;
pub mod sdk;

use std::time::Duration;

/// Returns the message about a session that ended at the deadline.
fn timed_out(deadline: Duration) -> String {
    format!("timed out after {} s", deadline.as_secs_f32())
}

/// Shortens a text to a maximum number of characters.
fn short(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some((end, _)) => format!("{} … ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
