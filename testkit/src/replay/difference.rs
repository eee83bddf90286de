//! Differences between a host and the recorded one.

use serde_json::Value;
use std::fmt;

/// The maximum length of a displayed value, in characters.
const MAX_SHOWN: usize = 600;

/// A difference between a host and the recorded host. `Display` formats it as a
/// report of several lines.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Whether the CLI's arguments differ. If not, a line differs. The pointer
    /// into arguments begins with the flag.
    pub in_arguments: bool,
    /// The line number in the recording.
    pub recorded_line: Option<u64>,
    /// The line number of the host, counted from 1.
    pub actual_line: Option<u64>,
    /// The JSON pointer to the difference. Empty for the whole line.
    pub pointer: String,
    /// The recorded value, if there is one.
    pub expected: Option<Value>,
    /// The host's value, if there is one.
    pub actual: Option<Value>,
}

impl Difference {
    pub(super) fn missing(recorded_line: u64, expected: Value) -> Self {
        Self {
            in_arguments: false,
            recorded_line: Some(recorded_line),
            actual_line: None,
            pointer: String::new(),
            expected: Some(expected),
            actual: None,
        }
    }

    pub(super) fn unexpected(actual_line: u64, actual: Value) -> Self {
        Self {
            in_arguments: false,
            recorded_line: None,
            actual_line: Some(actual_line),
            pointer: String::new(),
            expected: None,
            actual: Some(actual),
        }
    }

    pub(super) fn instead_of(mut self, recorded_line: u64, expected: Value) -> Self {
        self.recorded_line = Some(recorded_line);
        self.expected = Some(expected);
        self
    }

    pub(super) fn at(mut self, recorded_line: u64, actual_line: u64) -> Self {
        self.recorded_line = Some(recorded_line);
        self.actual_line = Some(actual_line);
        self
    }

    pub(super) fn in_arguments(mut self, recorded_line: u64) -> Self {
        self.in_arguments = true;
        self.recorded_line = Some(recorded_line);
        self
    }

    /// Returns the first difference between two values.
    pub(super) fn first(expected: &Value, actual: &Value) -> Option<Self> {
        find(expected, actual).map(|(pointer, expected, actual)| Self {
            in_arguments: false,
            recorded_line: None,
            actual_line: None,
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
        let summary = match (&self.expected, &self.actual) {
            _ if self.in_arguments => "the host started the CLI with different arguments",
            _ if !self.pointer.is_empty() => "the host wrote a different value",
            (Some(_), None) => "the host closed the input before it wrote a recorded line",
            (None, Some(_)) => "the host wrote an unexpected line",
            _ => "the host wrote a different line",
        };
        f.write_str(summary)?;
        if let Some(line) = self.recorded_line {
            write!(f, "\n  in the recording: line {line}")?;
        }
        if let Some(line) = self.actual_line {
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
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}
