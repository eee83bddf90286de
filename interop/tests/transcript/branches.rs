//! Tests of the live branch of the tree.

use crate::transcript::{
    answer, attachment, branch, call, model_record, node, prompt, records, text,
};
use agentwire_interop::transcript::{History, Record, Standing};
use serde_json::{Value, json};

/// Returns the IDs of the records with this standing.
fn standing(lines: &[Value], history: History, wanted: Standing) -> Vec<String> {
    let records = records(lines);
    let branch = branch(&records, history);
    let of = |record: &Record| {
        let is_wanted = branch.standing(record) == wanted;
        record.uuid().filter(|_| is_wanted).map(str::to_owned)
    };
    records.iter().filter_map(of).collect()
}

fn dead_records(lines: &[Value]) -> Vec<String> {
    standing(lines, History::All, Standing::Dead)
}

#[test]
fn resuming_at_an_earlier_message_abandons_a_branch() {
    let lines = [
        prompt("1", None, "one"),
        model_record("2", "1", "m-1", text("a")),
        model_record("3", "2", "m-1", text("b")),
        prompt("4", Some("3"), "two"),
        model_record("5", "4", "m-2", text("c")),
        // The branch begins at the first block of the first message, which stays complete.
        prompt("6", Some("2"), "three"),
        model_record("7", "6", "m-3", text("d")),
    ];
    assert_eq!(dead_records(&lines), ["4", "5"]);
}

#[test]
fn calls_beside_the_one_whose_answer_came_last_are_live() {
    let lines = [
        prompt("1", None, "one"),
        model_record("2", "1", "m-1", call("t-1")),
        model_record("3", "2", "m-1", call("t-2")),
        model_record("4", "3", "m-1", call("t-3")),
        answer("5", "4", "t-3"),
        // Records between a call and its result.
        attachment("6", "3"),
        answer("7", "6", "t-2"),
        answer("8", "2", "t-1"),
        model_record("9", "8", "m-2", text("done")),
    ];
    assert_eq!(dead_records(&lines), Vec::<String>::new());
    // The result is the same after rewinding to the first call.
    let mut back = lines.to_vec();
    back.push(prompt("10", Some("2"), "no"));
    assert_eq!(dead_records(&back), ["9"]);
}

#[test]
fn a_rewound_branch_is_abandoned_at_once() {
    let mut lines = vec![
        prompt("1", None, "one"),
        model_record("2", "1", "m-1", text("a")),
        prompt("3", Some("2"), "two"),
        json!({"type": "last-prompt", "lastPrompt": "one", "leafUuid": "2", "sessionId": "s"}),
    ];
    assert_eq!(dead_records(&lines), Vec::<String>::new());
    lines.push(json!({
        "type": "last-prompt", "leafUuid": "2", "explicit": true, "rewound": true, "sessionId": "s",
    }));
    assert_eq!(dead_records(&lines), ["3"]);
    lines.push(json!({
        "type": "last-prompt", "leafUuid": null, "explicit": true, "sessionId": "s",
    }));
    assert_eq!(dead_records(&lines), ["1", "2", "3"]);
}

pub(crate) fn compacted() -> Vec<Value> {
    vec![
        prompt("1", None, "one"),
        model_record("2", "1", "m-1", text("a")),
        prompt("3", Some("2"), "two"),
        model_record("4", "3", "m-2", text("b")),
        node(
            "5",
            None,
            json!({
                "type": "system", "subtype": "compact_boundary", "content": "Compacted",
                "logicalParentUuid": "4",
                "compactMetadata": {"trigger": "manual", "preservedMessages": {
                    "anchorUuid": "6", "uuids": ["4"],
                }},
            }),
        ),
        node(
            "6",
            Some("5"),
            json!({
                "type": "user", "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
                "message": {"role": "user", "content": "It was about a and b."},
            }),
        ),
        prompt("7", Some("6"), "three"),
    ]
}

#[test]
fn compacted_conversations_are_complete_or_since_the_compaction() {
    let lines = compacted();
    let all = |wanted| standing(&lines, History::All, wanted);
    assert_eq!(all(Standing::Live), ["1", "2", "3", "4", "5", "7"]);
    assert_eq!(all(Standing::Summarised), ["6"]);
    let since = |wanted| standing(&lines, History::SinceCompaction, wanted);
    assert_eq!(since(Standing::Live), ["4", "5", "6", "7"]);
    assert_eq!(since(Standing::Summarised), ["1", "2", "3"]);
}

#[test]
fn a_summary_can_be_the_first_message() {
    let lines = compacted().split_off(4);
    let live = standing(&lines, History::All, Standing::Live);
    assert_eq!(live, ["5", "6", "7"]);
}

#[test]
fn a_summary_precedes_preserved_messages() {
    let records = records(&compacted());
    let branch = branch(&records, History::SinceCompaction);
    let messages = agentwire_interop::transcript::messages(&records, &branch, None);
    let texts: Vec<_> = messages
        .iter()
        .map(|message| message.blocks()[0].as_text().unwrap().to_owned())
        .collect();
    assert_eq!(texts, ["It was about a and b.", "b", "three"]);
}

#[test]
fn cycles_of_parents_terminate() {
    let lines = [
        prompt("1", Some("2"), "one"),
        attachment("2", "1"),
        attachment("3", "3"),
        answer("4", "3", "t-1"),
        prompt("5", Some("1"), "two"),
    ];
    assert_eq!(dead_records(&lines), ["3", "4"]);
}

/// Returns the texts of a transcript's messages. The records are a second apart.
fn texts(lines: &[Value]) -> Vec<String> {
    let mut lines = lines.to_vec();
    for (second, line) in lines.iter_mut().enumerate() {
        line["timestamp"] = format!("2026-01-01T00:00:{second:02}.000Z").into();
    }
    let records = records(&lines);
    let branch = branch(&records, History::All);
    let messages = agentwire_interop::transcript::messages(&records, &branch, None);
    let texts = messages
        .iter()
        .map(|message| message.blocks()[0].as_text().unwrap().to_owned());
    texts.collect()
}

fn last_prompt(leaf: &str) -> Value {
    json!({"type": "last-prompt", "lastPrompt": "x", "leafUuid": leaf, "sessionId": "s"})
}

#[test]
fn a_record_whose_parent_is_missing_follows_the_latest_one_before_it() {
    let lines = [
        prompt("1", None, "one"),
        model_record("2", "1", "m-1", text("a")),
        prompt("3", Some("missing"), "two"),
        model_record("4", "3", "m-2", text("b")),
        last_prompt("4"),
    ];
    assert_eq!(texts(&lines), ["one", "a", "two", "b"]);
    // A descendant of the record is not used, although it precedes the record.
    let mut lines = lines.to_vec();
    lines.swap(2, 3);
    assert_eq!(texts(&lines), ["one", "a", "two", "b"]);
}

#[test]
fn unlinked_records_are_not_in_the_conversation() {
    let lines = [
        prompt("1", None, "one"),
        model_record("2", "1", "m-1", text("a")),
        last_prompt("2"),
        model_record("4", "3", "m-2", text("b")),
        prompt("5", Some("1"), "two"),
    ];
    assert_eq!(texts(&lines), ["one", "a"]);
    assert_eq!(dead_records(&lines), ["5"]);
    assert_eq!(standing(&lines, History::All, Standing::Unlinked), ["4"]);
    // The record of the prompt is missing.
    let mut lines = lines.to_vec();
    lines[2] = last_prompt("3");
    assert_eq!(texts(&lines), ["one", "two"]);
}

#[test]
fn the_last_record_of_an_id_is_used() {
    let lines = [
        prompt("1", None, "one"),
        prompt("1", None, "two"),
        model_record("2", "1", "m-1", text("a")),
        prompt("1", None, "three"),
        last_prompt("2"),
    ];
    assert_eq!(texts(&lines), ["three", "a"]);
}

#[test]
fn messages_are_in_the_order_of_the_conversation() {
    let lines = [
        model_record("4", "3", "m-2", text("b")),
        prompt("1", None, "one"),
        prompt("3", Some("2"), "two"),
        model_record("2", "1", "m-1", text("a")),
        last_prompt("4"),
    ];
    assert_eq!(texts(&lines), ["one", "a", "two", "b"]);
}

#[test]
fn calls_beside_the_way_are_where_they_were_written() {
    let (first, second, third) = (
        model_record("2", "1", "m-1", text("a")),
        model_record("3", "2", "m-1", call("t-1")),
        model_record("4", "3", "m-1", call("t-2")),
    );
    let order = |blocks: [&Value; 3]| {
        let mut lines = vec![prompt("1", None, "one")];
        lines.extend(blocks.map(Clone::clone));
        // The conversation continues from the first call.
        lines.extend([answer("5", "4", "t-2"), answer("6", "3", "t-1")]);
        lines.push(model_record("7", "6", "m-2", text("b")));
        let records = records(&lines);
        let messages = branch(&records, History::All).messages(&records);
        let ids = messages.iter().filter_map(|it| it.uuid());
        ids.collect::<String>()
    };
    assert_eq!(order([&first, &second, &third]), "1234567");
    assert_eq!(order([&first, &third, &second]), "1243567");
    // The call is not placed before the first block of its message.
    assert_eq!(order([&third, &first, &second]), "1243567");
}

#[test]
fn a_compaction_whose_preserved_messages_are_missing_is_none() {
    let mut lines = compacted();
    lines[4]["compactMetadata"]["preservedMessages"]["uuids"] = json!(["4", "missing"]);
    let live = standing(&lines, History::SinceCompaction, Standing::Live);
    assert_eq!(live, ["5", "6", "7"]);
}
