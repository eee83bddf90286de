//! Tests of conversions of transcripts.

use crate::support::tree;
use crate::transcript::branches::compacted;
use crate::transcript::{answer, attachment, branch, call, model_record, prompt, records, text};
use agentwire_interop::bridgic::{Blocks, Chat};
use agentwire_interop::conversion::{
    Lost, Residue, RestoreStep, Restorer, System, Why, convert, undo,
};
use agentwire_interop::session::PLACEHOLDER;
use agentwire_interop::transcript::{History, Transcript};
use proptest::prelude::*;
use serde_json::{Value, json};

fn lines() -> Vec<Value> {
    vec![
        json!({"type": "queue-operation", "operation": "enqueue", "sessionId": "s"}),
        prompt("1", None, "one"),
        attachment("2", "1"),
        model_record(
            "3",
            "2",
            "m-1",
            json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}),
        ),
        model_record("4", "3", "m-1", call("t-1")),
        model_record("5", "4", "m-1", call("t-2")),
        answer("6", "4", "t-1"),
        answer("7", "5", "t-2"),
        model_record("8", "7", "m-2", text("a")),
        prompt("9", Some("8"), "dead"),
        model_record("10", "9", "m-3", text("dead")),
        prompt("11", Some("8"), "two"),
        model_record("12", "11", "m-4", text("b")),
        json!({"type": "last-prompt", "lastPrompt": "two", "leafUuid": "12", "sessionId": "s"}),
    ]
}

#[test]
fn placeholders_are_losses_and_not_read_back() {
    let lines = [
        prompt("1", None, "one"),
        model_record("2", "1", "m", call("t")),
    ];
    let records = records(&lines);
    let direction = Transcript::new(Chat, branch(&records, History::All));
    let carried = convert(direction.clone(), records);
    assert!(tree(&carried.made).to_string().contains(PLACEHOLDER));
    let told: Vec<_> = carried
        .losses
        .iter()
        .filter(|loss| loss.what == Lost::Placeholder("Bash".to_owned()))
        .map(|loss| (loss.index, &*loss.path))
        .collect();
    assert_eq!(told, [(1, "/message/content/0")]);
    let back = undo(direction.clone(), carried.made.clone(), Residue::default());
    assert!(!tree(&back.pieces).to_string().contains("tool_result"));
    let back = undo(direction, carried.made, carried.residue);
    assert_eq!(tree(&back.pieces), json!(lines));
}

#[test]
fn the_live_branch_is_the_conversation() {
    let records = records(&lines());
    let direction = Transcript::new(Chat, branch(&records, History::All));
    let carried = convert(direction, records);
    assert_eq!(
        tree(&carried.made),
        json!([
            {"role": "user", "content": "one"},
            {"role": "assistant", "tool_calls": [
                {"id": "t-1", "type": "function",
                 "function": {"name": "Bash", "arguments": r#"{"command":"ls"}"#}},
                {"id": "t-2", "type": "function",
                 "function": {"name": "Bash", "arguments": r#"{"command":"ls"}"#}},
            ]},
            {"role": "tool", "tool_call_id": "t-1", "content": "done"},
            {"role": "tool", "tool_call_id": "t-2", "content": "done"},
            {"role": "assistant", "content": "a"},
            {"role": "user", "content": "two"},
            {"role": "assistant", "content": "b"},
        ])
    );
    let whole = carried.losses.iter().filter(|loss| loss.path.is_empty());
    let whole: Vec<_> = whole.map(|loss| (loss.index, loss.why)).collect();
    assert_eq!(
        whole,
        [
            (0, Why::Envelope),
            (2, Why::Envelope),
            (3, Why::NoPlace),
            (9, Why::DeadBranch),
            (10, Why::DeadBranch),
            (13, Why::Envelope),
        ]
    );
}

#[test]
fn the_summary_of_a_compaction_is_before_what_the_compaction_preserved() {
    // The transcript has two messages of the model, one with a call, and a message between
    // them.
    let mut lines = compacted();
    let boundary = &mut lines[4];
    boundary["logicalParentUuid"] = "4c".into();
    boundary["compactMetadata"]["preservedMessages"]["uuids"] = json!(["4", "4a", "4b", "4c"]);
    lines.splice(
        4..4,
        [
            prompt("4a", Some("4"), "and"),
            model_record("4b", "4a", "m-3", call("t")),
            answer("4c", "4b", "t"),
        ],
    );
    lines.push(model_record("8", "7", "m-4", text("c")));
    let records = records(&lines);
    let direction = Transcript::new(Chat, branch(&records, History::SinceCompaction));
    let carried = convert(direction.clone(), records);
    let made = tree(&carried.made);
    let said: Vec<_> = made
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["role"].as_str().unwrap(), item["content"].as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("user", Some("It was about a and b.")),
            ("assistant", Some("b")),
            ("user", Some("and")),
            ("assistant", None),
            ("tool", Some("done")),
            ("user", Some("three")),
            ("assistant", Some("c")),
        ]
    );
    let back = undo(direction, carried.made, carried.residue);
    assert_eq!(back.refused, vec![]);
    assert_eq!(tree(&back.pieces), json!(lines));
}

#[test]
fn duplicate_and_unlinked_records_are_losses() {
    let lines = [
        prompt("1", None, "one"),
        prompt("3", Some("2"), "two"),
        model_record("2", "1", "m-1", text("a")),
        prompt("1", None, "one"),
        json!({"type": "last-prompt", "lastPrompt": "two", "leafUuid": "3", "sessionId": "s"}),
        model_record("5", "4", "m-2", text("b")),
    ];
    let records = records(&lines);
    let direction = Transcript::new(Chat, branch(&records, History::All));
    let carried = convert(direction.clone(), records);
    assert_eq!(
        tree(&carried.made),
        json!([
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "a"},
            {"role": "user", "content": "two"},
        ])
    );
    let whole = carried.losses.iter().filter(|loss| loss.path.is_empty());
    let whole: Vec<_> = whole.map(|loss| (loss.index, loss.why)).collect();
    assert!(whole.contains(&(5, Why::Unlinked)), "{whole:?}");
    let repeated = whole.iter().filter(|(_, why)| *why == Why::Repeated);
    assert_eq!(repeated.count(), 1, "{whole:?}");
    let back = undo(direction, carried.made, carried.residue);
    assert_eq!(back.refused, vec![]);
    assert_eq!(tree(&back.pieces), json!(lines));
}

fn there_and_back<S: System + Clone>(
    system: S,
    lines: &[Value],
    history: History,
) -> Result<(), TestCaseError> {
    let records = records(lines);
    let direction = Transcript::new(system, branch(&records, history));
    let carried = convert(direction.clone(), records);
    let back = undo(direction, carried.made, carried.residue);
    prop_assert_eq!(back.refused, vec![]);
    prop_assert_eq!(tree(&back.pieces), Value::from(lines));
    Ok(())
}

/// Returns a transcript with these texts, alternately of the user and of the model.
fn in_turn(texts: &[String]) -> Vec<Value> {
    let lines = texts.iter().enumerate().map(|(index, it)| {
        let [uuid, parent] = [index + 1, index].map(|it| it.to_string());
        match index % 2 {
            0 => prompt(&uuid, (index > 0).then_some(&*parent), it),
            _ => model_record(&uuid, &parent, &format!("m-{uuid}"), text(it)),
        }
    });
    lines.collect()
}

/// Restores the messages in this order. Returns each record, and whether it is unchanged.
fn in_order(lines: &[Value], order: &[usize]) -> Vec<(Value, bool)> {
    let records = records(lines);
    let direction = Transcript::new(Chat, branch(&records, History::All));
    let carried = convert(direction.clone(), records);
    let made = order.iter().map(|index| carried.made[*index].clone());
    let made: Vec<_> = made.collect();
    let steps = Restorer::new(direction, made, carried.residue.groups);
    let pieces = steps.filter_map(|step| {
        let is_restored = matches!(step, RestoreStep::Restored(_));
        Some((tree(&step.piece()?), is_restored))
    });
    pieces.collect()
}

proptest! {
    #[test]
    fn messages_in_another_order_are_what_they_were(
        order in (1..12_usize).prop_flat_map(|count| Just((0..count).collect::<Vec<_>>()).prop_shuffle()),
    ) {
        let texts: Vec<String> = order.iter().map(usize::to_string).collect();
        let lines = in_turn(&texts);
        let expected = order.iter().map(|index| (lines[*index].clone(), true));
        prop_assert_eq!(in_order(&lines, &order), expected.collect::<Vec<_>>());
    }

    /// Some texts are equal, and some messages are repeated or removed.
    #[test]
    fn no_message_gets_the_envelope_of_another(
        texts in prop::collection::vec("[ab]", 1..12),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..14),
    ) {
        let lines = in_turn(&texts);
        let order: Vec<usize> = order.iter().map(|it| it.index(lines.len())).collect();
        let back = in_order(&lines, &order);
        prop_assert_eq!(back.len(), order.len());
        let mut seen = std::collections::HashSet::new();
        for ((record, is_restored), index) in back.iter().zip(order) {
            let message = |record: &Value| {
                let content = &record["message"]["content"];
                (record["type"].clone(), content.clone())
            };
            prop_assert_eq!(message(record), message(&lines[index]));
            if let Some(uuid) = record["uuid"].as_str() {
                prop_assert!(seen.insert(uuid.to_owned()), "{} is there twice", uuid);
                let original = lines.iter().find(|it| it["uuid"] == uuid);
                prop_assert!(!is_restored || Some(record) == original);
            }
        }
    }

    /// Converts any subset of a transcript, in any order.
    #[test]
    fn there_and_back_is_the_original(
        lines in prop::sample::subsequence(lines(), 0..=14).prop_shuffle(),
    ) {
        there_and_back(Chat, &lines, History::All)?;
        there_and_back(Blocks, &lines, History::All)?;
    }

    #[test]
    fn a_compacted_transcript_there_and_back_is_the_original(
        lines in prop::sample::subsequence(compacted(), 0..=7).prop_shuffle(),
    ) {
        there_and_back(Chat, &lines, History::SinceCompaction)?;
        there_and_back(Blocks, &lines, History::SinceCompaction)?;
    }

    /// The transcript contains duplicate records.
    #[test]
    fn there_and_back_of_copies_is_the_original(
        lines in prop::sample::subsequence([lines(), lines()].concat(), 0..=28).prop_shuffle(),
    ) {
        there_and_back(Chat, &lines, History::All)?;
        there_and_back(Blocks, &lines, History::All)?;
    }

    #[test]
    fn there_and_back_in_order_is_the_original(
        lines in prop::sample::subsequence(lines(), 0..=14),
    ) {
        there_and_back(Chat, &lines, History::All)?;
        there_and_back(Blocks, &lines, History::All)?;
    }
}
