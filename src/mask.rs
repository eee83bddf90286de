//! What can be secret, masked where it is printed.

use agentwire_protocol::Json;
use serde_json::{Map, Value};

const MASKED: &str = "***";

/// How much of a text is printed, in characters.
const LONGEST: usize = 500;

/// Words in names that tell of a secret. Most count only as whole
/// words, or `KEYBOARD` and `AUTHOR` were secret; some are often written
/// together with others. `TOKENS` is no secret but a number.
const SECRET_WORDS: [&str; 18] = [
    "KEY",
    "KEYS",
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "AUTH",
    "AUTHORIZATION",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "COOKIE",
    "HEADERS",
    "JWT",
];
const SECRET_ENDINGS: [&str; 5] = ["APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSPHRASE"];

/// An argument: a flag, and a value that may be JSON.
pub(crate) fn argument(argument: &str) -> String {
    match argument.split_once('=') {
        Some((flag, value)) => format!("{flag}={}", variable(flag, value)),
        None => text(argument),
    }
}

/// The value of something that has a name.
pub(crate) fn variable(name: &str, value: &str) -> String {
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
pub(crate) fn json(json: &Json) -> String {
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
    // The shell's directories.
    if matches!(name, "PWD" | "OLDPWD") {
        return false;
    }
    words(name).iter().any(|word| {
        SECRET_WORDS.contains(&&**word) || SECRET_ENDINGS.iter().any(|end| word.ends_with(end))
    })
}

/// The words of a name, in capitals: `API_KEY`, `api-key` and `apiKey` have
/// two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let is_next = c.is_uppercase() && before.is_lowercase();
        if is_next || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_uppercase());
        }
        before = c;
    }
    words
}

/// A text, without the users of URLs, and without what is too much to print.
fn text(text: &str) -> String {
    let mut shown = String::new();
    for c in without_users(text).chars().take(LONGEST + 1) {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if let Some((end, _)) = shown.char_indices().nth(LONGEST) {
        shown.truncate(end);
        shown.push_str(&format!("… ({} bytes)", text.len()));
    }
    shown
}

/// A text with the users and passwords of the URLs in it masked.
fn without_users(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let host_ends = after
            .find(|c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace())
            .unwrap_or(after.len());
        rest = match after[..host_ends].rfind('@') {
            Some(user_ends) => {
                shown.push_str(MASKED);
                &after[user_ends..]
            }
            None => after,
        };
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
        assert_eq!(variable("AUTHOR", "me\nyou"), "me\\nyou");
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
    fn what_can_be_secret_is_masked_and_the_rest_is_shown() {
        for name in [
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "ANTHROPIC_CUSTOM_HEADERS",
            "OTEL_EXPORTER_OTLP_HEADERS",
            "PGPASSWORD",
            "github_token",
            "MyApiKey",
            "DB_PASS",
        ] {
            assert_eq!(variable(name, "s3cret"), "***", "{name}");
        }
        for (name, value) in [
            ("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "32000"),
            ("KEYBOARD", "de"),
            ("PWD", "/home/me"),
            ("AUTHOR", "me"),
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080/v1"),
            ("MAIL", "me@example.invalid"),
        ] {
            assert_eq!(variable(name, value), value, "{name}");
        }
    }

    #[test]
    fn users_and_passwords_in_urls_are_variable() {
        for (value, shown) in [
            ("http://me:pa@ss@proxy:3128/", "http://***@proxy:3128/"),
            (
                "a=ftp://x:y@h b=https://z@i",
                "a=ftp://***@h b=https://***@i",
            ),
            ("https://host/path@2", "https://host/path@2"),
            ("://@", "://***@"),
        ] {
            assert_eq!(variable("HTTPS_PROXY", value), shown);
        }
    }

    #[test]
    fn what_is_long_is_cut() {
        let long = "é".repeat(2000);
        assert!(text(&long).ends_with("é… (4000 bytes)"));
    }
}
