//! What a tool is given: a text in chat messages, an object in ours.

use super::chat::Arguments;
use super::tool::is_object;
use agentwire_protocol::{Json, Members};

/// Under what name a text that is no object is in one: the API's
/// documentation has it so, for input that the model did not finish.
const INVALID: &str = "INVALID_JSON";

/// The input that arguments are. A text that is blank is an empty object, and
/// one that is none is the only member of one.
pub(super) fn input(arguments: &Arguments) -> Json {
    let text = match arguments {
        Arguments::Text(text) => text,
        Arguments::Value(value) if is_object(value) => return value.clone(),
        Arguments::Value(value) => value.get(),
    };
    object(text).unwrap_or_else(|| invalid(text))
}

/// The object that a text is: none, when it is something else.
pub(super) fn object(text: &str) -> Option<Json> {
    if text.trim().is_empty() {
        return Some(Members::default()).and_then(|none| Json::from_value(&none).ok());
    }
    let read: Json = serde_json::from_str(text).ok()?;
    is_object(&read).then_some(read)
}

/// The text that an input is as arguments.
pub(super) fn text(input: &Json) -> String {
    let invalid = invalid_text(input).filter(|text| object(text).is_none());
    invalid.unwrap_or_else(|| input.get().to_owned())
}

fn invalid(text: &str) -> Json {
    let mut members = Members::default();
    members.set(INVALID, text);
    Json::from_value(&members).unwrap_or_default()
}

fn invalid_text(input: &Json) -> Option<String> {
    if !input.get().contains(INVALID) {
        return None;
    }
    let members: Members = input.read().ok()?;
    members.get_str(INVALID).filter(|_| members.len() == 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn there_and_back(arguments: &str) -> (String, String) {
        let input = input(&arguments.into());
        (input.get().to_owned(), text(&input))
    }

    #[test]
    fn an_object_keeps_its_text() {
        let arguments = r#"{"a" : 1.0, "b":1e400}"#;
        assert_eq!(
            there_and_back(arguments),
            (arguments.to_owned(), arguments.to_owned())
        );
    }

    #[test]
    fn nothing_is_an_empty_object() {
        assert_eq!(there_and_back(" \n").0, "{}");
    }

    #[test]
    fn what_is_no_object_has_a_place_in_one() {
        for arguments in [r#"{"a": "#, "[1]", "null", r#"{"INVALID_JSON": 1"#] {
            let (input, back) = there_and_back(arguments);
            assert_eq!(input, serde_json::json!({ INVALID: arguments }).to_string());
            assert_eq!(back, arguments);
        }
    }

    #[test]
    fn an_object_that_only_looks_like_it_stays_what_it_is() {
        for input in [
            r#"{"INVALID_JSON":"{}"}"#,
            r#"{"INVALID_JSON":""}"#,
            r#"{"INVALID_JSON":"x","y":1}"#,
            r#"{"INVALID_JSON":1}"#,
        ] {
            assert_eq!(text(&serde_json::from_str(input).unwrap()), input);
        }
    }
}
