//! Tests of normalization and comparison, without a process.

#![allow(clippy::unwrap_used)]

use super::{AcceptedDifference, Case, Entry, Hunk, IgnoredMembers, Normal, hunks};
use serde_json::{Value, json};
use std::path::Path;

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
    let expected = lines(&["a", "b", "c", "d"]);
    assert_eq!(hunks(&expected, &expected), []);
    let found = hunks(&expected, &lines(&["a", "x", "c", "d", "e"]));
    let hunk = |after: &str, expected: &[&str], found: &[&str]| Hunk {
        after: after.to_owned(),
        expected: lines(expected),
        found: lines(found),
    };
    assert_eq!(found, [hunk("a", &["b"], &["x"]), hunk("d", &[], &["e"])]);
}

#[test]
fn a_difference_names_the_members_of_a_line() {
    let told =
        |expected: &str, found: &str| hunks(&lines(&[expected]), &lines(&[found]))[0].to_string();
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
fn a_difference_is_accepted_in_its_cases() {
    for accepted in AcceptedDifference::embedded().unwrap() {
        let [hunk] = &hunks(&accepted.fake, &accepted.real)[..] else {
            panic!("the lines have a common line: {accepted:?}");
        };
        assert!(accepted.cases.iter().all(|it| accepted.matches(it, hunk)));
        assert!(!accepted.matches("hello", hunk));
        let reversed = &hunks(&accepted.real, &accepted.fake)[0];
        assert!(!accepted.matches(&accepted.cases[0], reversed));
    }
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
fn every_embedded_case_is_valid() {
    let cases = Case::embedded().unwrap();
    assert!(cases.is_sorted_by_key(Case::name));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conform/cases");
    assert_eq!(cases.len(), Case::in_folder(&folder).unwrap().len());
    for case in cases {
        assert!(case.about().is_some(), "{}", case.name());
    }
}
