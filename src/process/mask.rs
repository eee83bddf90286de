//! Masking possible secrets in printed texts.
//!
//! Anything that may be a secret is masked: a wrong guess only hides a word of a printed
//! command line.

use agentwire_protocol::Json;
use agentwire_protocol::text::contains;
use serde_json::{Map, Value};

/// The longest text that is printed, in characters.
const LONGEST: usize = 500;

/// The replacement for a secret.
const MASKED: &str = "***";

/// Parts of the names of secrets.
const MARKS: [&str; 12] = [
    "auth", "basic", "bearer", "cookie", "cred", "header", "jwt", "key", "pass", "pwd", "secret",
    "token",
];

/// Words that contain one of these parts and name no secret.
const HARMLESS: [&str; 4] = ["author", "authors", "keyboard", "tokens"];

/// Flags of HTTP clients whose value is a user and password.
const USERS: [&str; 3] = ["-u", "--user", "--proxy-user"];

/// The shortest random text that is masked.
const SHORTEST: usize = 16;

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
        // All members are values for another program.
        Value::Object(members) if matches!(&*name, "headers" | "env") => {
            let members = members.into_iter().map(|(name, _)| (name, MASKED.into()));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::String(_) if is_secret(&name) => MASKED.into(),
        other => value(other),
    };
    (name, new)
}

/// Returns whether a variable, flag or member with this name is a secret.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // The shell's directories.
    !matches!(&*name, "pwd" | "oldpwd")
        && name
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| !HARMLESS.contains(&word) && MARKS.iter().any(|mark| contains(word, mark)))
}

/// Masks possible secrets in a text, and shortens it.
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

/// Masks the rest of a line after the name of a secret, users in URLs, and random words.
fn masked(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let (shown, secret) = match value_of_secret(line) {
            Some(start) => (&line[..start], MASKED),
            None => (line, ""),
        };
        mask_random_values(&mask_url_credentials(shown)) + secret
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns where the value of the first secret of a line starts.
fn value_of_secret(line: &str) -> Option<usize> {
    let belongs = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let quotes = ['"', '\'', '`', '\\', ' ', '\t'];
    let mut rest = line;
    loop {
        rest = &rest[rest.find(belongs)?..];
        let (name, after) = rest.split_at(rest.find(|c| !belongs(c))?);
        rest = after;
        let is_user = USERS.iter().any(|flag| name.starts_with(flag));
        let is_scheme = ["basic", "bearer"].contains(&&*name.to_ascii_lowercase());
        if !is_user && !is_secret(name) {
            continue;
        }
        let behind = after.trim_start_matches(quotes).trim_start_matches(']');
        let value = match behind.trim_start().strip_prefix(['=', ':', '>']) {
            Some(value) => value,
            None if is_scheme || name.starts_with('-') => after,
            None => continue,
        };
        let value = value.trim_start_matches(quotes);
        if !value.trim().is_empty() {
            return Some(line.len() - value.len());
        }
    }
}

/// Masks users and passwords in URLs.
fn mask_url_credentials(text: &str) -> String {
    let mut parts = text.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let ends_host = |c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace();
        let host = part.split(ends_host).next().unwrap_or_default();
        shown.push_str("://");
        match host.rfind('@') {
            Some(end) => shown.extend([MASKED, &part[end..]]),
            None => shown.push_str(part),
        }
    }
    shown
}

/// Masks words that look random.
fn mask_random_values(text: &str) -> String {
    let ends = |c: char| !c.is_ascii_alphanumeric() && !"+/_~-".contains(c);
    let words = text.split_inclusive(ends).map(|part| {
        let word = part.trim_end_matches(ends);
        match is_random(word) {
            true => MASKED.to_owned() + &part[word.len()..],
            false => part.to_owned(),
        }
    });
    words.collect()
}

/// Returns whether letters and digits, or capitals and others, alternate in a word that is
/// neither a path nor a UUID.
fn is_random(word: &str) -> bool {
    let pairs = || word.as_bytes().windows(2).map(|pair| (pair[0], pair[1]));
    let is_number = |one: u8, two: u8| {
        one.is_ascii_alphanumeric()
            && two.is_ascii_alphanumeric()
            && one.is_ascii_digit() != two.is_ascii_digit()
    };
    let numbers = pairs().filter(|(one, two)| is_number(*one, *two)).count();
    let is_capital = |one: u8, two: u8| one.is_ascii_lowercase() && two.is_ascii_uppercase();
    let capitals = pairs().filter(|(one, two)| is_capital(*one, *two)).count();
    word.len() >= SHORTEST
        && !word.starts_with('/')
        && uuid::Uuid::try_parse(word).is_err()
        && (numbers >= 3 || capitals >= 5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_masked_by_name_and_position() {
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
    fn possible_secrets_are_masked() {
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
    fn users_and_passwords_in_urls_are_masked() {
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
    fn text_after_the_name_of_a_secret_is_masked() {
        for (value, shown) in [
            ("export DB_PASSWORD=hunter2", "export DB_PASSWORD=***"),
            ("Authorization: Bearer abc123", "Authorization: ***"),
            ("send Bearer abc123", "send Bearer ***"),
            ("\"api_key\": \"abc123\",", "\"api_key\": \"***"),
            ("tool --api-key abc123", "tool --api-key ***"),
            ("curl -sS -u me:pw https://host", "curl -sS -u ***"),
            ("curl -ume:pw host", "curl -ume:***"),
            ("<password>hunter2</password>", "<password>***"),
            (
                "https://host/?access_token=abcd",
                "https://host/?access_token=***",
            ),
            ("key: one\nMODE=fast", "key: ***\\nMODE=fast"),
            ("use --api-key", "use --api-key"),
            ("the token is read", "the token is read"),
        ] {
            assert_eq!(variable("X", value), shown, "{value}");
        }
    }

    #[test]
    fn random_words_are_masked() {
        let token = "a1b2".repeat(5);
        let letters = "hf_abCdEfGhIjKlMnOpQr";
        for (value, shown) in [
            (format!("see ghp_{token}, {letters}"), "see ***, ***".into()),
            (format!("{token}.{token}"), "***.***".to_owned()),
        ] {
            assert_eq!(variable("X", &value), shown);
        }
        for value in [
            "claude-sonnet-4-5-20250929",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "550e8400-e29b-41d4-a716-446655440000",
            "mcp__server__getUserNameById Bash(git log:*)",
            "/nix/store/a1b2c3d4e5f6a7b8c9d0-bash/bin:/usr/lib/x86_64-linux-gnu",
            "2026-01-02T03:04:05.678Z",
        ] {
            assert_eq!(variable("X", value), value);
        }
    }

    #[test]
    fn long_texts_are_shortened() {
        let long = "é".repeat(2000);
        assert!(text(&long).ends_with("é… (4000 bytes)"));
    }
}
