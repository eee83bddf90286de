#![allow(clippy::unwrap_used)]

use super::*;
use serde_json::{Value, json};

/// The error of a scenario with this reply, which stands alone on line 3.
#[track_caller]
fn error_of(reply: &str) -> String {
    let script = format!("{{\n  \"replies\": [\n    {reply}\n  ]\n}}");
    Scenario::from_json(&script).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_played_is_refused_where_it_stands() {
    let place = |column: usize| format!(" at line 3 column {column}");
    let mut wrong = Vec::new();
    let unknown = "unknown field `wen`, expected one of";
    for (reply, what, column) in [
        (
            r#"[{"text":"x"},{"error":{"status":400,"type":"t","message":"m"}}]"#,
            "an `error` stands beside other steps; it is a reply of its own",
            68,
        ),
        (
            r#"{"say":[{"error":{"status":400,"type":"t","message":"m"}}],"stop_reason":"refusal"}"#,
            "an `error` has no `usage`, no `cost_usd` and no `stop_reason`",
            87,
        ),
        (
            r#"["cut",{"text":"x"}]"#,
            "a `cut` is the last step of its reply",
            24,
        ),
        (
            r#"[{"ask":{"prompt":"x"}}]"#,
            "an `ask` is an object with a `subtype`, a text",
            26,
        ),
        (
            r#"[{"ask":7}]"#,
            "an `ask` is an object with a `subtype`, a text",
            13,
        ),
        (
            r#"[{"message":{"subtype":"x"}}]"#,
            "a `message` is an object with a `type`, a text",
            31,
        ),
        (
            r#"[{"gate":"a/b"}]"#,
            r#""a/b" cannot be the name of a gate: "#,
            18,
        ),
        (
            r#"[{"tool":{"name":"Bash","gate":".."}}]"#,
            r#"".." cannot be the name of a gate: "#,
            40,
        ),
        (
            r#"[{"text":{"chunks":["x"],"signature":"s"}}]"#,
            "only `thinking` has a `signature`",
            45,
        ),
        (
            r#"[{"text":7}]"#,
            "invalid type: integer `7`, expected a text, or an object with `chunks`",
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
            "`when` says nothing; a reply without it fits every request",
            14,
        ),
        (
            r#"{"when":{"turn":0},"say":[]}"#,
            "turns are counted from 1",
            22,
        ),
        (
            r#"{"when":{"prompt":{"matches":"("}},"say":[]}"#,
            r#""(" cannot be used: "#,
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
            r#""a b": "c" cannot be a header"#,
            36,
        ),
        (
            "7",
            "invalid type: integer `7`, expected a reply: an array of steps, or an object with `say`",
            5,
        ),
    ] {
        let error = error_of(reply);
        // Where libraries go on about what could have been, its beginning will do.
        let begins = format!("the scenario cannot be read: {what}");
        if !error.starts_with(&begins) || !error.ends_with(&place(column)) {
            wrong.push(format!("{error}\n  expected: {begins}{}", place(column)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_file_says_can_be_built_and_is_written_as_it_was() {
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
#[should_panic(expected = "a reply has a predicate, a function that cannot be written down")]
fn a_predicate_cannot_be_written() {
    let reply = Reply::new([]).when(When::predicate(|_| true));
    let _ = Scenario::default().reply(reply).to_json();
}

#[test]
fn gates_have_names_that_files_can_have() {
    for (name, is_one) in [
        ("go", true),
        ("A-1_b.c", true),
        ("", false),
        (".hidden", false),
        ("a.reached", false),
        ("a/b", false),
        ("ä", false),
    ] {
        let script = json!({ "replies": [[{ "gate": name }]] }).to_string();
        assert_eq!(Scenario::from_json(&script).is_ok(), is_one, "{name:?}");
    }
}

#[test]
fn a_gate_that_no_step_names_is_an_error_that_says_which_there_are() {
    let mut gates = gate::Gates::of(&Scenario::default().reply([
        Step::gate("b"),
        Step::Tool(ToolCall {
            gate: Some("a".into()),
            ..match Step::tool("Bash", Value::Null, "") {
                Step::Tool(call) => call,
                _ => unreachable!(),
            }
        }),
    ]));
    let error = gates.open("c").unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the scenario has no gate "c"; it has: a, b"#
    );
}
