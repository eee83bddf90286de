//! A difference, for people: of two lines of one kind the members that differ,
//! of other lines their beginnings.

use super::super::short;
use super::Hunk;
use serde_json::Value;
use std::fmt;

/// How many members of a line are named.
const NAMED: usize = 4;

/// How much of a line or a value is shown, in characters.
pub(super) const SHOWN: usize = 160;

impl fmt::Display for Hunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.measured.first(), self.found.first()) {
            (Some(measured), Some(found)) => match members(measured, found) {
                Some(members) => write!(f, "{}: {members}", split(found).0),
                None => write!(f, "{}, and not {}", beginning(found), beginning(measured)),
            },
            (Some(measured), None) => write!(f, "missing: {}", beginning(measured)),
            (None, Some(found)) => write!(f, "not to come: {}", beginning(found)),
            (None, None) => f.write_str("no difference"),
        }
    }
}

/// A line without its members, and these.
fn split(line: &str) -> (&str, Option<Value>) {
    let Some((kind, rest)) = line.split_once(" {") else {
        return (line, None);
    };
    (kind, serde_json::from_str(&format!("{{{rest}")).ok())
}

/// The members in which two lines of one kind differ.
fn members(measured: &str, found: &str) -> Option<String> {
    let ((kind, measured), (other, found)) = (split(measured), split(found));
    if kind != other {
        return None;
    }
    let mut told = vec![];
    compare(&measured?, &found?, &mut String::new(), &mut told);
    let more = told.len().saturating_sub(NAMED);
    told.truncate(NAMED);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    Some(told.join("; "))
}

fn compare(measured: &Value, found: &Value, path: &mut String, told: &mut Vec<String>) {
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
                    (Some(measured), Some(found)) => compare(measured, found, path, told),
                    (Some(measured), None) => {
                        told.push(format!(
                            "{path} is missing, and is to be {}",
                            value(measured)
                        ));
                    }
                    (None, Some(found)) => {
                        told.push(format!("{path} is {}, and is not to be", value(found)));
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
                compare(measured, found, path, told);
                path.truncate(length);
            }
        }
        _ => told.push(format!(
            "{path} is {}, and not {}",
            value(found),
            value(measured)
        )),
    }
}

fn value(value: &Value) -> String {
    beginning(&value.to_string())
}

/// Its beginning.
fn beginning(text: &str) -> String {
    short(text, SHOWN)
}
