//! Tests of conversions of the lines of a session.

#![allow(clippy::unwrap_used)]

use crate::support;

mod edits;

use agentwire_interop::bridgic::Chat as Bridgic;
use agentwire_interop::chat::Chat;
use agentwire_interop::conversion::{
    self, Conversion, Loss, Lost, RestoreStep, Restorer, System, Why,
};
use agentwire_interop::cua::Cua;
use agentwire_interop::session::{self, Line, Session, Superseded};
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::exact::{Node, unusual_json};
use support::{ours, recordings, tree};

fn parsed(lines: &[Value]) -> Vec<Line> {
    lines
        .iter()
        .cloned()
        .map(|line| Line::from(Json::from(line)))
        .collect()
}

fn convert<S: System>(session: Session<S>, lines: &[Line]) -> Conversion<S::Item> {
    conversion::convert(session, lines.to_vec())
}

fn round_trip<S: System + Clone>(session: Session<S>, lines: &[Line]) -> Conversion<S::Item> {
    let exported = convert(session.clone(), lines);
    let back: Vec<Line> = Restorer::new(
        session,
        exported.made.clone(),
        exported.residue.groups.clone(),
    )
    .map(|step| match step {
        RestoreStep::Restored(line) => line,
        other => panic!("{other:?}"),
    })
    .collect();
    let [back, lines] = [&back[..], lines].map(|lines| {
        let nodes = lines
            .iter()
            .map(|line| Node::read(line.json().get()).sorted());
        nodes.collect::<Vec<_>>()
    });
    assert_eq!(back, lines);
    exported
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
fn blocks_are_merged_and_results_follow() {
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
    round_trip(Session::new(Bridgic), &lines);
}

#[test]
fn blocks_without_ids_are_merged_by_order() {
    let line = |block: Value| {
        json!({
            "type": "assistant", "message": {"content": [block]}, "parent_tool_use_id": null,
        })
    };
    let thought = json!({"type": "thinking", "thinking": "…", "signature": ""});
    let lines = parsed(&[
        prompt("Go"),
        line(thought.clone()),
        line(text("I go.")),
        line(call("1")),
        line(call("2")),
        answer("1"),
        answer("2"),
        // A block after a result begins the next message.
        line(call("3")),
        answer("3"),
        line(text("Done.")),
        line(text("That was all.")),
        line(thought),
    ]);
    let kinds = |message: &agentwire_interop::Message| -> Vec<String> {
        let blocks = message.blocks();
        blocks.iter().filter_map(ContentBlock::tag).collect()
    };
    let messages = session::messages(&lines, None);
    let kinds: Vec<_> = messages.iter().map(kinds).collect();
    let expected: [&[&str]; 8] = [
        &["text"],
        &["thinking", "text", "tool_use", "tool_use"],
        &["tool_result", "tool_result"],
        &["tool_use"],
        &["tool_result"],
        &["text"],
        &["text"],
        &["thinking"],
    ];
    assert_eq!(kinds, expected);
    round_trip(Session::new(Chat), &lines);
}

#[test]
fn calls_without_results_get_placeholders_and_unpaired_results_are_removed() {
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
    round_trip(Session::new(Bridgic), &lines);
}

/// Returns the losses outside the envelope as text.
fn content_losses(losses: &[Loss]) -> Vec<String> {
    let losses = losses.iter();
    losses
        .filter(|loss| loss.why != Why::Envelope)
        .map(ToString::to_string)
        .collect()
}

fn of_thread(mut line: Value, thread: &str) -> Value {
    line["parent_tool_use_id"] = thread.into();
    line
}

/// Returns a session with a sub-agent in the background. Turns of the main agent end while the
/// sub-agent runs.
fn background() -> Vec<Line> {
    parsed(&[
        prompt("go"),
        assistant("m1", call("task")),
        answer("task"),
        of_thread(prompt("count"), "task"),
        of_thread(assistant("s1", call("b")), "task"),
        json!({"type": "result", "subtype": "success"}),
        of_thread(answer("b"), "task"),
        of_thread(assistant("s2", text("one")), "task"),
    ])
}

#[test]
fn a_result_line_of_the_main_agent_does_not_end_a_sub_agents_turn() {
    let lines = background();
    let result = json!({"type": "tool_result", "tool_use_id": "b", "content": "done"});
    assert_eq!(
        contents(&lines, Some("task")),
        [
            json!("count"),
            json!([call("b")]),
            json!([result]),
            json!([text("one")])
        ]
    );
    let exported = round_trip(Session::new(Chat).of("task"), &lines);
    assert!(
        !tree(&exported.made)
            .to_string()
            .contains(session::PLACEHOLDER)
    );
    assert!(
        exported
            .losses
            .iter()
            .all(|loss| !matches!(loss.what, Lost::Placeholder(_)))
    );
}

#[test]
fn results_belong_to_the_agent_of_their_call() {
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": "done"});
    let own = |id| of_thread(answer(id), id);
    let lines = parsed(&[
        prompt("go"),
        assistant("m1", call("a")),
        own("a"),
        assistant("m2", call("task")),
        of_thread(assistant("s1", call("b")), "task"),
        own("b"),
        own("task"),
        json!({"type": "result", "subtype": "success"}),
    ]);
    let main = contents(&lines, None);
    assert_eq!(main[2], json!([result]));
    assert_eq!(main[4][0]["tool_use_id"], "task");
    assert_eq!(main[4][0]["content"], "done");
    let below = contents(&lines, Some("task"));
    assert_eq!(below.len(), 2);
    assert_eq!(below[1][0]["tool_use_id"], "b");
    assert_eq!(below[1][0]["content"], "done");
    let exported = round_trip(Session::new(Chat), &lines);
    assert!(
        exported
            .losses
            .iter()
            .all(|loss| !matches!(loss.what, Lost::Placeholder(_)))
    );
}

#[test]
fn a_result_may_come_after_the_end_of_the_turn() {
    let lines = parsed(&[
        assistant("m1", call("a")),
        json!({"type": "result", "subtype": "error_during_execution"}),
        prompt("go on"),
        answer("a"),
        assistant("m2", text("yes")),
    ]);
    let contents = contents(&lines, None);
    assert_eq!(contents[1][0]["content"], "done");
    assert_eq!(contents[2], "go on");
    round_trip(Session::new(Bridgic), &lines);
}

#[test]
fn sub_agents_are_selected_by_id_or_call() {
    let mut by_id_and_call = of_thread(assistant("s1", text("one")), "task");
    by_id_and_call["agent_id"] = "a1".into();
    let mut by_id = assistant("s2", text("two"));
    by_id["agent_id"] = "a1".into();
    let mut resumed = of_thread(assistant("s3", text("three")), "later");
    resumed["agent_id"] = "a1".into();
    let started = json!({"type": "system", "subtype": "task_started", "task_id": "a2", "tool_use_id": "other"});
    let mut other = assistant("o1", text("four"));
    other["agent_id"] = "a2".into();
    let lines = parsed(&[prompt("go"), by_id_and_call, by_id, resumed, started, other]);
    assert_eq!(contents(&lines, None), [json!("go")]);
    let below = [
        json!([text("one")]),
        json!([text("two")]),
        json!([text("three")]),
    ];
    assert_eq!(contents(&lines, Some("task")), below);
    assert_eq!(contents(&lines, Some("a1")), below);
    assert_eq!(contents(&lines, Some("other")), [json!([text("four")])]);
}

#[test]
fn every_placeholder_is_a_loss() {
    let lines = parsed(&[
        answer("x"),
        assistant("m1", call("a")),
        assistant("m2", text("hm")),
        answer("a"),
        assistant("m3", call("b")),
        answer("b"),
        answer("b"),
        assistant("m4", call("c")),
    ]);
    let exported = round_trip(Session::new(Chat), &lines);
    assert_eq!(
        content_losses(&exported.losses),
        [
            "0: all of a piece: user: its partner is missing",
            "1/message/content/0: the result of a call of Bash, now a placeholder: its partner is missing",
            "3: all of a piece: user: its partner is missing",
            "6: all of a piece: user: its partner is missing",
            "7/message/content/0: the result of a call of Bash, now a placeholder: its partner is missing",
        ]
    );
    let made = tree(&exported.made).to_string();
    assert_eq!(made.matches(session::PLACEHOLDER).count(), 2);
}

#[test]
fn split_blocks_are_not_losses() {
    let mut several = assistant("m1", text("I will"));
    several["message"]["content"] = json!([text("I will"), call("a"), call("b")]);
    let mut results = answer("a");
    results["message"]["content"] = json!([
        {"type": "tool_result", "tool_use_id": "a", "content": "done"},
        {"type": "tool_result", "tool_use_id": "b", "content": "done", "new": 1},
    ]);
    let lines = parsed(&[prompt("go"), several, results, assistant("m2", text("yes"))]);
    let exported = round_trip(Session::new(Chat), &lines);
    // Only a member of the block is lost.
    assert_eq!(
        content_losses(&exported.losses),
        ["2/message/content/1/new: `new`: there is no place for it"]
    );
    // If one block of a message is lost, the other blocks are not.
    let mut hologram = assistant("m1", text("I will"));
    hologram["message"]["content"] = json!([text("I will"), call("a")]);
    let lines = parsed(&[
        hologram,
        assistant("m1", json!({"type": "hologram"})),
        answer("a"),
    ]);
    let exported = round_trip(Session::new(Chat), &lines);
    assert_eq!(
        content_losses(&exported.losses),
        ["1/message/content/0: hologram: there is no place for it"]
    );
}

#[test]
fn moved_messages_are_losses() {
    let lines = parsed(&[
        assistant("m1", call("a")),
        assistant("m1", text("I am at it")),
        answer("a"),
    ]);
    let exported = round_trip(Session::new(Chat), &lines);
    assert_eq!(
        content_losses(&exported.losses),
        ["1: its place among the others: it has another form there"]
    );
}

#[test]
fn a_line_with_half_a_surrogate_pair_in_a_key_is_still_a_message() {
    let text = r#"{"type":"user","\ud800":1,"message":{"role":"user","content":"go"}}"#;
    let line: Line = serde_json::from_str(text).unwrap();
    assert_eq!(contents(&[line], None), [json!("go")]);
}

#[test]
fn superseded_messages_are_removed_and_prompts_are_placed_at_their_echo() {
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
    let exported = round_trip(Session::new(Bridgic).without(superseded), &lines);
    let removed: Vec<_> = exported
        .losses
        .iter()
        .filter(|loss| matches!(loss.what, Lost::Whole(_)))
        .map(|loss| (loss.index, loss.why))
        .collect();
    assert_eq!(removed, [(0, Why::Superseded), (1, Why::Superseded)]);
}

#[test]
fn sub_agents_are_separate_conversations() {
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
    let exported = round_trip(Session::new(Bridgic), &lines);
    assert!(
        exported
            .losses
            .iter()
            .any(|loss| loss.index == 2 && loss.why == Why::Subagent)
    );
    let exported = round_trip(Session::new(Bridgic).of("task"), &lines);
    assert_eq!(exported.made.len(), 1);
    assert_eq!(tree(&exported.made[0])["content"], "below");
}

#[test]
fn recorded_sessions_round_trip_line_by_line() {
    let sessions = recordings();
    sessions
        .iter()
        .for_each(|lines| _ = round_trip(Session::new(Bridgic), lines));
    assert!(sessions.len() > 10, "{}", sessions.len());
}

/// Generates the lines of a conversation, with lines of other kinds in between.
fn wire() -> impl Strategy<Value = Vec<Value>> {
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
        lines
    })
}

proptest! {
    #[test]
    fn lines_with_duplicates_surrogates_and_unusual_numbers_round_trip(
        lines in wire(),
        seed in any::<u64>(),
    ) {
        let lines: Vec<Line> = (seed..)
            .zip(&lines)
            .map(|(seed, line)| serde_json::from_str(&unusual_json(line, seed)).unwrap())
            .collect();
        round_trip(Session::new(Bridgic), &lines);
        round_trip(Session::new(Chat), &lines);
        round_trip(Session::new(Cua::default()), &lines);
    }
}
