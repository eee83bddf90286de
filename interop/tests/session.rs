//! The lines of a session as a conversation.

#![allow(clippy::unwrap_used)]

mod support;

use agentwire_interop::conversion::{Back, Converter, Group, Loss, Lost, WayBack, Why};
use agentwire_interop::session::{self, Line, Session, Superseded};
use agentwire_protocol::Json;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use support::lines::{self, Lines};
use support::{ours, tree};

fn parsed(lines: &[Value]) -> Vec<Line> {
    lines
        .iter()
        .cloned()
        .map(|line| Line::from(Json::from(line)))
        .collect()
}

struct Carried {
    made: Vec<lines::Line>,
    losses: Vec<Loss>,
    groups: Vec<Group>,
}

fn convert(session: Session<Lines>, lines: &[Line]) -> Carried {
    let mut converter = Converter::new(session);
    let mut carried = Carried {
        made: vec![],
        losses: vec![],
        groups: vec![],
    };
    let mut take = |converted: agentwire_interop::conversion::Converted<lines::Line>| {
        carried.made.extend(converted.made);
        carried.losses.extend(converted.losses);
        carried.groups.push(converted.group);
    };
    for line in lines {
        converter.push(line.clone()).map(&mut take);
    }
    converter.finish().map(take);
    carried
}

fn comes_back(session: Session<Lines>, lines: &[Line]) -> Carried {
    let carried = convert(session.clone(), lines);
    let back: Vec<Line> = WayBack::new(session, carried.made.clone(), carried.groups.clone())
        .map(|step| match step {
            Back::Restored(line) => line,
            other => panic!("{other:?}"),
        })
        .collect();
    let [back, lines]: [Vec<Value>; 2] =
        [&back[..], lines].map(|lines| lines.iter().map(tree).collect());
    assert_eq!(back, lines);
    carried
}

fn assistant(id: &str, block: Value) -> Value {
    json!({"type": "assistant", "message": {"id": id, "role": "assistant", "content": [block]},
           "parent_tool_use_id": null})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}})
}

fn answer(id: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": "done"}]}})
}

fn prompt(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

fn contents(lines: &[Line], thread: Option<&str>) -> Vec<Value> {
    session::messages(lines, thread)
        .iter()
        .map(|message| tree(message)["message"]["content"].take())
        .collect()
}

#[test]
fn blocks_of_a_message_are_one_message_and_answers_follow_it() {
    let lines = parsed(&[
        prompt("go"),
        assistant("m1", text("I will")),
        assistant("m1", call("a")),
        answer("a"),
        assistant("m1", call("b")),
        prompt("and hurry"),
        answer("b"),
        assistant("m2", text("done")),
    ]);
    let result = |id| json!({"type": "tool_result", "tool_use_id": id, "content": "done"});
    assert_eq!(
        contents(&lines, None),
        [
            json!("go"),
            json!([text("I will"), call("a"), call("b")]),
            json!([result("a"), result("b")]),
            json!("and hurry"),
            json!([text("done")]),
        ]
    );
    comes_back(Session::new(Lines), &lines);
}

#[test]
fn a_call_without_an_answer_gets_one_and_an_answer_without_a_call_goes() {
    let lines = parsed(&[
        answer("x"),
        assistant("m1", call("a")),
        assistant("m2", text("hm")),
        answer("y"),
    ]);
    let contents = contents(&lines, None);
    assert_eq!(contents.len(), 3);
    assert_eq!(contents[1][0]["tool_use_id"], "a");
    assert_eq!(contents[1][0]["is_error"], true);
    comes_back(Session::new(Lines), &lines);
}

#[test]
fn what_was_superseded_is_left_out_and_a_prompt_stands_where_it_was_taken_up() {
    let mut replaced = assistant("m1", text("no"));
    replaced["uuid"] = "u1".into();
    let mut better = assistant("m2", text("yes"));
    better["supersedes"] = json!(["u1"]);
    let mut written = prompt("later");
    written["uuid"] = "p".into();
    let mut echo = written.clone();
    echo["isReplay"] = true.into();
    let lines = parsed(&[written, replaced, better, echo]);
    assert_eq!(
        contents(&lines, None),
        [json!([text("yes")]), json!("later")]
    );
    let mut superseded = Superseded::default();
    for line in &lines {
        superseded.note(line);
    }
    let carried = comes_back(Session::new(Lines).without(superseded), &lines);
    let whole: Vec<_> = carried
        .losses
        .iter()
        .filter(|loss| matches!(loss.what, Lost::Whole(_)))
        .map(|loss| (loss.index, loss.why))
        .collect();
    assert_eq!(whole, [(0, Why::Superseded), (1, Why::Superseded)]);
}

#[test]
fn sub_agents_are_conversations_of_their_own() {
    let mut inside = assistant("s1", text("below"));
    inside["parent_tool_use_id"] = "task".into();
    let lines = parsed(&[
        prompt("go"),
        assistant("m1", call("task")),
        inside,
        answer("task"),
        assistant("m2", text("above")),
    ]);
    assert_eq!(contents(&lines, None).len(), 4);
    assert_eq!(contents(&lines, Some("task")), [json!([text("below")])]);
    let carried = comes_back(Session::new(Lines), &lines);
    assert!(
        carried
            .losses
            .iter()
            .any(|loss| loss.index == 2 && loss.why == Why::Subagent)
    );
    let carried = comes_back(Session::new(Lines).of("task"), &lines);
    assert_eq!(carried.made.len(), 1);
    assert_eq!(carried.made[0].text, "below");
}

#[test]
fn recorded_sessions_come_back_line_by_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/recordings");
    let mut sessions = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "ndjson")
        {
            continue;
        }
        let recording = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Line> = recording
            .lines()
            .filter_map(|entry| serde_json::from_str::<Json>(entry).unwrap().member("msg"))
            .filter(|message| message.get().starts_with('{'))
            .map(Line::from)
            .collect();
        comes_back(Session::new(Lines), &lines);
        sessions += 1;
    }
    assert!(sessions > 10, "{sessions}");
}

/// The lines that a conversation is on the wire, with others between them.
fn wire() -> impl Strategy<Value = Vec<Line>> {
    let noise = prop::sample::select(vec![
        json!({"type": "stream_event", "event": {"type": "ping"}}),
        json!({"type": "system", "subtype": "status", "status": null}),
        json!({"type": "result", "subtype": "success"}),
        json!({"type": "user"}),
        json!({"no": "type"}),
        json!([1]),
    ]);
    let noise = prop::collection::vec((any::<prop::sample::Index>(), noise), 0..6);
    (ours::conversation(), noise).prop_map(|(messages, noise)| {
        let mut lines: Vec<Value> = Vec::new();
        for message in &messages {
            let message = tree(message);
            match message["message"]["content"].as_array() {
                Some(blocks) if message["type"] == "assistant" => {
                    lines.extend(blocks.iter().map(|block| {
                        let mut line = message.clone();
                        line["message"]["content"] = json!([block]);
                        line
                    }));
                }
                _ => lines.push(message),
            }
        }
        for (index, noise) in noise {
            lines.insert(index.index(lines.len() + 1), noise);
        }
        parsed(&lines)
    })
}

proptest! {
    #[test]
    fn any_lines_come_back(lines in wire()) {
        comes_back(Session::new(Lines), &lines);
    }
}
