//! Property tests: no bytes in a transcript cause a panic.

use agentwire_protocol::Json;
use agentwire_protocol::transcript::{
    Archived, Ends, Fork, MessageSelection, session_messages, subagent_messages,
};
use proptest::prelude::*;

/// Pieces of records, so that the bytes resemble a transcript.
const PIECES: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "\r\n",
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "null",
    "true",
    "5",
    "\"type\":",
    "\"user\"",
    "\"assistant\"",
    "\"system\"",
    "\"attachment\"",
    "\"uuid\":\"1\",",
    "\"uuid\":\"2\",",
    "\"parentUuid\":\"1\",",
    "\"parentUuid\":\"2\",",
    "\"message\":",
    "\"content\":",
    "\"tool_use\"",
    "\"tool_result\"",
    "\"customTitle\":\"",
    "\"custom-title\"",
    "\"compact_boundary\"",
    "\"compactMetadata\":",
    "\"queued_command\"",
    "\"timestamp\":\"2025-",
    "<command-name>",
    "</command-name>",
    "<pasted_content id=\"0a1f\">\n",
    "🦀",
    "\u{feff}",
    " ",
];

fn records() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES.to_vec()).prop_map(|it| it.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|it| it.concat())
}

/// Returns whole records with arbitrary parts.
fn rows() -> impl Strategy<Value = Vec<u8>> {
    let id = prop::sample::select(vec!["null", "\"1\"", "\"2\"", "\"3\"", "5", "\"\""]);
    let kind = prop::sample::select(vec![
        "user",
        "assistant",
        "system",
        "attachment",
        "progress",
    ]);
    let member = prop::sample::select(vec![
        r#""message":{"id":"m","content":[{"type":"tool_use","id":"a"}]}"#,
        r#""message":{"content":[{"type":"tool_result","tool_use_id":"a"}]}"#,
        r#""message":{"content":"x"}"#,
        r#""message":5"#,
        r#""subtype":"compact_boundary","compactMetadata":{"preservedMessages":{"uuids":["1","2"],"anchorUuid":"3"}}"#,
        r#""subtype":"compact_boundary","compactMetadata":{"preservedSegment":{"headUuid":"1","tailUuid":"2"}}"#,
        r#""attachment":{"type":"queued_command","prompt":"x","source_uuid":"1"}"#,
        r#""hostHiddenToolUseIds":["a"],"message":{"content":[{"type":"tool_use","id":"a"}]}"#,
        r#""isSidechain":true"#,
    ]);
    let row = (kind, id.clone(), id, member).prop_map(|(kind, uuid, parent, member)| {
        format!("{{\"type\":\"{kind}\",\"uuid\":{uuid},\"parentUuid\":{parent},{member}}}\n")
    });
    prop::collection::vec(row, 0..12).prop_map(|it| it.concat().into_bytes())
}

proptest! {
    #[test]
    fn no_bytes_make_reading_panic(text in prop_oneof![records(), rows()]) {
        let selection = MessageSelection::new().system_messages(true);
        let archived = Archived::read(br#"{"archived":true,"at":"2025-01-01T00:00:00Z"}"#);
        let ends = Ends::new(&text, &text);
        let _ = (
            session_messages(&text, selection),
            subagent_messages(&text, Some(&text), selection),
            ends.summary(None, None, archived),
            (ends.continued_in(), ends.directory(), ends.is_programmatic()),
            (Ends::title_of_file(&text), Archived::read(&text)),
        );
    }

    #[test]
    fn a_copy_of_any_bytes_has_whole_lines_and_no_old_ids(
        text in prop_oneof![records(), rows()],
        message in prop::sample::select(vec!["", "1", "2", "3"]),
    ) {
        let mut number = 0;
        let fork = Fork::new("one", "two", "2026-01-01T00:00:00.000Z").up_to(message);
        let copy = fork.write(&text, || {
            number += 1;
            format!("n{number}")
        });
        let copy = copy.unwrap_or_default();
        for line in copy.split(|it| *it == b'\n').filter(|line| !line.is_empty()) {
            let line: Json = String::from_utf8_lossy(line).parse().unwrap();
            if line.member("forkedFrom").is_some() {
                let is_new = |it: Json| it.is_null() || it.get().starts_with("\"n");
                let ids = ["uuid", "parentUuid"].map(|it| line.member(it).unwrap());
                prop_assert!(ids.into_iter().all(is_new), "{}", line);
            }
        }
    }
}
