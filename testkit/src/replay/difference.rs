//! What a host did otherwise than the recorded one.

use serde_json::Value;
use std::fmt;

/// How much of a value is shown, in characters.
const SHOWN: usize = 600;

/// What a host did otherwise than the recorded one. Its `Display` is for
/// people, over several lines.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Whether it is in what the CLI was started with, and not in a line. The
    /// pointer then begins with the flag.
    pub in_arguments: bool,
    /// The line of the recording.
    pub recorded: Option<u64>,
    /// The line of the host's, counted from 1.
    pub heard: Option<u64>,
    /// Where in the line they differ, as a JSON pointer; empty for the whole
    /// line.
    pub pointer: String,
    /// What is recorded there. `None` when nothing is.
    pub expected: Option<Value>,
    /// What the host wrote there. `None` when it wrote nothing.
    pub actual: Option<Value>,
}

impl Difference {
    pub(super) fn missing(recorded: u64, expected: Value) -> Self {
        Self {
            in_arguments: false,
            recorded: Some(recorded),
            heard: None,
            pointer: String::new(),
            expected: Some(expected),
            actual: None,
        }
    }

    pub(super) fn unexpected(heard: u64, actual: Value) -> Self {
        Self {
            in_arguments: false,
            recorded: None,
            heard: Some(heard),
            pointer: String::new(),
            expected: None,
            actual: Some(actual),
        }
    }

    pub(super) fn instead_of(mut self, recorded: u64, expected: Value) -> Self {
        self.recorded = Some(recorded);
        self.expected = Some(expected);
        self
    }

    pub(super) fn at(mut self, recorded: u64, heard: u64) -> Self {
        self.recorded = Some(recorded);
        self.heard = Some(heard);
        self
    }

    pub(super) fn in_arguments(mut self, recorded: u64) -> Self {
        self.in_arguments = true;
        self.recorded = Some(recorded);
        self
    }

    /// The first difference between two values.
    pub(super) fn first(expected: &Value, actual: &Value) -> Option<Self> {
        find(expected, actual).map(|(pointer, expected, actual)| Self {
            in_arguments: false,
            recorded: None,
            heard: None,
            pointer,
            expected,
            actual,
        })
    }
}

type Found = (String, Option<Value>, Option<Value>);

fn find(expected: &Value, actual: &Value) -> Option<Found> {
    let below = |key: &str, found: Option<Found>| {
        let key = key.replace('~', "~0").replace('/', "~1");
        found.map(|(pointer, expected, actual)| (format!("/{key}{pointer}"), expected, actual))
    };
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            let more = actual.keys().filter(|key| !expected.contains_key(*key));
            expected
                .keys()
                .chain(more)
                .find_map(|key| below(key, find_either(expected.get(key), actual.get(key))))
        }
        (Value::Array(expected), Value::Array(actual)) => (0..expected.len().max(actual.len()))
            .find_map(|at| {
                below(
                    &at.to_string(),
                    find_either(expected.get(at), actual.get(at)),
                )
            }),
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => None,
        (expected, actual) if expected == actual => None,
        (expected, actual) => Some((String::new(), Some(expected.clone()), Some(actual.clone()))),
    }
}

fn find_either(expected: Option<&Value>, actual: Option<&Value>) -> Option<Found> {
    match (expected, actual) {
        (Some(expected), Some(actual)) => find(expected, actual),
        (expected, actual) => Some((String::new(), expected.cloned(), actual.cloned())),
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (&self.expected, &self.actual) {
            _ if self.in_arguments => "the host started its CLI with other arguments",
            _ if !self.pointer.is_empty() => "the host wrote something else",
            (Some(_), None) => "the host closed its pipe before it wrote what was recorded",
            (None, Some(_)) => "the host wrote what was not recorded",
            _ => "the host wrote another line",
        };
        f.write_str(what)?;
        if let Some(line) = self.recorded {
            write!(f, "\n  in the recording: line {line}")?;
        }
        if let Some(line) = self.heard {
            write!(f, "\n  of the host:      line {line}")?;
        }
        if !self.pointer.is_empty() {
            write!(f, "\n  at:       {}", self.pointer)?;
        }
        write!(f, "\n  expected: {}", shown(self.expected.as_ref()))?;
        write!(f, "\n  actual:   {}", shown(self.actual.as_ref()))
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "nothing".to_owned();
    };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}
