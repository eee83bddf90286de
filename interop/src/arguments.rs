//! The arguments of a tool call: JSON inside a text there, an object here.

use agentwire_protocol::{Json, Members};

/// Where arguments are that are no object.
const INVALID: &str = "INVALID_JSON";

/// The input of a tool call whose arguments are this text. An empty text is an
/// empty object. What is no object, or not even JSON, becomes the one member
/// `INVALID_JSON` of an object, as the Messages API's own documentation has it.
#[must_use]
pub(crate) fn input(arguments: &str) -> Json {
    object(arguments).map_or_else(
        || invalid(arguments),
        |object| Json::of_text(compact(object.get())),
    )
}

/// As [`input`], in the spelling of the text.
#[must_use]
pub(crate) fn input_as_written(arguments: &str) -> Json {
    object(arguments).unwrap_or_else(|| invalid(arguments))
}

/// The arguments that this input is as a text: JSON without space, whatever
/// spelling the input has. The way back of [`input`].
#[must_use]
pub(crate) fn arguments(input: &Json) -> String {
    invalid_text(input).unwrap_or_else(|| compact(input.get()))
}

/// As [`arguments`], in the spelling of the input.
#[must_use]
pub(crate) fn arguments_as_written(input: &Json) -> String {
    invalid_text(input).unwrap_or_else(|| input.get().to_owned())
}

/// The object that a text is. Nothing, when it is something else.
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

/// The text in an input that was no object.
fn invalid_text(input: &Json) -> Option<String> {
    let members: Members = input.read().ok()?;
    let text = members.get_str(INVALID).filter(|_| members.len() == 1)?;
    object(&text).is_none().then_some(text)
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
    fn an_object_can_keep_its_spelling() {
        let text = r#"{"a" : 1.0, "b":1e400, "\u0063":"\/"}"#;
        let input = input_as_written(text);
        assert_eq!(input.get(), text);
        assert_eq!(arguments_as_written(&input), text);
    }

    #[test]
    fn what_is_no_object_has_a_home() {
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
            let (input, back) = there_and_back(text);
            let home = serde_json::json!({ "INVALID_JSON": text });
            assert_eq!(input, home.to_string());
            assert_eq!(back, text);
            let input = input_as_written(text);
            assert_eq!(input.get(), home.to_string());
            assert_eq!(arguments_as_written(&input), text);
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
            assert_eq!(arguments_as_written(&input_as_written(text)), text);
        }
    }
}
