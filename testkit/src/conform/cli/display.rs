//! Displays a difference. For two lines of one kind, displays the differing
//! members, otherwise both lines.

use super::super::short;
use super::Hunk;
use serde_json::Value;
use std::fmt;

/// The maximum number of displayed members of a line.
const MAX_MEMBERS: usize = 4;

/// The maximum length of a displayed line or value, in characters.
pub(super) const MAX_SHOWN: usize = 160;

impl fmt::Display for Hunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.expected.first(), self.found.first()) {
            (Some(expected), Some(found)) => match members(expected, found) {
                Some(members) => write!(f, "{}: {members}", split(found).0),
                None => write!(f, "{}, expected {}", beginning(found), beginning(expected)),
            },
            (Some(expected), None) => write!(f, "missing: {}", beginning(expected)),
            (None, Some(found)) => write!(f, "unexpected: {}", beginning(found)),
            (None, None) => f.write_str("no difference"),
        }
    }
}

/// Splits a line into its kind and its members.
fn split(line: &str) -> (&str, Option<Value>) {
    let Some((kind, rest)) = line.split_once(" {") else {
        return (line, None);
    };
    (kind, serde_json::from_str(&format!("{{{rest}")).ok())
}

/// Returns the differing members of two lines, if both have the same kind.
fn members(expected: &str, found: &str) -> Option<String> {
    let ((kind, expected), (other, found)) = (split(expected), split(found));
    if kind != other {
        return None;
    }
    let mut differences = vec![];
    compare(&expected?, &found?, &mut String::new(), &mut differences);
    let more = differences.len().saturating_sub(MAX_MEMBERS);
    differences.truncate(MAX_MEMBERS);
    if more > 0 {
        differences.push(format!("{more} more"));
    }
    Some(differences.join("; "))
}

fn compare(expected: &Value, found: &Value, path: &mut String, differences: &mut Vec<String>) {
    let length = path.len();
    match (expected, found) {
        _ if expected == found => {}
        (Value::Object(of_expected), Value::Object(of_found)) => {
            let new = of_found.keys().filter(|it| !of_expected.contains_key(*it));
            for name in of_expected.keys().chain(new) {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                match (of_expected.get(name), of_found.get(name)) {
                    (Some(expected), Some(found)) => compare(expected, found, path, differences),
                    (Some(expected), None) => {
                        differences
                            .push(format!("{path} is missing, expected {}", value(expected)));
                    }
                    (None, Some(found)) => {
                        differences.push(format!(
                            "{path} is {}, expected no such member",
                            value(found)
                        ));
                    }
                    (None, None) => {}
                }
                path.truncate(length);
            }
        }
        (Value::Array(of_expected), Value::Array(of_found))
            if of_expected.len() == of_found.len() =>
        {
            for (at, (expected, found)) in of_expected.iter().zip(of_found).enumerate() {
                path.push_str(&format!("[{at}]"));
                compare(expected, found, path, differences);
                path.truncate(length);
            }
        }
        _ => differences.push(format!(
            "{path} is {}, expected {}",
            value(found),
            value(expected)
        )),
    }
}

fn value(value: &Value) -> String {
    beginning(&value.to_string())
}

/// Returns the beginning of a text, up to the maximum displayed length.
fn beginning(text: &str) -> String {
    short(text, MAX_SHOWN)
}
