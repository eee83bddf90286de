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
        match (self.measured.first(), self.found.first()) {
            (Some(measured), Some(found)) => match members(measured, found) {
                Some(members) => write!(f, "{}: {members}", split(found).0),
                None => write!(f, "{}, expected {}", beginning(found), beginning(measured)),
            },
            (Some(measured), None) => write!(f, "missing: {}", beginning(measured)),
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
fn members(measured: &str, found: &str) -> Option<String> {
    let ((kind, measured), (other, found)) = (split(measured), split(found));
    if kind != other {
        return None;
    }
    let mut differences = vec![];
    compare(&measured?, &found?, &mut String::new(), &mut differences);
    let more = differences.len().saturating_sub(MAX_MEMBERS);
    differences.truncate(MAX_MEMBERS);
    if more > 0 {
        differences.push(format!("{more} more"));
    }
    Some(differences.join("; "))
}

fn compare(measured: &Value, found: &Value, path: &mut String, differences: &mut Vec<String>) {
    let length = path.len();
    match (measured, found) {
        _ if measured == found => {}
        (Value::Object(of_measured), Value::Object(of_found)) => {
            let new = of_found.keys().filter(|it| !of_measured.contains_key(*it));
            for name in of_measured.keys().chain(new) {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                match (of_measured.get(name), of_found.get(name)) {
                    (Some(measured), Some(found)) => compare(measured, found, path, differences),
                    (Some(measured), None) => {
                        differences
                            .push(format!("{path} is missing, expected {}", value(measured)));
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
        (Value::Array(of_measured), Value::Array(of_found))
            if of_measured.len() == of_found.len() =>
        {
            for (at, (measured, found)) in of_measured.iter().zip(of_found).enumerate() {
                path.push_str(&format!("[{at}]"));
                compare(measured, found, path, differences);
                path.truncate(length);
            }
        }
        _ => differences.push(format!(
            "{path} is {}, expected {}",
            value(found),
            value(measured)
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
