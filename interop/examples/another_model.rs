//! Converts a session to Chat Completions, prints the losses, edits a message, and converts it back.

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire_interop::chat::Chat;
use agentwire_interop::conversion::{convert, undo};
use agentwire_interop::session::{Line, Session};
use std::collections::BTreeMap;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // The lines of an agent CLI and its host.
    let session = include_str!("../tests/sessions/real.ndjson");
    let lines: Vec<Line> = session
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;

    // Convert them to messages of Chat Completions.
    let carried = convert(Session::new(Chat), lines.clone());
    println!("{} lines are {} messages:", lines.len(), carried.made.len());
    for message in &carried.made {
        let text = serde_json::to_string(message)?;
        println!("  {}", text.chars().take(90).collect::<String>());
    }

    let mut lost: BTreeMap<String, usize> = BTreeMap::new();
    for loss in &carried.losses {
        *lost
            .entry(format!("{} ({})", loss.what, loss.why))
            .or_default() += 1;
    }
    println!("what has no place there:");
    for (what, count) in lost.iter().take(5) {
        println!("  {count} × {what}");
    }

    // Edit a message and convert back: other lines are restored exactly.
    let mut edited = carried.made;
    if let Some(last) = edited.last_mut() {
        *last = serde_json::from_str(r#"{"role": "assistant", "content": "Any time."}"#)?;
    }
    let back = undo(Session::new(Chat), edited, carried.residue);
    println!(
        "{} lines came back, {} part of the residue was refused",
        back.pieces.len(),
        back.refused.len()
    );
    Ok(())
}
