//! Tests of normalization and comparison, without a process.

#![allow(clippy::unwrap_used)]

use super::{Case, Entry, Golden, Hunk, IgnoredMembers, Normal, Recording, hunks};
use serde_json::{Value, json};

fn case(host: &Value) -> Case {
    let file =
        json!({"about": "Says hello", "replies": [[{"text": "Hello there."}]], "host": host});
    Case::from_json("hello", &file.to_string()).unwrap()
}

fn normal(record: &[Entry]) -> Vec<String> {
    let rules = IgnoredMembers::embedded().unwrap();
    Normal::new(&case(&json!({"prompts": ["Say it"]})), &rules).lines(record)
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|it| (*it).to_owned()).collect()
}

#[test]
fn values_that_differ_between_runs_are_removed() {
    let record = |session: &str, uuid: &str, time: &str| {
        let line = json!({
            "type": "system", "subtype": "note", "session_id": session, "uuid": uuid,
            "timestamp": time, "cwd": format!("/home/{session}"), "state": "idle",
            "note": format!("It is {time} now."), "heard": "Say it",
        });
        let again = json!({"type": "more", "session_id": session});
        [Entry::Received(line), Entry::Received(again)]
    };
    let one = normal(&record(
        "one",
        "22222222-2222-4000-8000-000000000001",
        "8:00",
    ));
    let other = normal(&record(
        "other",
        "22222222-2222-4000-8000-000000000002",
        "9:00",
    ));
    assert_eq!(one, other);
    assert_eq!(
        one,
        [
            r#"< system/note {"cwd":"(path)","heard":"Say it","note":"(prose)","session_id":"(session_id 1)","state":"idle","timestamp":"(left out)","uuid":"(uuid)"}"#,
            r#"< more {"session_id":"(session_id 1)"}"#,
        ]
    );
}

#[test]
fn exits_and_lines_that_are_not_objects_are_lines() {
    let record = [
        Entry::Sent(json!({"type": "user"})),
        Entry::Noise("42".to_owned()),
        Entry::Exited(Some(3)),
        Entry::Exited(None),
    ];
    let expected = [
        "> user {}",
        "< (no JSON object) 42",
        "exit 3",
        "killed by a signal",
    ];
    assert_eq!(normal(&record), expected);
}

#[test]
fn hunks_are_the_differing_positions() {
    let measured = lines(&["a", "b", "c", "d"]);
    assert_eq!(hunks(&measured, &measured), []);
    let found = hunks(&measured, &lines(&["a", "x", "c", "d", "e"]));
    let hunk = |after: &str, measured: &[&str], found: &[&str]| Hunk {
        after: after.to_owned(),
        measured: lines(measured),
        found: lines(found),
    };
    assert_eq!(found, [hunk("a", &["b"], &["x"]), hunk("d", &[], &["e"])]);
}

#[test]
fn a_difference_names_the_members_of_a_line() {
    let told =
        |measured: &str, found: &str| hunks(&lines(&[measured]), &lines(&[found]))[0].to_string();
    assert_eq!(
        told(
            r#"< result/success {"a":{"b":[1,{"c":2}]},"gone":"x","same":1}"#,
            r#"< result/success {"a":{"b":[1,{"c":3}]},"new":null,"same":1}"#
        ),
        "< result/success: a.b[1].c is 3, expected 2; gone is missing, expected \"x\"; \
         new is null, expected no such member"
    );
    assert_eq!(told("< user {}", "exit 1"), "exit 1, expected < user {}");
    let missing = hunks(&lines(&["exit 0"]), &[]);
    assert_eq!(missing[0].to_string(), "missing: exit 0");
}

#[test]
fn measurements_round_trip() {
    let mut recording = Recording::default();
    let init = json!({"type": "system", "subtype": "init", "claude_code_version": "9.9"});
    recording.entries = vec![Entry::Received(init), Entry::Exited(Some(0))];
    let mut golden = Golden::default();
    golden
        .add(case(&json!({"prompts": ["Say it"]})), &recording)
        .unwrap();
    let read = Golden::from_json(&golden.to_json().unwrap()).unwrap();
    assert_eq!(read.version.as_deref(), Some("9.9"));
    assert_eq!(read.cases[0].case.name(), "hello");
    assert_eq!(read.cases[0].case.about(), Some("Says hello"));
    assert_eq!(
        read.cases[0].lines,
        [
            r#"< system/init {"claude_code_version":"(left out)"}"#,
            "exit 0"
        ]
    );

    recording.remaining = Some("remaining step: wait".to_owned());
    let refused = golden.add(case(&json!({})), &recording);
    assert_eq!(refused, recording.remaining.map_or(Ok(()), Err));
}

#[test]
fn the_error_of_an_invalid_case_has_its_name() {
    let told = |text: &str| Case::from_json("odd", text).unwrap_err().to_string();
    assert!(told("{").starts_with("the case odd: "), "{}", told("{"));
    let host = told(r#"{"host": {"steps": [{"dance": 1}]}}"#);
    assert!(
        host.starts_with("the case odd: host: unknown variant `dance`"),
        "{host}"
    );
}

#[test]
fn the_measurements_contain_no_machine_and_no_prose() {
    let golden = Golden::embedded().unwrap();
    assert!(golden.version.is_some());
    assert!(golden.cases.len() > 100, "{}", golden.cases.len());
    for measured in &golden.cases {
        let name = measured.case.name();
        let last = measured.lines.last().unwrap();
        assert!(last.starts_with("exit "), "{name}: {last}");
        for line in &measured.lines {
            assert!(
                !line.contains("/tmp") && !line.contains("/home"),
                "{name}: {line}"
            );
        }
    }
}
