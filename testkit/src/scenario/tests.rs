#![allow(clippy::unwrap_used)]

use super::*;
use serde_json::{Value, json};

/// Returns the error of a scenario whose third line is this reply.
#[track_caller]
fn error_of(reply: &str) -> String {
    let script = format!("{{\n  \"replies\": [\n    {reply}\n  ]\n}}");
    Scenario::from_json(&script).unwrap_err().to_string()
}

#[test]
fn invalid_replies_are_errors_with_line_and_column() {
    let place = |column: usize| format!(" at line 3 column {column}");
    let mut wrong = Vec::new();
    let unknown = "unknown field `wen`, expected one of";
    for (reply, what, column) in [
        (
            r#"[{"text":"x"},{"error":{"status":400,"type":"t","message":"m"}}]"#,
            "an `error` must be the only step of its reply",
            68,
        ),
        (
            r#"{"say":[{"error":{"status":400,"type":"t","message":"m"}}],"stop_reason":"refusal"}"#,
            "a reply with an `error` cannot have `usage`, `cost_usd` or `stop_reason`",
            87,
        ),
        (
            r#"["cut",{"text":"x"}]"#,
            "a `cut` must be the last step of its reply",
            24,
        ),
        (
            r#"[{"ask":{"prompt":"x"}}]"#,
            "`ask` must be an object with a string `subtype`",
            26,
        ),
        (
            r#"[{"ask":7}]"#,
            "`ask` must be an object with a string `subtype`",
            13,
        ),
        (
            r#"[{"message":{"subtype":"x"}}]"#,
            "`message` must be an object with a string `type`",
            31,
        ),
        (
            r#"[{"gate":"a/b"}]"#,
            r#""a/b" is not a valid gate name: "#,
            18,
        ),
        (
            r#"[{"tool":{"name":"Bash","gate":".."}}]"#,
            r#"".." is not a valid gate name: "#,
            40,
        ),
        (
            r#"[{"text":{"chunks":["x"],"signature":"s"}}]"#,
            "only `thinking` has a `signature`",
            45,
        ),
        (
            r#"[{"text":7}]"#,
            "invalid type: integer `7`, expected a string, or an object with `chunks`",
            14,
        ),
        (
            r#"[{"txt":"x"}]"#,
            "unknown variant `txt`, expected one of `text`, `thinking`,",
            11,
        ),
        (r#"{"wen":{},"say":[]}"#, unknown, 10),
        (r#"{"when":{"turn":1}}"#, "missing field `say`", 23),
        (
            r#"{"when":{},"say":[]}"#,
            "`when` is empty; omit it to match every request",
            14,
        ),
        (
            r#"{"when":{"turn":0},"say":[]}"#,
            "turns are counted from 1",
            22,
        ),
        (
            r#"{"when":{"prompt":{"matches":"("}},"say":[]}"#,
            r#""(" is not a valid regular expression: "#,
            37,
        ),
        (
            r#"{"say":[],"times":0}"#,
            "invalid value: integer `0`, expected a number above 0, or \"always\"",
            23,
        ),
        (
            r#"{"say":[],"times":"never"}"#,
            "invalid value: string \"never\", expected a number above 0, or \"always\"",
            29,
        ),
        (
            r#"{"say":[],"headers":{"a b":"c"}}"#,
            r#""a b": "c" is not a valid header"#,
            36,
        ),
        (
            "7",
            "invalid type: integer `7`, expected a reply: an array of steps, or an object with `say`",
            5,
        ),
    ] {
        let error = error_of(reply);
        // Messages of libraries list alternatives at their end, so only the
        // beginning is compared.
        let begins = format!("invalid scenario: {what}");
        if !error.starts_with(&begins) || !error.ends_with(&place(column)) {
            wrong.push(format!("{error}\n  expected: {begins}{}", place(column)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn built_and_parsed_scenarios_are_equal_and_round_trip() {
    let file = json!({
        "replies": [
            [ { "text": "Plain." }, { "wait_ms": 5 } ],
            {
                "when": {
                    "prompt": { "contains": "weather" },
                    "result": { "is": "rain" },
                    "model": { "matches": "^claude" },
                    "turn": 2,
                    "after_tools": true,
                },
                "say": [
                    { "thinking": { "chunks": ["Hm."], "delay_ms": 0, "signature": "c2ln" } },
                    { "redacted_thinking": "ZGF0YQ==" },
                    { "gate": "go" },
                    "cut",
                ],
                "usage": { "input_tokens": 7, "cache_read_input_tokens": 8 },
                "cost_usd": 0.5,
                "stop_reason": "max_tokens",
                "headers": { "x-a": "b" },
                "times": 3,
            },
            { "say": [ { "text": "Whatever." } ], "times": "always" },
        ],
    });
    let read = Scenario::from_json(&file.to_string()).unwrap();
    let when = When::prompt_contains("weather")
        .result(TextMatch::Is("rain".into()))
        .model(TextMatch::Matches(
            regex_lite::Regex::new("^claude").unwrap(),
        ))
        .turn(2)
        .after_tools(true);
    let thinking = Thinking {
        text: Streamed::Chunks {
            chunks: vec!["Hm.".into()],
            delay_ms: 0,
        },
        signature: Some("c2ln".into()),
    };
    let second = Reply::new([
        Step::Thinking(thinking),
        Step::redacted_thinking("ZGF0YQ=="),
        Step::gate("go"),
        Step::Cut,
    ]);
    let usage = Usage {
        input_tokens: Some(7),
        cache_read_input_tokens: Some(8),
        ..Usage::default()
    };
    let built = Scenario::default()
        .reply([Step::text("Plain."), Step::WaitMs(5)])
        .reply(
            second
                .when(when)
                .usage(usage)
                .cost_usd(0.5)
                .stop_reason("max_tokens")
                .header("x-a", "b")
                .times(3),
        )
        .reply(Reply::new([Step::text("Whatever.")]).always());
    assert_eq!(read, built);
    let written: Value = serde_json::from_str(&built.to_json()).unwrap();
    assert_eq!(written, file);
}

#[test]
#[should_panic(expected = "a reply has a predicate, which cannot be serialized")]
fn a_predicate_cannot_be_serialized() {
    let reply = Reply::new([]).when(When::predicate(|_| true));
    let _ = Scenario::default().reply(reply).to_json();
}

#[test]
fn gate_names_are_valid_file_names() {
    for (name, is_valid) in [
        ("go", true),
        ("A-1_b.c", true),
        ("", false),
        (".hidden", false),
        ("a.reached", false),
        ("a/b", false),
        ("ä", false),
    ] {
        let script = json!({ "replies": [[{ "gate": name }]] }).to_string();
        assert_eq!(Scenario::from_json(&script).is_ok(), is_valid, "{name:?}");
    }
}

#[test]
fn opening_an_unknown_gate_is_an_error_that_lists_the_gates() {
    let mut gates = gate::Gates::new(&Scenario::default().reply([
        Step::gate("b"),
        Step::Tool(ToolCall {
            gate: Some("a".into()),
            ..ToolCall::new("Bash", Value::Null, "")
        }),
    ]));
    let error = gates.open("c").unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the scenario has no gate "c"; it has: a, b"#
    );
}
