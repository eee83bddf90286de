//! What holds for every system.

use super::tree;
use agentwire_interop::Message;
use agentwire_interop::conversion::{Residue, System, export, import, undo_export, undo_import};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

/// There and back with the residue is the original, and nothing is refused;
/// and what comes back without it becomes the same there again.
pub(crate) fn there_and_back<S: System + Copy>(
    system: S,
    messages: &[Message],
) -> Result<(), TestCaseError> {
    let carried = export(system, messages.to_vec());
    let residue = written_and_read(&carried.residue);
    let back = undo_export(system, carried.made.clone(), residue);
    prop_assert_eq!(back.refused, vec![]);
    prop_assert_eq!(tree(&back.pieces), tree(&messages));
    if carried.losses.is_empty() {
        let back = undo_export(system, carried.made.clone(), Residue::default());
        prop_assert_eq!(said(&back.pieces), said(messages), "nothing was lost");
    }
    let projected = undo_export(system, carried.made.clone(), Residue::default()).pieces;
    prop_assert_eq!(
        tree(&export(system, projected).made),
        tree(&carried.made),
        "the projection is not stable"
    );
    Ok(())
}

/// What is said in messages: what one side says one after another, and what
/// tools answer before it, is one thing, and an empty answer is one without
/// content.
fn said(messages: &[Message]) -> Vec<(Option<String>, Value)> {
    let mut said: Vec<(Option<String>, Vec<Value>)> = Vec::new();
    for message in messages {
        let mut message = tree(message);
        let tag = message["type"].as_str().map(str::to_owned);
        let mut blocks = match message["message"]["content"].take() {
            Value::Array(blocks) => blocks,
            Value::Null => vec![message],
            text => vec![json!({"type": "text", "text": text})],
        };
        for block in &mut blocks {
            if block["type"] == "tool_result" && block["content"] == json!("") {
                block.as_object_mut().unwrap().remove("content");
            }
        }
        match said.last_mut() {
            Some((last, before)) if *last == tag => before.extend(blocks),
            _ => said.push((tag, blocks)),
        }
    }
    let whole = said.into_iter();
    whole.map(|(tag, blocks)| (tag, blocks.into())).collect()
}

/// The same for a conversation of theirs. What comes back without the residue
/// need not become the same: other systems say one thing in several ways.
pub(crate) fn back_and_there<S: System + Copy>(
    system: S,
    items: &[S::Item],
) -> Result<(), TestCaseError> {
    let carried = import(system, items.to_vec());
    let residue = written_and_read(&carried.residue);
    let back = undo_import(system, carried.made.clone(), residue);
    prop_assert_eq!(back.refused, vec![]);
    prop_assert_eq!(tree(&back.pieces), tree(&items));
    Ok(())
}

/// What was not edited is restored, and the residue of what was is refused:
/// the piece at `at` is replaced by `by`, or taken away.
pub(crate) fn edits_cost_only_what_was_edited<S: System + Copy>(
    system: S,
    messages: &[Message],
    at: usize,
    by: Option<S::Item>,
) -> Result<(), TestCaseError> {
    let carried = export(system, messages.to_vec());
    if carried.made.is_empty() {
        return Ok(());
    }
    let mut edited = carried.made.clone();
    let at = at % edited.len();
    let gone = edited.remove(at);
    if let Some(by) = by {
        if tree(&by) == tree(&gone) {
            return Ok(());
        }
        edited.insert(at, by);
    }
    let back = undo_export(system, edited, carried.residue.clone());
    prop_assert!(back.refused.len() <= 1, "{:?}", back.refused);
    // All but the message that was edited are what they were.
    let pieces = tree(&back.pieces);
    let pieces = pieces.as_array().unwrap();
    let kept = messages
        .iter()
        .filter(|it| pieces.contains(&tree(it)))
        .count();
    prop_assert!(
        kept + 1 >= messages.len(),
        "{kept} of {} kept",
        messages.len()
    );
    Ok(())
}

fn written_and_read(residue: &Residue) -> Residue {
    let text = serde_json::to_string(residue).unwrap();
    serde_json::from_str(&text).unwrap()
}
