//! A real session as another system has it: what is lost on the way, an edit
//! there, and the way back.

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire_interop::chat::Chat;
use agentwire_interop::conversion::{convert, undo};
use agentwire_interop::session::{Line, Session};
use std::collections::BTreeMap;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // What an agent CLI and its host wrote to each other.
    let session = include_str!("../tests/sessions/real.ndjson");
    let lines: Vec<Line> = session
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;

    // As messages of Chat Completions, which any model takes.
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

    // Somebody says it in another way, and the session is taken back: what
    // was not touched is what it was, line by line.
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
