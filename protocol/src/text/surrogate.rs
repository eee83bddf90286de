//! Lone surrogates: halves of a UTF-16 pair, such as `\ud83d` without its
//! second half. JSON can contain them, but a Rust string cannot. An agent sends
//! a lone surrogate when it truncates a text between two halves. Lone
//! surrogates are read as U+FFFD; the received bytes are not changed.

use memchr::memchr;

/// Replaces every lone surrogate with `\ufffd`. Returns `None` if there is
/// none.
pub(crate) fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut without_lone_surrogates: Option<Vec<u8>> = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = memchr(b'\\', &bytes[at..]) {
        at += offset;
        at += match (escaped(bytes, at), escaped(bytes, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                let without_lone_surrogates =
                    without_lone_surrogates.get_or_insert_with(|| bytes.to_vec());
                without_lone_surrogates[at..at + 6].copy_from_slice(br"\ufffd");
                6
            }
            (Some(_), _) => 6,
            // The match is a backslash and the character that it escapes,
            // possibly another backslash.
            (None, _) => 2,
        };
        if at >= bytes.len() {
            break;
        }
    }
    without_lone_surrogates
        .and_then(|without_lone_surrogates| String::from_utf8(without_lone_surrogates).ok())
}

/// Returns the code unit of the escape `\uXXXX` at this offset.
fn escaped(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    // `from_str_radix` would accept a sign.
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::without_lone_surrogates;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (r#""\ud83d\ude00""#, None),
            (r#""\ude00\ud83d""#, Some(r#""\ufffd\ufffd""#)),
            (r#""\uD83D\uD83D\uDE00x""#, Some(r#""\ufffd\uD83D\uDE00x""#)),
            (r#""\\ud83d""#, None),
            (r#""\\\ud83d é""#, Some(r#""\\\ufffd é""#)),
            (r#""\u00e9""#, None),
            (r#""\ud83"#, None),
            ("\"\\", None),
            (r#""\u+83d""#, None),
            ("", None),
        ] {
            assert_eq!(without_lone_surrogates(text).as_deref(), expected, "{text}");
        }
    }
}
