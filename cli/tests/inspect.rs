//! Tests of `agentwire inspect`.

#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::{Value, json};
use std::process::Output;
use support::{agentwire, run_with_input, stderr, stdout};

fn inspect(arguments: &[&str], input: &str) -> Output {
    run_with_input(agentwire("inspect").args(arguments), input)
}

fn reports(input: &str) -> Vec<Value> {
    let output = inspect(&["--json", "-"], input);
    assert!(output.status.success());
    stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn each_line_gets_a_report_with_its_number() {
    let reports = reports(concat!(
        "{\"type\":\"system\",\"subtype\":\"status\",\"status\":null,\"mood\":[1e400]}\n",
        "\n",
        "no json\n",
        "{\"type\":\"weather\"}\n",
        "{\"type\":\"user\"}\n",
    ));
    assert_eq!(
        reports[0],
        json!({ "line": 1, "kind": "system/status", "typed": true, "untyped": ["/mood"],
                "faults": [], "lossless": true, "error": null })
    );
    assert_eq!(
        (&reports[1]["line"], &reports[1]["kind"]),
        (&json!(3), &json!("invalid"))
    );
    assert!(reports[1]["error"].is_string());
    assert_eq!(
        (&reports[2]["kind"], &reports[2]["typed"]),
        (&json!("weather"), &json!(false))
    );
    assert_eq!(
        reports[3],
        json!({ "line": 5, "kind": "user", "typed": true, "untyped": [], "lossless": true, "error": null,
                "faults": [{"path": "message", "reason": "missing field `message`"}] })
    );
}

#[test]
fn a_recording_is_read_in_both_directions_and_its_own_lines_are_asides() {
    let reports = reports(concat!(
        r#"{"t":0.1,"dir":"spawn","msg":{"argv":["claude"]}}"#,
        "\n",
        r#"{"t":0.2,"dir":"send","msg":{"type":"control_request","request_id":"r1","request":{"subtype":"set_model","model":"m"}}}"#,
        "\n",
        r#"{"t":0.3,"dir":"recv","msg":{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"model":"m"}}}}"#,
        "\n",
        r#"{"t":0.4,"dir":"send_raw","msg":"[1,"}"#,
        "\n",
    ));
    let kinds: Vec<_> = reports
        .iter()
        .map(|report| report["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "recording/spawn",
            "control_request/set_model",
            "control_response/set_model",
            "invalid"
        ]
    );
    assert!(reports[2]["typed"].as_bool().unwrap());
}

#[test]
fn readable_output_shows_content_and_unknown_members() {
    let output = inspect(
        &["-"],
        "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Hello.\",\"tone\":1}]}}\n",
    );
    let text = stdout(&output);
    assert!(text.contains("assistant  Hello."), "{text}");
    assert!(
        text.contains("no typed field for /message/content/*/tone"),
        "{text}"
    );
}

#[test]
fn an_unreadable_file_is_status_2() {
    let output = inspect(&["/no/such/file"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/no/such/file"));
}
