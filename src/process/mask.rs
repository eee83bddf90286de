//! Masking possible secrets in printed texts.

use agentwire_protocol::Json;
use agentwire_protocol::secret::{MASKED, is_given, is_secret, masked};
use serde_json::{Map, Value};

/// The longest text that is printed, in characters.
const LONGEST: usize = 500;

/// Masks an argument: a flag with a value that may be JSON.
pub(crate) fn argument(argument: &str) -> String {
    match argument.split_once('=') {
        Some((flag, value)) => format!("{flag}={}", variable(flag, value)),
        None => text(argument),
    }
}

/// Masks the value of a named item.
pub(crate) fn variable(name: &str, value: &str) -> String {
    if is_secret(name) {
        return MASKED.to_owned();
    }
    match serde_json::from_str(value) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => self::value(value).to_string(),
        _ => text(value),
    }
}

/// Masks possible secrets in JSON, or all of it if it cannot be parsed.
pub(crate) fn json(json: &Json) -> String {
    match json.to_value() {
        Ok(tree) => value(tree).to_string(),
        Err(_) => MASKED.to_owned(),
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
        // All members are handed to another program.
        Value::Object(members) if is_given(&name) => {
            let members = members.into_iter().map(|(name, _)| (name, MASKED.into()));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::String(_) if is_secret(&name) => MASKED.into(),
        other => value(other),
    };
    (name, new)
}

/// Masks secrets in a text, and shortens it.
fn text(text: &str) -> String {
    let mut shown = String::new();
    for c in masked(text).chars().take(LONGEST + 1) {
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
        let settings = "--settings=run with DB_PASSWORD=hunter2";
        assert_eq!(argument(settings), "--settings=run with DB_PASSWORD=***");
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
