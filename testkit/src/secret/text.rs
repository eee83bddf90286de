//! Finds secrets in free text: prose, source code, commands and their output.

use super::looks::{is_mixed, is_not_words, is_placeholder, looks_random};
use super::shapes::token_end;
use super::{MASKED, is_secret, is_sure, mask_url_credentials};
use std::borrow::Cow;
use std::ops::Range;

/// The maximum length of a name.
const LONGEST_NAME: usize = 80;
/// The maximum length of a private key, in bytes.
const MAX_KEY_LENGTH: usize = 20_000;
/// The minimum length of a line of a private key.
const MIN_PEM_LINE: usize = 40;
/// The maximum length of a value that is examined.
const MAX_EXAMINED: usize = 512;

/// Returns the text with its secrets masked.
///
/// Secrets are recognised by the prefixes that well-known services use, and by
/// the names, flags and headers in front of them. Users and passwords in URLs
/// are masked as well.
///
/// A value is masked if its name is conclusive (`password`, `api_key`) and the
/// value is not a word. If its name is inconclusive (`key`, `token`), the value
/// must look random. The running time is linear in the length of the text.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        is_request: false,
    };
    let mut shown = String::new();
    let (mut at, mut done) = (0, 0);
    while at < text.len() {
        match scanner.secret_at(at) {
            Some(secret) => {
                shown.push_str(&text[done..secret.start]);
                shown.push_str(MASKED);
                done = secret.end;
                at = done.max(at + 1);
            }
            None => at += 1,
        }
    }
    let shown = match done {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(shown + &text[done..]),
    };
    match shown.contains("://") {
        true => Cow::Owned(mask_url_credentials(&shown)),
        false => shown,
    }
}

/// The syntax that connects a value to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `NAME=value`, as in a shell, or `?name=value` in a URL.
    Assigned,
    /// `x-api-key: value`, `<name>value`.
    Header,
    /// `--api-key value`.
    Flag,
    /// `name: "value"`, `name == "value"`, `name "value"`.
    Quoted,
    /// The syntax between a name and a comparison, which requires a quoted
    /// value.
    Compared,
    /// `name = value`.
    Plain,
}

/// The position of a value, and the syntax that connects it to its name.
struct Value {
    form: Form,
    start: usize,
    quote: Option<u8>,
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Whether the command on this line is an HTTP client.
    is_request: bool,
}

impl Scanner<'_> {
    /// Returns the range of the secret that begins at `at`, or whose name
    /// begins there.
    fn secret_at(&mut self, at: usize) -> Option<Range<usize>> {
        match self.bytes[at] {
            b'\n' => {
                self.is_request &= at > 0 && self.bytes[at - 1] == b'\\';
                None
            }
            b'-' if self.is_key_next(at) => self.private_key(at),
            _ if !self.is_start(at, |byte| byte.is_ascii_alphanumeric() || byte == b'_') => None,
            _ => token_end(self.bytes, at)
                .map(|end| at..end)
                .or_else(|| self.named_secret(at)),
        }
    }

    fn is_key_next(&self, at: usize) -> bool {
        let rest = &self.bytes[at..];
        rest.starts_with(b"-----BEGIN ") || rest.starts_with(b"---- BEGIN ")
    }

    /// Returns whether the preceding character permits a name or token to begin
    /// at `at`. The end of an escape or of a terminal sequence permits it.
    fn is_start(&self, at: usize, belongs: impl Fn(u8) -> bool) -> bool {
        let before = &self.bytes[..at];
        match before {
            [.., b'\\', b'n' | b'r' | b't'] => true,
            [.., b'%', one, two] if one.is_ascii_hexdigit() && two.is_ascii_hexdigit() => true,
            [.., b'0'..=b'9' | b'[', b'm'] => {
                let mut codes = before.iter().rev().skip(1).take(12);
                codes.find(|it| !it.is_ascii_digit() && **it != b';') == Some(&b'[')
            }
            [.., last] => !belongs(*last),
            [] => true,
        }
    }

    /// Returns the range of a private key between its marker lines. If the
    /// closing line is missing, the range ends with the key.
    fn private_key(&self, start: usize) -> Option<Range<usize>> {
        let rest = self.head(start, MAX_KEY_LENGTH);
        // The markers have the format of RFC 7468 or of SSH2.
        let (dashes, first, last) = match rest.starts_with("-----") {
            true => ("-----", "-----BEGIN ", "-----END "),
            false => ("----", "---- BEGIN ", "---- END "),
        };
        let title = self.head(start + dashes.len(), LONGEST_NAME);
        let title = title[..title.find(dashes)?].trim_end();
        if !title.ends_with("PRIVATE KEY") && !title.ends_with("PRIVATE KEY BLOCK") {
            return None;
        }
        let body = dashes.len() + rest[dashes.len()..].find(dashes)? + dashes.len();
        // The start of the next key ends this one. Otherwise, a text with many
        // keys without closing lines would be scanned once for each key.
        let next = rest[body..].find(first).map(|at| body + at);
        let rest = &rest[..next.unwrap_or(rest.len())];
        let is_of_key =
            |c: char| c.is_ascii_alphanumeric() || "+/=\\".contains(c) || c.is_ascii_whitespace();
        let is_of_header = |c: char| is_of_key(c) || ":,.;()_@<>-".contains(c);
        let end = match rest[body..].split_once(last) {
            Some((key, after)) if key.len() >= MIN_PEM_LINE && key.chars().all(is_of_header) => {
                let end = after.find(dashes).map(|at| at + dashes.len());
                rest.len() - after.len() + end.unwrap_or(after.len())
            }
            _ => {
                let key = &rest[body..];
                let key = &key[..key.find(|c| !is_of_key(c)).unwrap_or(key.len())];
                let lines = key.split_ascii_whitespace().flat_map(|it| it.split("\\n"));
                let longest = lines.map(str::len).max()?;
                (longest >= MIN_PEM_LINE).then_some(body + key.len())?
            }
        };
        Some(start..start + end)
    }

    /// Returns the range of the secret whose name begins at `start`.
    fn named_secret(&mut self, start: usize) -> Option<Range<usize>> {
        let belongs = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let is_first =
            self.bytes[start].is_ascii_alphabetic() || b"_-".contains(&self.bytes[start]);
        // A type annotation has no value.
        let is_type = self.bytes[..start].ends_with(b"::");
        if !is_first || is_type || !self.is_start(start, belongs) {
            return None;
        }
        let rest = self.bytes[start..].iter().take(LONGEST_NAME);
        let end = start + rest.take_while(|byte| belongs(**byte)).count();
        let name = &self.text[start..end];
        match name {
            "curl" | "wget" | "http" | "https" | "xh" => {
                self.is_request = true;
                return None;
            }
            "-u" | "--user" | "--proxy-user" if self.is_request => return self.user(end),
            _ if self.is_request && name.starts_with("-u") => return self.user(start + 2),
            _ => {}
        }
        let lower = name.to_ascii_lowercase();
        match &*lower {
            "authorization" | "proxy-authorization" => return self.credentials(end),
            "bearer" | "basic" => return self.credential(end),
            "cookie" | "set-cookie" => return self.cookies(end),
            _ if !may_be_secret(&lower) || lower.contains("public") => return None,
            _ => {}
        }
        let is_query = matches!(self.bytes[..start], [.., b'?' | b'&']);
        let is_signature = is_query && matches!(&*lower, "sig" | "signature" | "x-amz-signature");
        if !is_secret(name) && !is_signature {
            return None;
        }
        let mut value = self.value(start, end)?;
        if is_query && value.form == Form::Plain {
            value.form = Form::Assigned;
        }
        let text = self.examined(&value);
        let next_byte = self.bytes.get(value.start + text.len()).copied();
        is_secret_value(is_sure(name), value.form, text, next_byte).then(|| self.whole(&value))
    }

    /// Returns the value of the name that ends at `end`.
    fn value(&self, start: usize, end: usize) -> Option<Value> {
        let name = &self.text[start..end];
        let behind = self.skip_quote_and_brackets(end);
        let spaced = self.skip(behind, b" \t");
        let rest = &self.bytes[spaced..];
        let is_spaced = spaced > end;
        let (form, sign) = match rest {
            [b'=', b'=', b'=', ..] => (Form::Compared, 3),
            [b'=' | b'!', b'=', ..] => (Form::Compared, 2),
            [b':', b':', ..] => return None,
            [b'=', b' ' | b'\t', ..] => (Form::Plain, 1),
            [b'=', b'>', ..] | [b':', b'=', ..] => (Form::Plain, 2),
            [b'=', ..] if !is_spaced && is_variable(name) => (Form::Assigned, 1),
            [b':', ..] if name.contains('-') && !name.starts_with('-') => (Form::Header, 1),
            [b'=' | b':', ..] => (Form::Plain, 1),
            [b'>', ..] if self.bytes[..start].ends_with(b"<") => (Form::Header, 1),
            _ if name.starts_with('-') && is_spaced => (Form::Flag, 0),
            [b'\\' | b'"' | b'\'' | b'`', ..] if is_spaced => (Form::Compared, 0),
            _ => return None,
        };
        let at = self.skip(spaced + sign, b" \t");
        let quoted = self.skip(at, b"\\@");
        let quote = self.bytes.get(quoted).filter(|it| b"\"'`".contains(it));
        let form = match (form, quote) {
            (Form::Plain | Form::Compared, Some(_)) => Form::Quoted,
            (Form::Compared, None) => return None,
            (form, _) => form,
        };
        Some(Value {
            form,
            start: quote.map_or(at, |_| quoted + 1),
            quote: quote.copied(),
        })
    }

    /// Skips the closing quote and brackets between a name and a sign. Returns
    /// the index after them.
    fn skip_quote_and_brackets(&self, end: usize) -> usize {
        let at = self.skip(end, b"\\");
        if self.is_any(at, b"\"'`") {
            return self.skip(at + 1, b"]");
        }
        let index = self.skip(end, b"[0123456789");
        match self.is_any(index, b"]") {
            true => index + 1,
            false => end,
        }
    }

    /// Returns the part of a value that is examined. The limit keeps the
    /// running time linear for texts full of names without values.
    fn examined(&self, value: &Value) -> &str {
        let head = self.head(value.start, MAX_EXAMINED);
        let text = match value.quote {
            Some(quote) => &head[..head.find([quote.into(), '\n']).unwrap_or(head.len())],
            None => self.word(value.start),
        };
        // The backslashes belong to the closing quote.
        text.trim_end_matches('\\')
    }

    fn whole(&self, value: &Value) -> Range<usize> {
        let rest = &self.text[value.start..];
        let end = match value.quote {
            Some(quote) => rest.find([quote.into(), '\n']),
            None => rest.find(ends_word),
        };
        let whole = &rest[..end.unwrap_or(rest.len())];
        value.start..value.start + whole.trim_end_matches('\\').len()
    }

    /// Returns the examined part of an unquoted text.
    fn word(&self, start: usize) -> &str {
        let head = self.head(start, MAX_EXAMINED);
        &head[..head.find(ends_word).unwrap_or(head.len())]
    }

    /// Returns the range of an unquoted text.
    fn whole_word(&self, start: usize) -> Range<usize> {
        self.whole(&Value {
            form: Form::Plain,
            start,
            quote: None,
        })
    }

    /// Returns at most `most` bytes of the text, up to a character boundary.
    fn head(&self, start: usize, most: usize) -> &str {
        let rest = &self.text[start.min(self.text.len())..];
        let cut = (0..=most.min(rest.len())).rev();
        &rest[..cut
            .into_iter()
            .find(|at| rest.is_char_boundary(*at))
            .unwrap_or(0)]
    }

    /// Returns the range of the value after `-u`, which is a user and a
    /// password.
    fn user(&self, end: usize) -> Option<Range<usize>> {
        let start = self.skip(end, b"= \t\\\"'");
        let (user, password) = self.word(start).split_once(':')?;
        let is_given = !user.is_empty() && !is_placeholder(password);
        is_given.then(|| self.whole_word(start))
    }

    /// Returns the range of the value after `Authorization:`, without the
    /// scheme if there is one.
    fn credentials(&self, end: usize) -> Option<Range<usize>> {
        let at = self.skip(end, b"\"'\\ \t");
        if !self.is_any(at, b":=") {
            return None;
        }
        let first = self.skip(at + 1, b"\"'\\ \t");
        let behind = first + self.word(first).len();
        let second = self.skip(behind, b" \t");
        let is_credential = |start: &usize| {
            let word = self.word(*start);
            word.len() >= 6 && is_not_words(word) && !is_placeholder(word) && !word.contains("://")
        };
        let found = [second, first].into_iter().find(is_credential)?;
        Some(self.whole_word(found))
    }

    /// Returns the range of the value after a scheme, without a header.
    fn credential(&self, end: usize) -> Option<Range<usize>> {
        let start = self.skip(end, b" \t");
        let word = self.word(start);
        (start > end && word.len() >= 12 && is_not_words(word)).then(|| self.whole_word(start))
    }

    /// Returns the range of the value after `Cookie:`, up to the end of the
    /// line or the quote.
    fn cookies(&self, end: usize) -> Option<Range<usize>> {
        let at = self.skip(end, b"\"'\\");
        if !self.is_any(at, b":") {
            return None;
        }
        let start = self.skip(at + 1, b" \t\"'\\");
        let ends = ['"', '\'', '\\', '\r', '\n'];
        let (_, value) = self
            .head(start, MAX_EXAMINED)
            .split(ends)
            .next()?
            .split_once('=')?;
        let rest = &self.text[start..];
        (value.len() >= 6 && !is_placeholder(value))
            .then(|| start..start + rest.find(ends).unwrap_or(rest.len()))
    }

    fn skip(&self, start: usize, what: &[u8]) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default().iter().take(20);
        start + rest.take_while(|byte| what.contains(byte)).count()
    }

    fn is_any(&self, at: usize, what: &[u8]) -> bool {
        self.bytes.get(at).is_some_and(|byte| what.contains(byte))
    }
}

fn ends_word(c: char) -> bool {
    c == ' ' || c.is_ascii_control() || "\"'`\\,;()[]{}<>|&".contains(c)
}

/// Returns whether a name may mark a secret, quickly.
fn may_be_secret(lower: &str) -> bool {
    const PIECES: [&str; 10] = [
        "key", "token", "secret", "pass", "pwd", "auth", "cred", "cookie", "jwt", "sig",
    ];
    PIECES.iter().any(|piece| lower.contains(piece))
}

/// Returns whether a name has the form of a shell variable.
fn is_variable(name: &str) -> bool {
    name.bytes()
        .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
}

/// Returns whether a value is a secret. `is_sure` means that its name is
/// conclusive.
fn is_secret_value(is_sure: bool, form: Form, value: &str, next_byte: Option<u8>) -> bool {
    let is_phrase = value.contains(char::is_whitespace) && form != Form::Assigned;
    if is_placeholder(value) || is_phrase || value.contains("://") {
        return false;
    }
    let is_call = matches!(next_byte, Some(b'(' | b'[' | b'<' | b'{'));
    let has_digit = value.bytes().any(|it| it.is_ascii_digit());
    match (is_sure, form) {
        (true, Form::Assigned) => value.len() >= 4,
        (true, Form::Header | Form::Flag) => value.len() >= 6 && is_not_words(value),
        (true, Form::Quoted | Form::Compared) => {
            value.len() >= 6 && is_not_words(value) && !value.starts_with(['/', '.'])
        }
        (true, Form::Plain) => {
            let is_code = is_call || is_number(value) || is_identifier(value, next_byte);
            value.len() >= 7 && has_digit && !is_code
        }
        (false, Form::Assigned) => value.len() >= 8 && !value.contains('/') && is_mixed(value, 2),
        (false, Form::Plain) => !is_call && !is_identifier(value, next_byte) && looks_random(value),
        (false, _) => looks_random(value),
    }
}

/// Returns whether a value is a number in source code.
fn is_number(value: &str) -> bool {
    value.starts_with("0x")
}

/// Returns whether a value is an identifier in source code: a path, or a name
/// in a list or before an assignment.
fn is_identifier(value: &str, next_byte: Option<u8>) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let is_name = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && value.bytes().all(is_of_name);
    let is_in_list = matches!(next_byte, Some(b',' | b';' | b')' | b' '));
    is_name && (value.contains('.') || value.contains('_') && is_in_list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_by_the_text_before_them() {
        for (text, shown) in [
            ("export DB_PASSWORD=hunter", "export DB_PASSWORD=***"),
            (
                "DB_PASSWORD=\"two words\" ./run",
                "DB_PASSWORD=\"***\" ./run",
            ),
            ("password: hunter2", "password: ***"),
            (
                "\\\"api_key\\\": \\\"abc123\\\",",
                "\\\"api_key\\\": \\\"***\\\",",
            ),
            ("curl -u me:pw https://host", "curl -u *** https://host"),
            ("curl -sS -ume:pw host", "curl -sS -u*** host"),
            ("x-api-key: abc123", "x-api-key: ***"),
            ("Authorization: token abc123", "Authorization: token ***"),
            (
                "{\"Authorization\": \"Bearer abc123\"}",
                "{\"Authorization\": \"Bearer ***\"}",
            ),
            ("Cookie: a=b; session=12345", "Cookie: ***"),
            (
                "https://host/?access_token=abcd&x=1",
                "https://host/?access_token=***&x=1",
            ),
            (
                "https://host/?a=1&sig=abcd1e2f3",
                "https://host/?a=1&sig=***",
            ),
            (
                "tool --api-key abc123 --key ./id_rsa",
                "tool --api-key *** --key ./id_rsa",
            ),
            ("<password>hunter2</password>", "<password>***</password>"),
            ("key = \"a1b2c3d4e5f6g7h8\"", "key = \"***\""),
            (
                "\u{1b}[31mTOKEN=a1b2c3d4\u{1b}[0m",
                "\u{1b}[31mTOKEN=***\u{1b}[0m",
            ),
        ] {
            assert_eq!(masked(text), shown, "{text}");
        }
    }

    #[test]
    fn words_code_and_placeholders_are_not_secrets() {
        for text in [
            "the token is read, the key: a word, a password of 12 characters",
            "let api_key = config.api_key2; let secret = make_secret(16, 32);",
            "password: String, secret: [u8; 32], api_key: Option<Key1234567>",
            "pub const STABLE_SECRET: _bindgen_ty_3 = 0;",
            "Authorization: Bearer $TOKEN https://host/v1",
            "API_KEY=$KEY SECRET=${SECRET} TOKEN=<token> PASSWORD=your-password",
            "use --api-key to set the key, and --password FILE for a file",
            "docker run -u 1000:1000 image",
            "\"AWS::IAM::AccessKey\": \"72c2d9dd90025459\"",
            "cache_key: 550e8400-e29b-41d4-a716-446655440000",
            "task-0123456789abcdef0123 toolu_01AbCdEfGhIjKlMnOpQrStUv",
            "-----BEGIN PRIVATE KEY----- is how a private key begins",
            "git clone ssh://git@host/repository",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn tokens_end_where_they_end_and_begin_at_a_word() {
        let token = format!("ghp_{}", "a1".repeat(18));
        for (before, after) in [
            ("(", ")"),
            ("é", "é"),
            ("\\n", "\\n"),
            ("%3D", "%20"),
            ("\u{1b}[1;31m", "\u{1b}[0m"),
            ("https://host/", "/"),
        ] {
            let text = format!("{before}{token}{after}");
            assert_eq!(masked(&text), format!("{before}***{after}"));
        }
        for text in [format!("x{token}"), format!("AKIA{}", "A".repeat(17))] {
            assert_eq!(masked(&text), text);
        }
    }

    #[test]
    fn hostile_text_is_masked_completely_in_one_pass() {
        for piece in [
            "key=",
            "cookie:",
            "eyJ-",
            "a-key: ",
            "key='",
            "password=\"\\",
            "authorization: ",
            "-----BEGIN PRIVATE KEY-----",
            "curl -u ",
            "https://",
            "glpat-",
            "\\n",
            "key\\",
            "ops_eyJ",
            "basic ",
            "\u{1b}[",
            "a.",
            "é",
            "-----BEGIN ",
            "0123456789abcdef",
        ] {
            let text = piece.repeat(20_000 / piece.len());
            let once = masked(&text);
            assert_eq!(masked(&once), once, "{piece}");
        }
    }
}
