//! Converts arguments of a tool call. Other systems write them as JSON in a text, the Messages API
//! as an object.

use agentwire_protocol::{Json, Members};

/// The name of the member that holds arguments which are not an object.
const INVALID: &str = "INVALID_JSON";

/// Converts arguments to the input of a tool call. Blank arguments are `{}`. Arguments
/// that are not an object become the member `INVALID_JSON`, as the API documents it.
#[must_use]
pub(crate) fn input(arguments: &str) -> Json {
    object(arguments).map_or_else(
        || invalid(arguments),
        |object| Json::of_text(compact(object.get())),
    )
}

/// Converts like [`input`], but preserves the spelling of the text.
#[must_use]
pub(crate) fn input_as_written(arguments: &str) -> Json {
    object(arguments).unwrap_or_else(|| invalid(arguments))
}

/// Converts an input to arguments, which are JSON without spaces. Reverses [`input`].
#[must_use]
pub(crate) fn arguments(input: &Json) -> String {
    invalid_text(input).unwrap_or_else(|| compact(input.get()))
}

/// Converts like [`arguments`], but preserves the spelling of the input.
#[must_use]
pub(crate) fn arguments_as_written(input: &Json) -> String {
    invalid_text(input).unwrap_or_else(|| input.get().to_owned())
}

/// Reads an object. Returns `None` for any other text.
#[must_use]
pub(crate) fn object(text: &str) -> Option<Json> {
    if text.trim().is_empty() {
        return Some(Json::of_text("{}"));
    }
    let json: Json = text.parse().ok()?;
    json.get().starts_with('{').then_some(json)
}

fn invalid(text: &str) -> Json {
    let mut members = Members::default();
    members.push(INVALID, text.into());
    Json::from_value(&members).unwrap_or_default()
}

/// Returns the text of arguments that were not an object.
fn invalid_text(input: &Json) -> Option<String> {
    let members: Members = input.read().ok()?;
    let text = members.get_str(INVALID).filter(|_| members.len() == 1)?;
    object(&text).is_none().then_some(text)
}

/// Removes spaces and unnecessary escapes. Numbers keep their digits.
fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(|c: char| c == '"' || c.is_ascii_whitespace()) {
        let (before, from) = rest.split_at(at);
        compact.push_str(before);
        if from.starts_with('"') {
            let (string, after) = from.split_at(end_of_string(from));
            compact.push_str(&without_unnecessary_escapes(string));
            rest = after;
        } else {
            rest = &from[1..];
        }
    }
    compact.push_str(rest);
    compact
}

/// Returns the end of the string at the start of a text.
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

/// Removes unnecessary escapes of a string. Lone surrogates stay.
fn without_unnecessary_escapes(string: &str) -> String {
    if string.contains('\\')
        && let Ok(text) = serde_json::from_str::<String>(string)
        && let Ok(without_unnecessary_escapes) = serde_json::to_string(&text)
    {
        return without_unnecessary_escapes;
    }
    string.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) -> (String, String) {
        let input = input(text);
        (input.get().to_owned(), arguments(&input))
    }

    #[test]
    fn an_object_becomes_the_input() {
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
            assert_eq!(round_trip(text), (input.to_owned(), input.to_owned()));
        }
    }

    #[test]
    fn spelling_is_preserved_on_request() {
        let text = r#"{"a" : 1.0, "b":1e400, "\u0063":"\/"}"#;
        let input = input_as_written(text);
        assert_eq!(input.get(), text);
        assert_eq!(arguments_as_written(&input), text);
    }

    #[test]
    fn other_values_become_invalid_json() {
        for text in [
            "{",
            "null",
            "[1]",
            "\"x\"",
            "rm -rf",
            "{} {}",
            "{\"a\":}",
            r#"{"a": "#,
            r#"{"INVALID_JSON": 1"#,
        ] {
            let (input, back) = round_trip(text);
            let home = serde_json::json!({ "INVALID_JSON": text });
            assert_eq!(input, home.to_string());
            assert_eq!(back, text);
            let input = input_as_written(text);
            assert_eq!(input.get(), home.to_string());
            assert_eq!(arguments_as_written(&input), text);
        }
    }

    #[test]
    fn other_objects_are_not_read_as_invalid_json() {
        for text in [
            r#"{"INVALID_JSON":"{}"}"#,
            r#"{"INVALID_JSON":""}"#,
            r#"{"INVALID_JSON":1}"#,
            r#"{"INVALID_JSON":"x","more":1}"#,
        ] {
            assert_eq!(round_trip(text).1, text);
            assert_eq!(arguments_as_written(&input_as_written(text)), text);
        }
    }
}
