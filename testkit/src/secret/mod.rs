//! Detects secrets on command lines, in environments, in text and on the wire:
//! by name, by position and by form.

mod looks;
mod shapes;
mod text;

pub use text::masked;

/// The replacement for a secret.
pub const MASKED: &str = "***";

/// Words that mark a name as secret. Most must be whole words; otherwise
/// `KEYBOARD` and `AUTHOR` would be secret. `SECRET_ENDINGS` are often joined
/// with others. `TOKENS` is a number, not a secret.
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

/// Returns whether the members of an object with this name are passed to
/// another program. Any of them may then be secret.
#[must_use]
pub fn is_given(name: &str) -> bool {
    matches!(name, "headers" | "env")
}

/// Returns whether a variable, flag or member with this name is a secret.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    // The shell's directories.
    if matches!(name, "PWD" | "OLDPWD") {
        return false;
    }
    words(name).iter().any(|word| {
        SECRET_WORDS.contains(&&**word) || SECRET_ENDINGS.iter().any(|end| word.ends_with(end))
    })
}

/// Words before `KEY` or `TOKEN` that mark the value as a secret.
const SURE_KEYS: [&str; 20] = [
    "ACCESS",
    "ACCOUNT",
    "ADMIN",
    "API",
    "AUTH",
    "BEARER",
    "BOT",
    "CLIENT",
    "DEPLOY",
    "ENCRYPTION",
    "LICENSE",
    "MASTER",
    "OAUTH",
    "PRIVATE",
    "REFRESH",
    "SECRET",
    "SERVICE",
    "SESSION",
    "SIGNING",
    "SUBSCRIPTION",
];

/// Returns whether a name marks its value as a secret, whatever the value looks
/// like. Returns `true` for `password` and `api_key`, and `false` for `key`,
/// `token_count` and `next_page_token`.
#[must_use]
pub fn is_sure(name: &str) -> bool {
    let words = words(name);
    let mut words = words
        .iter()
        .rev()
        .map(|word| &**word)
        .filter(|word| !word.is_empty());
    match (words.next().unwrap_or_default(), words.next()) {
        ("KEY" | "KEYS" | "TOKEN", Some(kind)) => SURE_KEYS.contains(&kind),
        ("KEY" | "KEYS" | "TOKEN", None) => false,
        ("PASSWD" | "SECRETS" | "CREDENTIAL" | "CREDENTIALS" | "CREDS", _) => true,
        (word, _) => SECRET_ENDINGS.iter().any(|end| word.ends_with(end)),
    }
}

/// Returns the words of a name in capitals. `API_KEY`, `api-key` and `apiKey`
/// have two words.
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

/// Returns the text with users and passwords in URLs masked.
#[must_use]
pub fn mask_url_credentials(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let host_ends = after
            .find(|c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace())
            .unwrap_or(after.len());
        rest = match after[..host_ends].rfind('@') {
            // The user name of Git over SSH is not secret.
            Some(3) if after.starts_with("git@") => after,
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

    #[test]
    fn secret_names_match_whole_words() {
        for name in ["API_KEY", "apiKey", "--auth-token", "PGPASSWORD", "headers"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["KEYBOARD", "AUTHOR", "PWD", "max_tokens", "tools"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
