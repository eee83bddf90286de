//! What can be secret, masked where it is printed.

use agentwire_protocol::Json;
use serde_json::{Map, Value};

const MASKED: &str = "***";

/// How much of a text is printed, in characters.
const LONGEST: usize = 500;

/// Words in a name that tell of a secret.
const WORDS: [&str; 8] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "AUTH",
    "CREDENTIAL",
    "COOKIE",
];

/// An argument: a flag, and a value that may be JSON.
pub(super) fn argument(argument: &str) -> String {
    match argument.split_once('=') {
        Some((flag, value)) => format!("{flag}={}", variable(flag, value)),
        None => text(argument),
    }
}

/// The value of something that has a name.
pub(super) fn variable(name: &str, value: &str) -> String {
    if is_secret(name) {
        return MASKED.to_owned();
    }
    match serde_json::from_str(value) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => self::value(value).to_string(),
        _ => text(value),
    }
}

/// JSON with what can be secret in it masked; all of it, where it cannot be
/// looked into.
pub(super) fn json(json: &Json) -> String {
    match json.to_tree() {
        Some(tree) => value(tree).to_string(),
        None => MASKED.to_owned(),
    }
}

fn value(tree: Value) -> Value {
    match tree {
        Value::Object(members) => Value::Object(members.into_iter().map(member).collect()),
        Value::Array(items) => items.into_iter().map(value).collect(),
        Value::String(it) => text(&it).into(),
        other => other,
    }
}

fn member((name, old): (String, Value)) -> (String, Value) {
    let new = match old {
        // All that is in there was put there to be handed to somebody.
        Value::Object(members) if name == "headers" || name == "env" => {
            let members = members.into_iter().map(|(name, _)| (name, MASKED.into()));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::String(_) if is_secret(&name) => MASKED.into(),
        other => value(other),
    };
    (name, new)
}

fn is_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    WORDS.iter().any(|word| name.contains(word)) && !name.contains("TOKENS")
}

/// A text, without the user of a URL, and without what is too much to print.
fn text(text: &str) -> String {
    let mut shown = without_user(text);
    if let Some((end, _)) = shown.char_indices().nth(LONGEST) {
        shown.truncate(end);
        shown.push_str(&format!("… ({} bytes)", text.len()));
    }
    shown
}

fn without_user(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        let host = after.find(|it: char| it == '/' || it.is_whitespace());
        let (authority, behind) = after.split_at(host.unwrap_or(after.len()));
        shown.push_str(before);
        shown.push_str("://");
        match authority.rsplit_once('@') {
            Some((_, host)) => {
                shown.push_str(MASKED);
                shown.push('@');
                shown.push_str(host);
            }
            None => shown.push_str(authority),
        }
        rest = behind;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_masked_by_their_name_and_by_where_they_stand() {
        assert_eq!(variable("ANTHROPIC_API_KEY", "sk"), "***");
        assert_eq!(variable("--max-thinking-tokens", "9"), "9");
        assert_eq!(
            variable("P", "http://me:pw@host/x @y"),
            "http://***@host/x @y"
        );
        assert_eq!(argument("--api-key=sk"), "--api-key=***");
        let config = r#"--mcp-config={"a":{"headers":{"X":"sk"},"url":"u"}}"#;
        let masked = r#"--mcp-config={"a":{"headers":{"X":"***"},"url":"u"}}"#;
        assert_eq!(argument(config), masked);
        let request = json!({ "settings": { "env": { "A": "sk" }, "apiKeyHelper": "sk" } });
        let masked = json!({ "settings": { "env": { "A": "***" }, "apiKeyHelper": "***" } });
        assert_eq!(json(&request.into()), masked.to_string());
    }

    #[test]
    fn what_is_long_is_cut() {
        let long = "é".repeat(2000);
        assert!(text(&long).ends_with("é… (4000 bytes)"));
    }
}
