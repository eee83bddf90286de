//! Tests of views: their size, their copies, and hostile sessions.

#![allow(clippy::unwrap_used)]

use agentwire_protocol::{Json, Message, visible};
use agentwire_view::{Body, Change, Entries, Entry, Input, Limits, Numbered, View};
use proptest::prelude::*;
use serde_json::{Value, json};

fn message(value: &Value) -> Message {
    Json::from(value.clone()).read().unwrap()
}

fn start(id: &str) -> Value {
    json!({"type": "stream_event", "event": {"type": "message_start", "message": {"id": id}}})
}

fn open(block: &Value) -> Value {
    json!({"type": "stream_event", "event":
        {"type": "content_block_start", "index": 0, "content_block": block}})
}

fn delta(delta: &Value) -> Value {
    json!({"type": "stream_event", "event":
        {"type": "content_block_delta", "index": 0, "delta": delta}})
}

fn whole(id: &str, block: &Value) -> Value {
    json!({"type": "assistant", "uuid": format!("{id}-{block}"), "message":
        {"id": id, "role": "assistant", "content": [block]}})
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn result(id: &str, text: &str, output: &Value) -> Value {
    json!({"type": "user", "message": {"role": "user", "content":
        [{"type": "tool_result", "tool_use_id": id, "content": text}]}, "tool_use_result": output})
}

/// Returns the length of changes as JSON.
fn length(changes: &[Numbered]) -> usize {
    let json = changes.iter().map(|it| serde_json::to_string(it).unwrap());
    json.map(|it| it.len()).sum()
}

#[test]
fn a_delta_makes_a_change_of_its_own_size_whatever_the_length_of_the_text() {
    let mut view = View::new();
    view.push(&message(&start("m")));
    view.push(&message(&open(&json!({"type": "text", "text": ""}))));
    let piece = message(&delta(
        &json!({"type": "text_delta", "text": "twenty bytes of text"}),
    ));
    let mut lengths: Vec<usize> = (0..100_000).map(|_| length(view.push(&piece))).collect();
    // The first change is the entry. Numbers have up to six digits.
    lengths.remove(0);
    let (least, most) = (lengths.iter().min().unwrap(), lengths.iter().max().unwrap());
    assert!(*most < 110 && most - least <= 6, "{least} to {most}");
    let Some(Body::Text(text)) = view.get("m/text/0").map(|it| &it.body) else {
        panic!("no text");
    };
    assert_eq!(text.text.text.len(), 2_000_000);
}

#[test]
fn ten_thousand_calls_and_large_outputs_are_linear_and_bounded() {
    let output = "line of output\n".repeat(70_000);
    let run = |count: usize| {
        let mut limits = Limits::default();
        limits.entries = 500;
        let mut view = View::with_limits(limits);
        let mut total = 0;
        for number in 0..count {
            let id = format!("toolu_{number}");
            let input = json!({"command": "cargo test"});
            total += length(view.push(&message(&whole("m", &call(&id, "Bash", &input)))));
            let text = if number % 1_000 == 0 { &output } else { "ok" };
            let told = json!({"stdout": text, "stderr": "", "interrupted": false});
            total += length(view.push(&message(&result(&id, text, &told))));
            assert!(view.len() <= 500);
        }
        let snapshot = serde_json::to_string(&view.snapshot()).unwrap();
        (total, snapshot.len())
    };
    let (half, _) = run(5_000);
    let (all, snapshot) = run(10_000);
    assert!(all <= half * 21 / 10, "{half} and {all}");
    // Ten outputs of a megabyte are ten times 64 KiB.
    assert!(all < 10 * 70_000 + 10_000 * 1_000, "{all}");
    assert!(snapshot < 70_000 + 500 * 1_000, "{snapshot}");
}

/// A gateway that uses one message ID for all replies, and calls that never get a result.
#[test]
fn calls_without_results_and_texts_of_one_message_are_linear_and_bounded() {
    let mut view = View::new();
    for number in 0..20_000 {
        let mut text = whole("m", &json!({"type": "text", "text": "Again."}));
        text["uuid"] = format!("t{number}").into();
        view.push(&message(&text));
        let input = json!({"command": "ls"});
        view.push(&message(&whole(
            "m",
            &call(&format!("c{number}"), "Bash", &input),
        )));
    }
    assert!(view.len() <= 10_000);
    // The last calls are still followed.
    view.push(&message(&result("c19999", "ok", &json!({"stdout": "ok"}))));
    let Some(Body::ToolCall(last)) = view.get("c19999").map(|it| &it.body) else {
        panic!("no call");
    };
    assert_eq!(serde_json::to_value(last.status).unwrap(), "completed");
}

#[test]
fn changes_are_remembered_up_to_the_limit() {
    let mut limits = Limits::default();
    limits.changes = 64 * 1024;
    let mut view = View::with_limits(limits);
    view.push(&message(&start("m")));
    view.push(&message(&open(&json!({"type": "text", "text": ""}))));
    for _ in 0..10_000 {
        view.push(&message(&delta(
            &json!({"type": "text_delta", "text": "word "}),
        )));
    }
    let last = view.number();
    assert_eq!(last, 10_000);
    assert_eq!(view.since(last), Some(&[][..]));
    assert_eq!(view.since(last - 10).unwrap().len(), 10);
    assert!(view.since(1).is_none() && view.since(last + 1).is_none());
}

/// One message of each kind that a view shows. The number makes IDs that other messages may
/// have, too.
fn any_message() -> impl Strategy<Value = Value> {
    let id = || (0..4_u8).prop_map(|it| format!("id{it}"));
    let text = || {
        prop_oneof![
            Just("plain".to_owned()),
            Just("\u{202e}evil\u{1b}[2J\u{7}\u{200b}".to_owned()),
            "\\PC{0,40}",
            ".{0,20}",
        ]
    };
    let input = || {
        (id(), text(), text()).prop_map(|(id, a, b)| {
            json!({"command": a, "file_path": a, "old_string": a, "new_string": b, "content": b,
                "pattern": a, "url": a, "query": a, "description": a, "prompt": b,
                "subagent_type": a, "plan": a, "task_id": id, "todos": [{"content": a,
                "status": "pending"}], "questions": [{"question": a, "header": b,
                "options": [{"label": a, "description": b}]}]})
        })
    };
    let tool = || {
        prop::sample::select(vec![
            "Bash",
            "Read",
            "Edit",
            "Write",
            "Grep",
            "Glob",
            "WebFetch",
            "WebSearch",
            "TodoWrite",
            "ExitPlanMode",
            "AskUserQuestion",
            "Task",
            "Monitor",
            "mcp__a__b",
            "Odd\u{202e}",
        ])
    };
    let output = || {
        (text(), any::<bool>()).prop_map(|(text, flag)| {
            json!({"stdout": text, "stderr": text, "interrupted": flag, "filePath": text,
                "structuredPatch": [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1,
                "lines": [text]}], "filenames": [text], "content": text, "mode": "content",
                "file": {"content": text, "filePath": text}, "result": text, "results":
                [{"content": [{"url": text, "title": text}]}, text], "status": "async_launched",
                "agentId": "id0", "answers": {text.clone(): text}, "questions": [{"question": text}]})
        })
    };
    let parent = || prop::option::of(id());
    prop_oneof![
        id().prop_map(|id| start(&id)),
        text().prop_map(|it| open(&json!({"type": "text", "text": it}))),
        Just(open(&json!({"type": "thinking", "thinking": ""}))),
        (id(), tool()).prop_map(|(id, tool)| open(&call(&id, tool, &json!({})))),
        text().prop_map(|it| delta(&json!({"type": "text_delta", "text": it}))),
        text().prop_map(|it| delta(&json!({"type": "thinking_delta", "thinking": it}))),
        text().prop_map(|it| delta(&json!({"type": "input_json_delta", "partial_json": it}))),
        (id(), text()).prop_map(|(id, it)| whole(&id, &json!({"type": "text", "text": it}))),
        (id(), text())
            .prop_map(|(id, it)| whole(&id, &json!({"type": "thinking", "thinking": it}))),
        (id(), id(), tool(), input(), parent()).prop_map(|(message, id, tool, input, parent)| {
            let mut line = whole(&message, &call(&id, tool, &input));
            line["parent_tool_use_id"] = json!(parent);
            line
        }),
        (id(), text(), output(), any::<bool>()).prop_map(|(id, text, output, failed)| {
            let mut line = result(&id, &text, &output);
            line["message"]["content"][0]["is_error"] = failed.into();
            line
        }),
        (id(), text(), parent()).prop_map(|(id, text, parent)| {
            json!({"type": "user", "uuid": id, "parent_tool_use_id": parent,
                "message": {"role": "user", "content": text}})
        }),
        (id(), text()).prop_map(|(id, text)| {
            json!({"type": "system", "subtype": "task_notification", "task_id": "id0",
                "tool_use_id": id, "status": "completed", "summary": text})
        }),
        (id(), text()).prop_map(|(id, text)| {
            json!({"type": "system", "subtype": "informational", "uuid": id, "content": text})
        }),
        text().prop_map(|it| json!({"type": "system", "subtype": "init", "cwd": it, "model": it})),
        text().prop_map(|it| {
            json!({"type": "system", "subtype": "api_retry", "error": it, "attempt": 1})
        }),
        (id(), text()).prop_map(|(id, it)| {
            json!({"type": "result", "subtype": "success", "is_error": true, "uuid": id,
                "result": it})
        }),
        id().prop_map(|id| {
            json!({"type": "conversation_reset", "new_conversation_id": id,
                "user_message_uuid": id})
        }),
    ]
}

/// Returns the entries of a view or of a copy, those of a sub-agent after it.
fn all(entries: &dyn Fn(Option<&str>) -> Vec<Entry>, parent: Option<&str>) -> Vec<Entry> {
    let mut found = Vec::new();
    for entry in entries(parent) {
        let id = entry.id.clone();
        found.push(entry);
        found.extend(all(entries, Some(&id)));
    }
    found
}

fn of_view(view: &View) -> Vec<Entry> {
    all(
        &|parent| match parent {
            None => view.entries().cloned().collect(),
            Some(parent) => view.children(parent).cloned().collect(),
        },
        None,
    )
}

fn of_copy(copy: &Entries) -> Vec<Entry> {
    all(&|parent| copy.of(parent).cloned().collect(), None)
}

/// Asserts that a text of the snapshot can be displayed.
fn assert_visible(value: &Value, member: &str) {
    const OPAQUE: &[&str] = &["id", "parent", "data", "approval", "tool_call", "before"];
    match value {
        Value::String(text) if !OPAQUE.contains(&member) => {
            let is_hidden = |c| visible::is_hidden(c) && !matches!(c, '\n' | '\t');
            assert!(!text.contains(is_hidden), "{member}: {text:?}");
        }
        Value::Array(values) => values.iter().for_each(|it| assert_visible(it, member)),
        Value::Object(members) => members
            .iter()
            .for_each(|(name, it)| assert_visible(it, name)),
        _ => {}
    }
}

#[cfg(feature = "acp")]
#[path = "updates/acp.rs"]
mod acp;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn copies_are_equal_and_texts_are_visible(
        lines in prop::collection::vec(any_message(), 0..60), away in 0..60_usize,
    ) {
        let mut limits = Limits::default();
        limits.entries = 12;
        let mut view = View::with_limits(limits);
        let (mut copy, mut late) = (Entries::default(), Entries::default());
        let mut number = 0;
        for (at, line) in lines.iter().enumerate() {
            for Numbered { change, .. } in view.push(&message(line)) {
                copy.apply(change);
                assert_visible(&serde_json::to_value(change).unwrap(), "");
            }
            // A page that was away catches up.
            if at >= away {
                for Numbered { change, .. } in view.since(number).unwrap() {
                    late.apply(change);
                }
                number = view.number();
            }
        }
        for Numbered { change, .. } in view.since(number).unwrap() {
            late.apply(change);
        }
        prop_assert!(view.len() <= 12);
        prop_assert_eq!(of_view(&view), of_copy(&copy));
        prop_assert_eq!(of_view(&view), of_copy(&late));
        let snapshot = serde_json::to_value(view.snapshot()).unwrap();
        prop_assert_eq!(snapshot["entries"].as_array().unwrap().len(), view.len());
        assert_visible(&snapshot, "");
    }

    #[test]
    fn a_message_that_arrives_again_changes_nothing(
        lines in prop::collection::vec(any_message(), 0..20),
    ) {
        let is_whole = |it: &&Value| matches!(it["type"].as_str(), Some("assistant" | "result"))
            || it["message"]["content"][0]["type"] == "tool_result";
        let mut view = View::new();
        for line in lines.iter().filter(is_whole) {
            view.push(&message(line));
            let changes = view.push(&message(line)).to_vec();
            prop_assert!(changes.is_empty(), "{line}: {changes:?}");
        }
    }
}

/// Returns the entries of a recorded session, with or without its partial messages.
fn of_recording(text: &str, streamed: bool) -> (View, Vec<Entry>) {
    let mut view = View::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let line = &line["msg"];
        let is_partial = line["type"] == "stream_event";
        if line.is_object() && (streamed || !is_partial) {
            view.push(&message(line));
        }
    }
    view.push(Input::Ended(None));
    let entries = of_view(&view);
    (view, entries)
}

#[test]
fn recorded_sessions_are_the_same_with_and_without_partial_messages() {
    let mut calls = 0;
    for path in agentwire_testing::recordings() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (view, streamed) = of_recording(&text, true);
        let (_, plain) = of_recording(&text, false);
        // A text that was cut off is in partial messages only.
        let is_whole = |it: &&Entry| !matches!(&it.body, Body::Text(it) if !it.complete);
        let whole = |entries: &[Entry]| -> Vec<Entry> {
            // A prompt may have been sent between the partial messages and the whole one.
            let mut entries: Vec<_> = entries.iter().filter(is_whole).cloned().collect();
            entries.sort_by(|a, b| a.id.cmp(&b.id));
            entries
        };
        let (streamed, plain) = (whole(&streamed), whole(&plain));
        let differs = streamed.iter().zip(&plain).find(|(a, b)| a != b);
        assert_eq!(differs, None, "{}", path.display());
        assert_eq!(streamed.len(), plain.len(), "{}", path.display());
        for id in text
            .match_indices(r#""type":"tool_use","id":""#)
            .map(|(at, found)| {
                let rest = &text[at + found.len()..];
                &rest[..rest.find('"').unwrap()]
            })
        {
            calls += 1;
            assert!(view.get(id).is_some(), "{}: {id}", path.display());
        }
    }
    assert!(calls > 10, "{calls}");
}

#[test]
fn a_new_conversation_removes_all_entries() {
    let mut view = View::new();
    view.push(&message(&whole(
        "m",
        &json!({"type": "text", "text": "Hello"}),
    )));
    let reset = json!({"type": "conversation_reset", "new_conversation_id": "2"});
    let changes = view.push(&message(&reset));
    assert!(matches!(changes[0].change, Change::Clear));
    assert!(view.is_empty());
}
