//! Tests of copies of a transcript.

use agentwire_protocol::transcript::{Fork, ForkError, MessageSelection, session_messages};
use serde_json::{Value, json};

const NOW: &str = "2026-01-01T00:00:00.000Z";

fn record(kind: &str, uuid: &str, parent: Option<&str>, more: Value) -> Value {
    let mut record = json!({
        "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "one",
        "isSidechain": false, "timestamp": "2025-01-01T00:00:00.000Z",
        "message": {"role": kind, "content": uuid},
    });
    let members = more.as_object().unwrap().clone();
    record.as_object_mut().unwrap().extend(members);
    record
}

fn text(records: &[Value]) -> Vec<u8> {
    let lines = records.iter().map(|record| format!("{record}\n"));
    lines.collect::<String>().into_bytes()
}

/// Returns the records of a copy, whose new IDs are `n1`, `n2` and so on.
fn copy(text: &[u8], fork: &Fork) -> Result<Vec<Value>, ForkError> {
    let mut number = 0;
    let copy = fork.write(text, || {
        number += 1;
        format!("n{number}")
    })?;
    let lines = copy
        .split(|it| *it == b'\n')
        .filter(|line| !line.is_empty());
    Ok(lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect())
}

fn fork() -> Fork {
    Fork::new("one", "two", NOW)
}

/// Returns the texts of the records' messages.
fn texts(records: &[Value]) -> Vec<&str> {
    let said = records.iter().map(|it| &it["message"]["content"]);
    said.filter_map(Value::as_str).collect()
}

#[test]
fn copied_records_have_new_ids_and_name_their_origin() {
    let text = text(&[
        record("user", "u", None, json!({"slug": "x", "isMeta": true})),
        record("progress", "p", Some("u"), json!({})),
        record("assistant", "a", Some("p"), json!({"cost": 1})),
        record("user", "side", Some("a"), json!({"isSidechain": true})),
        json!({"type": "file-history-snapshot", "messageId": "u"}),
        json!({"type": "content-replacement", "sessionId": "one", "replacements": [{"n": 1}]}),
        json!({"type": "content-replacement", "sessionId": "other", "replacements": [{"n": 2}]}),
    ]);
    let records = copy(&text, &fork().title(" Copy ")).unwrap();
    assert_eq!(texts(&records), ["u", "a"]);
    let (user, model) = (&records[0], &records[1]);
    assert_eq!(
        user["forkedFrom"],
        json!({"sessionId": "one", "messageUuid": "u"})
    );
    assert_eq!((user.get("slug"), &user["isMeta"]), (None, &json!(true)));
    assert_eq!(user["sessionId"], "two");
    assert_eq!(model["parentUuid"], user["uuid"]);
    assert_eq!(
        (&model["timestamp"], &model["requestSessionId"]),
        (&json!(NOW), &json!("one"))
    );
    assert_eq!(records[2]["replacements"], json!([{"n": 1}]));
    assert_eq!(records[3]["customTitle"], "Copy");
    assert_eq!(records.len(), 4);
}

#[test]
fn a_copy_ends_with_the_given_message() {
    let text = text(&[
        record("user", "1", None, json!({})),
        record("assistant", "2", Some("1"), json!({})),
        record("user", "3", Some("2"), json!({})),
        // A branch that the conversation left.
        record("user", "4", Some("2"), json!({})),
        record("assistant", "5", Some("4"), json!({})),
    ]);
    for (message, expected) in [
        ("2", &["1", "2"][..]),
        ("3", &["1", "2", "3"]),
        ("5", &["1", "2", "4", "5"]),
    ] {
        let records = copy(&text, &fork().up_to(message)).unwrap();
        let text = self::text(&records);
        let messages = session_messages(&text, MessageSelection::new());
        let messages: Vec<Value> = messages.iter().map(|it| json!(it)).collect();
        assert_eq!(texts(&messages), expected, "{message}");
    }
    assert_eq!(
        copy(&text, &fork().up_to("6")),
        Err(ForkError::UnknownMessage)
    );
    assert_eq!(copy(&text, &fork().up_to("")).map(|it| it.len()), Ok(6));
}

#[test]
fn a_copy_up_to_a_summary_has_no_later_messages() {
    let kept = json!({
        "preservedMessages": {"anchorUuid": "s", "uuids": ["2"]}, "postTokens": 1, "trigger": "auto",
    });
    let boundary = json!({
        "subtype": "compact_boundary", "compactMetadata": kept, "logicalParentUuid": "2",
    });
    let text = text(&[
        record("user", "1", None, json!({})),
        record("assistant", "2", Some("1"), json!({})),
        record("system", "b", None, boundary),
        record("user", "s", Some("b"), json!({"isCompactSummary": true})),
        record("user", "3", Some("2"), json!({})),
    ]);
    let records = copy(&text, &fork().up_to("s")).unwrap();
    assert_eq!(records[2]["compactMetadata"], json!({"trigger": "auto"}));
    // A copy with the later messages has `preservedMessages`, with the new IDs.
    let records = copy(&text, &fork()).unwrap();
    let kept = &records[2]["compactMetadata"]["preservedMessages"];
    assert_eq!(kept["uuids"][0], records[1]["uuid"]);
    assert_eq!(kept["anchorUuid"], records[3]["uuid"]);
    // The boundary is not a message, so the copy ends before it.
    let records = copy(&text, &fork().up_to("b")).unwrap();
    assert_eq!(texts(&records), ["1", "2"]);
}

#[test]
fn without_messages_there_is_no_copy() {
    let side = text(&[record("user", "1", None, json!({"isSidechain": true}))]);
    let progress = text(&[record("progress", "1", None, json!({}))]);
    for text in [&b""[..], b"\xff\n{", &side, &progress] {
        assert_eq!(copy(text, &fork()), Err(ForkError::NoMessages));
    }
}

#[test]
fn a_copy_is_named_after_the_session() {
    let prompt = record("user", "u", None, json!({"message": {"content": "Hello"}}));
    let title = json!({"type": "custom-title", "customTitle": "Title"});
    let cleared = json!({"type": "custom-title", "customTitle": ""});
    let model = json!({"type": "ai-title", "aiTitle": "By a model"});
    for (records, of_file, expected) in [
        (&[&prompt][..], None, "Hello (fork)"),
        (&[&prompt, &title], None, "Title (fork)"),
        (&[&prompt], Some("File"), "File (fork)"),
        (
            &[&prompt, &model, &cleared],
            Some("File"),
            "By a model (fork)",
        ),
    ] {
        let records: Vec<Value> = records.iter().map(|it| (*it).clone()).collect();
        let fork = fork().title(" ").title_of_file(of_file.map(str::to_owned));
        let copied = copy(&text(&records), &fork).unwrap();
        assert_eq!(copied.last().unwrap()["customTitle"], expected);
    }
    let records = [record(
        "user",
        "u",
        None,
        json!({"message": {"content": []}}),
    )];
    let copied = copy(&text(&records), &fork()).unwrap();
    assert_eq!(
        copied.last().unwrap()["customTitle"],
        "Forked session (fork)"
    );
}
