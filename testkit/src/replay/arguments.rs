//! Compares the arguments of a CLI by their meaning.

use super::difference::Difference;
use serde_json::{Map, Value};

/// Flags whose values are IDs chosen by the host.
const IDS: [&str; 1] = ["--session-id"];

/// Returns the first difference between the recorded command line and the
/// host's.
pub(super) fn difference(recorded: &[String], arguments: &[String]) -> Option<Difference> {
    let recorded = recorded.get(1..).unwrap_or_default();
    Difference::first(&meaning(recorded), &meaning(arguments))
}

/// Returns the values of each flag. The order of flags does not matter. A value
/// may follow `=` or be the next argument. Arguments before the first flag
/// belong to the program, such as the path of a script.
fn meaning(arguments: &[String]) -> Value {
    let mut flags = Map::new();
    let mut flag = None;
    for argument in arguments {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) if is_flag(name) => (Some(name), Some(value)),
            _ if is_flag(argument) => (Some(&**argument), None),
            _ => (flag, Some(&**argument)),
        };
        flag = name;
        let Some(name) = name else {
            continue;
        };
        let values = flags.entry(name).or_insert_with(|| Value::Array(vec![]));
        if let (Value::Array(values), Some(value)) = (values, value) {
            values.push(match serde_json::from_str(value) {
                _ if IDS.contains(&name) => Value::Null,
                Ok(json @ (Value::Object(_) | Value::Array(_))) => json,
                _ => value.into(),
            });
        }
    }
    Value::Object(flags)
}

/// Returns whether an argument is a flag, and not text with a leading dash.
/// Arguments after `--` are values of `--`.
fn is_flag(argument: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    argument.starts_with('-') && argument.len() > 1 && argument.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::difference;
    use serde_json::{Value, json};

    const RECORDED: [&str; 11] = [
        "node",
        "cli.js",
        "--setting-sources",
        "",
        "--add-dir",
        "a",
        "b",
        "--settings",
        "{\"b\": 1, \"a\": [2]}",
        "--session-id=one",
        "--append-system-prompt=- be brief",
    ];

    type Comparison = Option<(String, Option<Value>, Option<Value>)>;

    fn compare(arguments: &[&str]) -> Comparison {
        let owned = |it: &[&str]| -> Vec<String> { it.iter().map(|&it| it.to_owned()).collect() };
        difference(&owned(&RECORDED), &owned(arguments))
            .map(|it| (it.pointer, it.expected, it.actual))
    }

    #[test]
    fn equivalent_arguments_are_equal() {
        let put_otherwise = [
            "--append-system-prompt",
            "- be brief",
            "--session-id",
            "other",
            "--settings={\"a\":[2],\"b\":1.0}",
            "--add-dir=a",
            "--add-dir=b",
            "--setting-sources=",
        ];
        assert_eq!(compare(&put_otherwise), None);
    }

    #[test]
    fn the_first_difference_is_found() {
        let pointer = |it: &str| it.to_owned();
        let mut given = RECORDED;
        given[6] = "c";
        let expected = (pointer("/--add-dir/1"), Some(json!("b")), Some(json!("c")));
        assert_eq!(compare(&given), Some(expected));
        let mut given = RECORDED;
        given[8] = "{\"b\": 1, \"a\": [3]}";
        let expected = (pointer("/--settings/0/a/0"), Some(json!(2)), Some(json!(3)));
        assert_eq!(compare(&given), Some(expected));
        let missing = (
            pointer("/--settings"),
            Some(json!([{"b": 1, "a": [2]}])),
            None,
        );
        let without = [&RECORDED[..7], &RECORDED[9..]].concat();
        assert_eq!(compare(&without), Some(missing));
        let more = (pointer("/--verbose"), None, Some(json!([])));
        assert_eq!(
            compare(&[&RECORDED[..], &["--verbose"]].concat()),
            Some(more)
        );
    }
}
