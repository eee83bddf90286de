//! Checks of properties that every system has.

use super::tree;
use agentwire_interop::Message;
use agentwire_interop::conversion::{Residue, System, export, import, undo_export, undo_import};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

/// Checks that undoing an export with the residue restores the messages. Without the residue,
/// exporting the result again must have the same output.
pub(crate) fn export_round_trip<S: System + Copy>(
    system: S,
    messages: &[Message],
) -> Result<(), TestCaseError> {
    let exported = export(system, messages.to_vec());
    let residue = written_and_read(&exported.residue);
    let back = undo_export(system, exported.made.clone(), residue);
    prop_assert_eq!(back.refused, vec![]);
    prop_assert_eq!(tree(&back.pieces), tree(&messages));
    if exported.losses.is_empty() {
        let back = undo_export(system, exported.made.clone(), Residue::default());
        prop_assert_eq!(content(&back.pieces), content(messages), "nothing was lost");
    }
    let projected = undo_export(system, exported.made.clone(), Residue::default()).pieces;
    prop_assert_eq!(
        tree(&export(system, projected).made),
        tree(&exported.made),
        "the projection is not stable"
    );
    Ok(())
}

/// Returns the content of messages. Consecutive messages of one role are merged, and empty
/// results become results without content.
fn content(messages: &[Message]) -> Vec<(Option<String>, Value)> {
    let mut merged: Vec<(Option<String>, Vec<Value>)> = Vec::new();
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
        match merged.last_mut() {
            Some((last, before)) if *last == tag => before.extend(blocks),
            _ => merged.push((tag, blocks)),
        }
    }
    let merged = merged.into_iter();
    merged.map(|(tag, blocks)| (tag, blocks.into())).collect()
}

/// Checks that undoing an import with the residue restores the items. Without the residue, the
/// items may have another form, because other systems have several forms of the same content.
pub(crate) fn import_round_trip<S: System + Copy>(
    system: S,
    items: &[S::Item],
) -> Result<(), TestCaseError> {
    let exported = import(system, items.to_vec());
    let residue = written_and_read(&exported.residue);
    let back = undo_import(system, exported.made.clone(), residue);
    prop_assert_eq!(back.refused, vec![]);
    prop_assert_eq!(tree(&back.pieces), tree(&items));
    Ok(())
}

/// Checks that replacing or removing the piece at `at` does not change the other messages.
pub(crate) fn edits_affect_only_one_message<S: System + Copy>(
    system: S,
    messages: &[Message],
    at: usize,
    by: Option<S::Item>,
) -> Result<(), TestCaseError> {
    let exported = export(system, messages.to_vec());
    if exported.made.is_empty() {
        return Ok(());
    }
    let mut edited = exported.made.clone();
    let at = at % edited.len();
    let gone = edited.remove(at);
    if let Some(by) = by {
        if tree(&by) == tree(&gone) {
            return Ok(());
        }
        edited.insert(at, by);
    }
    let back = undo_export(system, edited, exported.residue.clone());
    prop_assert!(back.refused.len() <= 1, "{:?}", back.refused);
    // All messages are restored, except the edited one.
    let pieces = tree(&back.pieces);
    let pieces = pieces.as_array().unwrap();
    let restored = messages
        .iter()
        .filter(|it| pieces.contains(&tree(it)))
        .count();
    prop_assert!(
        restored + 1 >= messages.len(),
        "{restored} of {} restored",
        messages.len()
    );
    Ok(())
}

fn written_and_read(residue: &Residue) -> Residue {
    let text = serde_json::to_string(residue).unwrap();
    serde_json::from_str(&text).unwrap()
}
