//! Tests of values that Rust types cannot hold: long numbers, lone surrogates,
//! and deep nesting.

use crate::open_types::check::{NUMBERS, survives};
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::{Frame, Message, is_same_value};
use bytes::Bytes;

#[test]
fn numbers_preserve_every_digit() {
    for number in NUMBERS {
        // Numbers in unknown members, at two depths.
        survives::<Message>(&format!(
            r#"{{"type":"user","message":{{"tint":{number}}},"mood":[{{"a":{number}}}]}}"#
        ));
        survives::<Message>(&format!(
            r#"{{"type":"weather","wind":{number},"gusts":[{number}]}}"#
        ));
        // Numbers in raw JSON, with the tag first and last.
        survives::<Message>(&format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t","name":"n","input":{{"x":{number}}}}}]}}}}"#
        ));
        survives::<Message>(&format!(
            r#"{{"message":{{"content":[{{"input":{{"x":{number}}},"id":"t","name":"n","type":"tool_use"}}]}},"type":"assistant"}}"#
        ));
        // Numbers in members with a number type.
        let Message::Result(result) = survives(&format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"total_cost_usd":{number},
                "duration_ms":{number},"modelUsage":{{"m":{{"costUSD":{number}}}}}}}"#
        )) else {
            panic!()
        };
        assert_eq!(result.total_cost_usd.unwrap().get(), number);
        let Message::Result(result) = survives(&format!(
            r#"{{"total_cost_usd":{number},"subtype":"success","is_error":false,"type":"result"}}"#
        )) else {
            panic!()
        };
        assert_eq!(result.total_cost_usd.unwrap().get(), number);
    }
    let huge: agentwire_protocol::Number = serde_json::from_str("1e400").unwrap();
    assert_eq!(huge.as_f64(), f64::INFINITY);
    for text in ["\"1\"", "true", "null", "[1]", "{}"] {
        assert!(
            serde_json::from_str::<agentwire_protocol::Number>(text).is_err(),
            "{text}"
        );
    }
}

#[test]
fn lone_surrogates_are_preserved_in_raw_json() {
    survives::<Message>(r#"{"type":"user","message":{"content":"x"},"mood":"\ud83d"}"#);
    survives::<Message>(r#"{"type":"weather","mood":["\udc00 \ud800"]}"#);
    survives::<ContentBlock>(r#"{"input":{"a":"\ud800"},"id":"t","name":"n","type":"tool_use"}"#);
}

#[test]
fn deep_nesting_is_preserved_or_refused_without_a_crash() {
    // Raw JSON may have any depth.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for text in [
        format!(r#"{{"type":"user","message":{{}},"mood":{deep}}}"#),
        format!(r#"{{"mood":{deep},"message":{{}},"type":"user"}}"#),
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"input":{deep},"id":"t","name":"n","type":"tool_use"}}]}}}}"#
        ),
    ] {
        let message: Message = serde_json::from_str(&text).unwrap();
        assert!(serde_json::to_string(&message).unwrap().contains(&deep));
    }

    // Blocks in blocks may have a few levels, wherever the tag is. Many levels
    // are an error.
    let nested = |levels: usize, before: &str, after: &str| {
        format!(
            r#"{{"type":"user","message":{{"content":[{}{{"type":"text","text":"x"}}{}]}}}}"#,
            before.repeat(levels),
            after.repeat(levels)
        )
    };
    for (before, after) in [
        (
            r#"{"type":"tool_result","tool_use_id":"t","content":["#,
            "]}",
        ),
        (
            r#"{"content":["#,
            r#"],"tool_use_id":"t","type":"tool_result"}"#,
        ),
    ] {
        survives::<Message>(&nested(20, before, after));
        let frame = Frame::new(Bytes::from(nested(3_000, before, after))).unwrap();
        let written = serde_json::to_string(&frame.message()).unwrap();
        assert!(is_same_value(&written, &nested(3_000, before, after)).unwrap());
        let faults = frame.faults();
        assert_eq!(faults.len(), 1, "{}", faults.len());
        assert!(faults[0].reason.contains("nested more than 64 levels deep"));
    }
}
