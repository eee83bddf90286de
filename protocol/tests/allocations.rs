//! Counts the allocations for reading bytes as a routed frame.
#![allow(clippy::unwrap_used)]

use agentwire_protocol::codec::{Line, LineDecoder};
use agentwire_protocol::{Frame, Message, is_same_value};

/// Returns the number of allocations for reading these lines as frames.
fn allocations(lines: &[&str]) -> u64 {
    let mut decoder = LineDecoder::default();
    for line in lines {
        decoder.push(line.as_bytes());
        decoder.push(b"\n");
    }
    let mut frames = Vec::with_capacity(lines.len());
    let counted = allocation_counter::measure(|| {
        while let Some(line) = decoder.next_line() {
            let Line::Whole(line) = line else { panic!() };
            frames.push(Frame::new(line).unwrap());
        }
    });
    assert_eq!(frames.len(), lines.len());
    let ids = frames
        .iter()
        .map(|frame| (frame.uuid(), frame.request_id()));
    assert!(
        ids.into_iter()
            .all(|(uuid, request_id)| uuid.or(request_id).is_some())
    );
    counted.count_total
}

#[test]
fn a_routed_frame_is_one_allocation() {
    let lines = [
        r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"Hello"}]},"uuid":"u1","session_id":"s"}"#,
        r#"{"type":"system","subtype":"init","cwd":"/","tools":["Bash"],"session_id":"s","uuid":"u2"}"#,
        r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\"b"}},"uuid":"u3"}"#,
        r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}"#,
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r2","response":{"a":[1]}}}"#,
        r#"{ "type" : "keep_alive" , "uuid" : "u4" }"#,
    ];
    assert_eq!(allocations(&lines), lines.len() as u64);
}

#[test]
fn nested_values_are_skipped_without_an_allocation_per_level() {
    let deep = |open: &str, close: &str| {
        let (open, close) = (open.repeat(100_000), close.repeat(100_000));
        format!(r#"{{"type":"x","uuid":"u","deep":{open}1{close}}}"#)
    };
    for line in [deep("[", "]"), deep(r#"{"a":["#, "]}")] {
        let counted = allocations(&[&line]);
        assert!(counted < 20, "{counted}");
    }
}

/// IDs with escapes are separate allocations, because they are unescaped.
#[test]
fn ids_with_escapes_are_unescaped() {
    let line = br#"{"type":"us\u0065r","uuid":"a\"b","request_id":"\ud800","\u0073ession_id":"s"}"#;
    let frame = Frame::new(bytes::Bytes::from_static(line)).unwrap();
    assert_eq!((frame.kind(), frame.uuid()), ("user", Some("a\"b")));
    assert_eq!(
        (frame.request_id(), frame.session_id()),
        (Some("\u{fffd}"), Some("s"))
    );
}

#[test]
fn a_long_line_takes_over_the_buffer_and_the_next_line_is_complete() {
    let long = format!(
        r#"{{"type":"user","uuid":"u","text":"{}"}}"#,
        "x".repeat(1 << 20)
    );
    let mut decoder = LineDecoder::default();
    decoder.push(long.as_bytes());
    decoder.push(b"\r\n{\"type\":\"a\"}\n{\"ty");
    let counted = allocation_counter::measure(|| {
        assert_eq!(decoder.next_line(), Some(Line::Whole(long.clone().into())));
    });
    // One of these allocations is the copy above.
    assert!(
        counted.bytes_total < (3 << 20) / 2,
        "{}",
        counted.bytes_total
    );
    decoder.push(b"pe\":\"b\"}\n");
    for line in [r#"{"type":"a"}"#, r#"{"type":"b"}"#] {
        assert_eq!(decoder.next_line(), Some(Line::Whole(line.into())));
    }
    assert_eq!((decoder.next_line(), decoder.buffered()), (None, 0));
}

/// Each of these objects has an invalid item and another object. A reader that
/// kept the text of each level would keep the innermost item once for every
/// level.
#[test]
fn nested_invalid_members_take_at_most_a_few_times_the_memory_of_the_line() {
    let nested = |levels: usize| {
        let open = r#"{"type":"tool_result","tool_use_id":"t","content":[7,"#.repeat(levels);
        let text = "x".repeat(100_000);
        format!(
            r#"{{"type":"user","uuid":"u","message":{{"content":[7,{open}{{"type":"text","text":"{text}"}}{}]}}}}"#,
            "]}".repeat(levels)
        )
    };
    for (levels, is_known) in [(2, true), (60, false)] {
        let line = nested(levels);
        let frame = Frame::new(line.clone().into()).unwrap();
        let mut message = None;
        let counted = allocation_counter::measure(|| message = Some(frame.message()));
        let message = message.unwrap();
        assert_eq!(matches!(message, Message::User(_)), is_known, "{levels}");
        assert!(
            counted.bytes_max < 8 * line.len() as u64,
            "{}",
            counted.bytes_max
        );
        assert!(!frame.faults().is_empty());
        let written = serde_json::to_string(&message).unwrap();
        assert!(is_same_value(&written, &line).unwrap());
    }
}
