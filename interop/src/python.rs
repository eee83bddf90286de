//! JSON as Python writes it, where a library's text is to be the same.
//!
//! `dumps` is what `json.dumps` gives, `repr` what `str` gives of a value that
//! was read from JSON.

use agentwire_protocol::{Json, Members};
use std::fmt::Write as _;

/// A JSON value as Python's `json.dumps` writes it: with a space behind each
/// comma and colon, in ASCII, with a float's shortest digits. A number beyond
/// `f64` becomes `Infinity`, which is no JSON.
pub(crate) fn dumps(value: &Json) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Json, out: &mut String) {
    match value.get().as_bytes().first() {
        Some(b'{') => object(&value.read().unwrap_or_default(), out),
        Some(b'[') => {
            let items: Vec<Json> = value.read().unwrap_or_default();
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write(item, out);
            }
            out.push(']');
        }
        Some(b'"') => string(&value.read::<String>().unwrap_or_default(), out),
        Some(b'-' | b'0'..=b'9') => number(value.get(), out),
        _ => out.push_str(value.get()),
    }
}

fn object(members: &Members, out: &mut String) {
    // A key that comes twice is where it came first, with what came last.
    let mut seen = std::collections::HashSet::new();
    out.push('{');
    for (key, _) in members.iter() {
        if !seen.insert(key) {
            continue;
        }
        if seen.len() > 1 {
            out.push_str(", ");
        }
        string(key, out);
        out.push_str(": ");
        if let Some(value) = members.get(key) {
            write(value, out);
        }
    }
    out.push('}');
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

fn number(text: &str, out: &mut String) {
    if !text.contains(['.', 'e', 'E']) {
        out.push_str(if text == "-0" { "0" } else { text });
        return;
    }
    let number: f64 = text.parse().unwrap_or(f64::NAN);
    if number.is_infinite() {
        out.push_str(if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        });
    } else {
        float(number, out);
    }
}

/// The shortest digits that are this number.
fn float(number: f64, out: &mut String) {
    let exponential = format!("{number:e}");
    let (digits, exponent) = exponential.split_once('e').unwrap_or((&exponential, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let _ = write!(out, "{number:?}");
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{digits}e{sign}{:02}", exponent.abs());
    }
}

/// A JSON value as Python's `str` writes what was read from it; a string
/// within it is in quotes, one that is all of it is not.
pub(crate) fn str_of(value: &Json) -> String {
    if value.get().starts_with('"') {
        return value.read().unwrap_or_default();
    }
    let mut text = String::new();
    repr(value, &mut text);
    text
}

fn repr(value: &Json, out: &mut String) {
    match value.get().as_bytes().first() {
        Some(b'{') => {
            let members: Members = value.read().unwrap_or_default();
            let mut seen = std::collections::HashSet::new();
            out.push('{');
            for (key, _) in members.iter() {
                if !seen.insert(key) {
                    continue;
                }
                if seen.len() > 1 {
                    out.push_str(", ");
                }
                repr_string(key, out);
                out.push_str(": ");
                if let Some(value) = members.get(key) {
                    repr(value, out);
                }
            }
            out.push('}');
        }
        Some(b'[') => {
            let items: Vec<Json> = value.read().unwrap_or_default();
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                repr(item, out);
            }
            out.push(']');
        }
        Some(b'"') => repr_string(&value.read::<String>().unwrap_or_default(), out),
        Some(b'-' | b'0'..=b'9') => {
            let mut text = String::new();
            number(value.get(), &mut text);
            out.push_str(&text.replace("Infinity", "inf"));
        }
        Some(b't') => out.push_str("True"),
        Some(b'f') => out.push_str("False"),
        _ => out.push_str("None"),
    }
}

/// A string in single quotes, or in double ones where that saves escapes.
fn repr_string(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    out.push(quote);
    for character in text.chars() {
        let code = u32::from(character);
        let _ = match character {
            '\\' => write!(out, "\\\\"),
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            _ if character == quote => write!(out, "\\{quote}"),
            _ if is_printable(character) => write!(out, "{character}"),
            _ if code < 0x100 => write!(out, "\\x{code:02x}"),
            _ if code < 0x1_0000 => write!(out, "\\u{code:04x}"),
            _ => write!(out, "\\U{code:08x}"),
        };
    }
    out.push(quote);
}

/// Whether Python prints a character as it is: Rust has the same rule, when it
/// does not come first.
fn is_printable(character: char) -> bool {
    let shown = format!("a{character}").escape_debug().to_string();
    !shown.contains("\\u{") && character != '\0'
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What Python 3.12 writes.
    #[test]
    fn it_is_what_python_writes() {
        for (json, python) in [
            ("1e2", "100.0"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("1e16", "1e+16"),
            ("1e15", "1000000000000000.0"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1.2345678901234567e-7", "1.2345678901234566e-07"),
            ("123456789012345678901234", "123456789012345678901234"),
            ("1e400", "Infinity"),
            ("-1E400", "-Infinity"),
            (
                r#"["ä🦀\u007f\u001f\b",null,true]"#,
                r#"["\u00e4\ud83e\udd80\u007f\u001f\b", null, true]"#,
            ),
            (r#"{"a":1,"b":{},"a":[]}"#, r#"{"a": [], "b": {}}"#),
        ] {
            assert_eq!(dumps(&serde_json::from_str(json).unwrap()), python);
        }
    }

    /// What Python 3.12 prints.
    #[test]
    fn it_is_what_python_prints() {
        for (json, python) in [
            (r#""it's""#, "it's"),
            (r#"["it's", "\"", "'\""]"#, r#"["it's", '"', '\'"']"#),
            (
                r#"{"a": [true, null, 1e400, 1.50]}"#,
                "{'a': [True, None, inf, 1.5]}",
            ),
            (
                r#"["ä🦀\u007f\u001f\u2028\n\\\u0301 \u00a0"]"#,
                "['ä🦀\\x7f\\x1f\\u2028\\n\\\\\u{301} \\xa0']",
            ),
        ] {
            assert_eq!(str_of(&serde_json::from_str(json).unwrap()), python);
        }
    }
}
