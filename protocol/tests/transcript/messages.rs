//! Tests of the selection of a transcript's messages.

use agentwire_protocol::transcript::{MessageSelection, session_messages, subagent_messages};
use serde_json::{Value, json};

fn lines(records: &[Value]) -> Vec<u8> {
    let lines = records.iter().map(|it| format!("{it}\n"));
    lines.collect::<String>().into_bytes()
}

fn record(kind: &str, uuid: &str, parent: Option<&str>, content: impl Into<Value>) -> Value {
    let (role, content) = (kind, content.into());
    json!({
        "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s",
        "message": {"role": role, "content": content},
    })
}

fn with(mut record: Value, members: Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        record[name] = value.clone();
    }
    record
}

fn messages(records: &[Value], selection: MessageSelection) -> Vec<Value> {
    let messages = session_messages(&lines(records), selection);
    messages
        .iter()
        .map(|it| serde_json::to_value(it).unwrap())
        .collect()
}

fn uuids(records: &[Value]) -> Vec<String> {
    let messages = messages(records, MessageSelection::new());
    messages
        .iter()
        .map(|it| it["uuid"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_branch_of_the_last_record_is_listed() {
    let records = [
        record("user", "1", None, "Hello"),
        record("assistant", "2", Some("1"), "Not this"),
        record("assistant", "3", Some("1"), "But this"),
    ];
    assert_eq!(uuids(&records), ["1", "3"]);
}

#[test]
fn a_cycle_of_parents_is_handled() {
    let records = [
        record("user", "1", Some("2"), "a"),
        record("user", "2", Some("1"), "b"),
    ];
    assert!(uuids(&records).is_empty());
    let records = [
        record("user", "1", Some("2"), "a"),
        record("user", "2", Some("2"), "b"),
        record("user", "3", Some("1"), "c"),
    ];
    assert_eq!(uuids(&records), ["2", "1", "3"]);
}

#[test]
fn messages_before_a_compaction_are_omitted() {
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null,
        "logicalParentUuid": "1", "sessionId": "s", "compactMetadata": {"trigger": "auto"},
    });
    let records = [
        record("user", "1", None, "Long ago"),
        boundary,
        with(
            record("user", "2", Some("b"), "Summary"),
            json!({"isCompactSummary": true}),
        ),
        record("user", "3", Some("2"), "Now"),
    ];
    assert_eq!(uuids(&records), ["2", "3"]);
    let all = messages(&records, MessageSelection::new().system_messages(true));
    assert_eq!(all[0]["uuid"], "b");
    assert_eq!(all[1]["is_meta"], true);
}

#[test]
fn preserved_messages_follow_the_summary_of_a_compaction() {
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null,
        "sessionId": "s",
        "compactMetadata": {"preservedMessages": {"anchorUuid": "4", "uuids": ["2", "3"]}},
    });
    let records = [
        record("user", "1", None, "Long ago"),
        record("user", "2", Some("1"), "Kept"),
        record("assistant", "3", Some("2"), "Kept too"),
        boundary,
        with(
            record("user", "4", Some("b"), "Summary"),
            json!({"isCompactSummary": true}),
        ),
        record("user", "5", Some("4"), "Now"),
    ];
    assert_eq!(uuids(&records), ["4", "2", "3", "5"]);
}

#[test]
fn all_calls_of_a_message_are_listed_with_their_results() {
    let call = |uuid: &str, parent: &str, id: &str| {
        let block = json!([{"type": "tool_use", "id": id, "name": "Read", "input": {}}]);
        let mut call = record("assistant", uuid, Some(parent), block);
        call["message"]["id"] = json!("msg");
        call
    };
    let answer = |uuid: &str, parent: &str, id: &str| {
        let block = json!([{"type": "tool_result", "tool_use_id": id, "content": "x"}]);
        record("user", uuid, Some(parent), block)
    };
    let records = [
        record("user", "1", None, "Read both"),
        call("2", "1", "a"),
        call("3", "2", "b"),
        answer("4", "2", "a"),
        answer("5", "3", "b"),
        record("assistant", "6", Some("5"), "Done"),
    ];
    assert_eq!(uuids(&records), ["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn messages_of_the_agent_and_of_others_are_not_listed() {
    let records = [
        record("user", "1", None, "Hello"),
        with(
            record("user", "2", Some("1"), "Caveat"),
            json!({"isMeta": true}),
        ),
        with(
            record("user", "3", Some("2"), "From a peer"),
            json!({"isMeta": true, "origin": {"kind": "peer"}}),
        ),
        record("user", "4", Some("3"), "Last"),
        with(
            record("user", "5", Some("4"), "Sub-agent"),
            json!({"isSidechain": true}),
        ),
        with(
            record("user", "6", Some("4"), "Teammate"),
            json!({"teamName": "crabs"}),
        ),
    ];
    assert_eq!(uuids(&records), ["1", "3", "4"]);
}

#[test]
fn queued_prompts_are_listed_at_their_delivery_to_the_model() {
    let queued = |uuid: &str, parent: &str| {
        json!({
            "type": "attachment", "uuid": uuid, "parentUuid": parent, "sessionId": "s",
            "attachment": {"type": "queued_command", "prompt": "Also this", "source_uuid": "own"},
        })
    };
    let records = [
        record("user", "1", None, "Hello"),
        queued("2", "1"),
        record("assistant", "3", Some("2"), "Hi"),
    ];
    let all = messages(&records, MessageSelection::new());
    assert_eq!(uuids(&records), ["1", "own", "3"]);
    assert_eq!(all[1]["isQueuedCommand"], true);
    assert_eq!(all[1]["message"]["content"], "Also this");
    let records = [
        record("user", "1", None, "Hello"),
        queued("2", "1"),
        record("user", "3", Some("2"), "x"),
    ];
    assert_eq!(uuids(&records), ["1", "3"]);
}

#[test]
fn commands_that_were_completed_are_marked() {
    let records = [
        with(
            record("user", "1", None, "<local-command-caveat>x"),
            json!({"isMeta": true}),
        ),
        record("user", "2", Some("1"), "<command-name>/cost</command-name>"),
        record(
            "user",
            "3",
            Some("2"),
            "<local-command-stdout>1 USD</local-command-stdout>",
        ),
        record("user", "4", Some("3"), "Hello"),
    ];
    let all = messages(&records, MessageSelection::new());
    let marked = all.iter().map(|it| it["isCompletedLocalCommand"] == true);
    assert_eq!(marked.collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn calls_hidden_by_the_host_are_not_listed() {
    let call = json!([{"type": "tool_use", "id": "a", "name": "Secret", "input": {}}]);
    let answer = json!([{"type": "tool_result", "tool_use_id": "a", "content": "x"}]);
    let records = [
        record("user", "1", None, "Hello"),
        with(
            record("assistant", "2", Some("1"), call),
            json!({"hostHiddenToolUseIds": ["a"]}),
        ),
        record("user", "3", Some("2"), answer),
        record("assistant", "4", Some("3"), "Done"),
    ];
    assert_eq!(uuids(&records), ["1", "4"]);
}

#[test]
fn pages_of_the_list_are_selected() {
    let records: Vec<Value> = (0..6_u8)
        .map(|it| {
            let parent = it.checked_sub(1).map(|it| it.to_string());
            record("user", &it.to_string(), parent.as_deref(), "x")
        })
        .collect();
    let page = messages(&records, MessageSelection::new().offset(2).limit(3));
    let uuids: Vec<&Value> = page.iter().map(|it| &it["uuid"]).collect();
    assert_eq!(uuids, ["2", "3", "4"]);
    assert_eq!(
        messages(&records, MessageSelection::new().limit(0)).len(),
        6
    );
}

#[test]
fn a_large_transcript_is_read_from_its_last_compaction() {
    let boundary = |kept: bool| {
        let mut boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b"});
        if kept {
            boundary["compactMetadata"] = json!({"preservedSegment": {"headUuid": "x"}});
        }
        boundary
    };
    let long = record("user", "1", None, "x".repeat(6 << 20));
    let last = record("user", "2", Some("1"), "Last");
    assert_eq!(uuids(&[long.clone(), boundary(false), last.clone()]), ["2"]);
    assert_eq!(uuids(&[long, boundary(true), last]), ["1", "2"]);
}

#[test]
fn sub_agents_name_the_call_that_started_them() {
    let records = [
        with(
            record("user", "1", None, "Task"),
            json!({"isSidechain": true, "isMeta": true}),
        ),
        with(
            record("assistant", "2", Some("1"), "Done"),
            json!({"isSidechain": true}),
        ),
    ];
    let meta = br#"{"toolUseId":"toolu_1","parentAgentId":"a1"}"#;
    let messages = subagent_messages(&lines(&records), Some(meta), MessageSelection::new());
    let first = serde_json::to_value(&messages[0]).unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(first["parent_tool_use_id"], "toolu_1");
    assert_eq!(first["parent_agent_id"], "a1");
    let meta = br#"{"toolUseId":"not an id"}"#;
    let messages = subagent_messages(&lines(&records), Some(meta), MessageSelection::new());
    let first = serde_json::to_value(&messages[0]).unwrap();
    assert_eq!(first["parent_tool_use_id"], Value::Null);
}
