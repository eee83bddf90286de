//! The arguments of a tool call: JSON inside a text there, an object here.

use agentwire_protocol::{Json, Members};
use serde_json::value::RawValue;

/// Where arguments are that are no object.
const INVALID: &str = "INVALID_JSON";

/// The input of a tool call whose arguments are this text. An empty text is an
/// empty object. What is no object, or not even JSON, becomes the one member
/// `INVALID_JSON` of an object, as the Messages API's own documentation has it.
#[must_use]
pub(crate) fn input(arguments: &str) -> Json {
    if arguments.trim().is_empty() {
        return object(Members::default());
    }
    match serde_json::from_str::<&RawValue>(arguments) {
        Ok(raw) if raw.get().starts_with('{') => raw_json(compact(raw.get())),
        _ => {
            let mut members = Members::default();
            members.push(INVALID, arguments.into());
            object(members)
        }
    }
}

/// The arguments that this input is as a text: JSON without space, whatever
/// spelling the input has. The way back of [`input`].
#[must_use]
pub(crate) fn arguments(input: &Json) -> String {
    if let Ok(members) = input.read::<Members>()
        && members.len() == 1
        && let Some(invalid) = members.get_str(INVALID)
        && !invalid.trim().is_empty()
        && serde_json::from_str::<&RawValue>(&invalid).map_or(true, |it| !it.get().starts_with('{'))
    {
        return invalid;
    }
    compact(input.get())
}

fn object(members: Members) -> Json {
    Json::from_value(&members).unwrap_or_default()
}

fn raw_json(text: String) -> Json {
    RawValue::from_string(text).map_or_else(|_| Json::null(), Json::from)
}

/// JSON without space around its tokens, and without needless escapes in its
/// strings: two spellings of a value give one text. Numbers keep their digits.
fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(|c: char| c == '"' || c.is_ascii_whitespace()) {
        let (before, from) = rest.split_at(at);
        compact.push_str(before);
        if from.starts_with('"') {
            let (string, after) = from.split_at(end_of_string(from));
            compact.push_str(&plain(string));
            rest = after;
        } else {
            rest = &from[1..];
        }
    }
    compact.push_str(rest);
    compact
}

/// Where the string ends with which a text begins.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// A string without needless escapes. Halves of surrogate pairs stay as they
/// are: no string has them.
fn plain(string: &str) -> String {
    if string.contains('\\')
        && let Ok(text) = serde_json::from_str::<String>(string)
        && let Ok(plain) = serde_json::to_string(&text)
    {
        return plain;
    }
    string.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(text: &str) -> (String, String) {
        let input = input(text);
        (input.get().to_owned(), arguments(&input))
    }

    #[test]
    fn an_object_is_the_input() {
        for (text, input) in [
            ("", "{}"),
            (" \n", "{}"),
            ("{}", "{}"),
            (
                "{ \"a b\" : [1.0, 1e400,\n null], \"\\u00e9\": \"\\\" \\n\" }",
                "{\"a b\":[1.0,1e400,null],\"é\":\"\\\" \\n\"}",
            ),
            (r#"{"a": "\ud800 \u0041"}"#, r#"{"a":"\ud800 \u0041"}"#),
        ] {
            assert_eq!(there_and_back(text), (input.to_owned(), input.to_owned()));
        }
    }

    #[test]
    fn what_is_no_object_has_a_home() {
        for text in ["{", "null", "[1]", "\"x\"", "rm -rf", "{} {}", "{\"a\":}"] {
            let (input, back) = there_and_back(text);
            let home = serde_json::json!({ "INVALID_JSON": text });
            assert_eq!(input, home.to_string());
            assert_eq!(back, text);
        }
    }

    #[test]
    fn that_home_is_not_taken_for_another() {
        for text in [
            r#"{"INVALID_JSON":"{}"}"#,
            r#"{"INVALID_JSON":""}"#,
            r#"{"INVALID_JSON":1}"#,
            r#"{"INVALID_JSON":"x","more":1}"#,
        ] {
            assert_eq!(there_and_back(text).1, text);
        }
    }
}
