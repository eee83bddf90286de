//! Conformance: whether an agent CLI, or what drives one, keeps to the
//! protocol as it was measured.

pub mod cli;
mod process;
pub mod sdk;

use std::time::Duration;

/// What is said of a session that the deadline ended.
fn not_over_after(deadline: Duration) -> String {
    format!("it was not over after {} s", deadline.as_secs_f32())
}

/// A text with its end cut off, if it has more characters than so many.
fn short(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some((end, _)) => format!("{} … ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
