//! Tests of edits of an exported session.

use crate::session::{answer, assistant, call, convert, parsed, prompt, text};
use crate::support::{REAL, lines, recordings, tree};
use agentwire_interop::conversion::{RestoreStep, Restorer, System};
use agentwire_interop::session::{Line, Session};
use serde_json::{Value, json};

#[test]
fn an_edit_of_a_line_with_several_blocks_affects_only_that_line() {
    let mut several = assistant("m1", text("I will"));
    several["message"]["content"] = json!([text("I will"), call("a")]);
    let mut results = answer("a");
    results["message"]["content"] = json!([
        {"type": "tool_result", "tool_use_id": "a", "content": "done"},
        text("And now?"),
    ]);
    let mut lines = vec![prompt("go"), several, results];
    lines.push(assistant("m2", text("yes")));
    for (index, line) in lines.iter_mut().enumerate() {
        line["uuid"] = format!("uuid-{index}").into();
    }
    lines.insert(3, json!({"type": "result", "subtype": "success"}));
    let session = || Session::new(agentwire_interop::chat::Chat);
    let exported = convert(session(), &parsed(&lines));
    let made = serde_json::to_string(&exported.made).unwrap();
    for (edited, line, blocks) in [
        ("I will", 1, json!([["I will!"], ["a"]])),
        ("And now?", 2, json!([["a"], ["And now?!"]])),
        ("done", 2, json!([["a"], ["And now?"]])),
    ] {
        let items = made.replace(edited, &format!("{edited}!"));
        let back = Restorer::new(
            session(),
            serde_json::from_str::<Vec<_>>(&items).unwrap(),
            exported.residue.groups.clone(),
        );
        let back: Vec<Value> = back
            .filter_map(RestoreStep::piece)
            .map(|it| tree(&it))
            .collect();
        let (before, rest) = back.split_at(line);
        let (now, after) = rest.split_at(2);
        assert_eq!(before, &lines[..line], "{edited}");
        assert_eq!(after, &lines[line + 1..], "{edited}");
        let named = |line: &Value| -> Value {
            let blocks = line["message"]["content"].as_array().unwrap().iter();
            let names = ["text", "id", "tool_use_id"];
            let named = |block: &Value| names.iter().find_map(|name| block.get(name).cloned());
            blocks.map(|block| named(block).unwrap()).collect()
        };
        assert_eq!(now.iter().map(named).collect::<Value>(), blocks);
        assert_eq!(now[0]["uuid"], lines[line]["uuid"]);
        assert_eq!(now[1].get("uuid"), None);
        for now in now {
            assert_eq!(now["message"]["id"], lines[line]["message"]["id"]);
        }
    }
}

/// Changes a text of an item that is not a name. Returns whether the item has such a text.
fn edited(item: &mut Value) -> bool {
    match item {
        Value::Object(members) => members.iter_mut().any(|(name, value)| match value {
            Value::String(text) if ["text", "content", "output"].contains(&&**name) => {
                text.push_str(" EDITED");
                true
            }
            Value::String(_) => false,
            value => edited(value),
        }),
        Value::Array(items) => items.iter_mut().any(edited),
        _ => false,
    }
}

/// Replaces each list with a single text by the text, because formats do not distinguish them
/// after results.
fn plain(value: Value) -> Value {
    match value {
        Value::Array(items) => match &items[..] {
            [item] if item["text"].is_string() => item["text"].clone(),
            _ => items.into_iter().map(plain).collect(),
        },
        Value::Object(members) => {
            let members = members.into_iter();
            members.map(|(name, value)| (name, plain(value))).collect()
        }
        leaf => leaf,
    }
}

/// Counts the messages of lines. Messages of the model are counted by ID, other messages by
/// line.
fn messages_of(lines: &[&Value]) -> usize {
    let mut ids: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(index, line)| match line["message"]["id"].as_str() {
            Some(id) => id.to_owned(),
            None => index.to_string(),
        })
        .collect();
    ids.sort();
    ids.dedup();
    ids.len()
}

/// Checks that each edit of one item changes only the lines of one message, and that exporting
/// the restored lines returns the edited items.
fn edits_change_only_one_message<S: System + Clone>(system: &S, lines: &[Line]) -> usize {
    let session = || Session::new(system.clone());
    let exported = convert(session(), lines);
    let before: Vec<Value> = lines.iter().map(tree).collect();
    let made: Vec<Value> = exported.made.iter().map(tree).collect();
    let mut edits = 0;
    for at in 0..made.len() {
        for removes in [false, true] {
            let mut items = made.clone();
            if removes {
                items.remove(at);
            } else if !edited(&mut items[at]) {
                continue;
            }
            edits += 1;
            let pieces: Vec<S::Item> = items
                .iter()
                .map(|item| serde_json::from_value(item.clone()).unwrap())
                .collect();
            let back: Vec<Line> = Restorer::new(session(), pieces, exported.residue.groups.clone())
                .filter_map(RestoreStep::piece)
                .collect();
            let trees: Vec<Value> = back.iter().map(tree).collect();
            let mut left: Vec<&Value> = trees.iter().collect();
            let mut gone = Vec::new();
            for line in &before {
                match left.iter().position(|it| *it == line) {
                    Some(at) => _ = left.remove(at),
                    None => gone.push(line),
                }
            }
            let what = || {
                let item = &items[at.min(items.len() - 1)];
                format!("{item:#}\nof {:#}\ngone {gone:#?}", made[at])
            };
            // If a result is removed, the prompt after it changes, too: the prompt no longer
            // follows a result.
            assert!(messages_of(&gone) <= 1 + usize::from(removes), "{}", what());
            if !removes {
                assert_eq!(messages_of(&gone), 1, "{}", what());
                assert_eq!(trees.len(), before.len(), "{}", what());
                // Lines of one message stay together.
                assert!(
                    trees.iter().all(
                        |line| line["type"] != "assistant" || line["message"]["id"].is_string()
                    ),
                    "{}",
                    what()
                );
                let again = convert(session(), &back);
                let again: Vec<Value> = again.made.iter().map(tree).collect();
                let [again, items] = [again, items.clone()].map(|items| plain(items.into()));
                assert_eq!(again, items, "{}", what());
            }
        }
    }
    edits
}

#[test]
fn an_edit_affects_only_the_lines_of_one_message() {
    let (chat, responses) = (
        agentwire_interop::chat::Chat,
        agentwire_interop::responses::Responses,
    );
    let (bridgic, cua) = (
        agentwire_interop::bridgic::Chat,
        agentwire_interop::cua::Cua::default(),
    );
    let mut edits = 0;
    // Each recorded session is converted to only one system, because the time is quadratic in
    // the number of lines.
    for (index, lines) in recordings().iter().enumerate() {
        edits += match index % 4 {
            0 => edits_change_only_one_message(&chat, lines),
            1 => edits_change_only_one_message(&responses, lines),
            2 => edits_change_only_one_message(&bridgic, lines),
            _ => edits_change_only_one_message(&cua, lines),
        };
    }
    let real = lines(REAL);
    edits += edits_change_only_one_message(&chat, &real);
    edits += edits_change_only_one_message(&responses, &real);
    edits += edits_change_only_one_message(&bridgic, &real);
    edits += edits_change_only_one_message(&cua, &real);
    assert!(edits > 400, "{edits}");
}
