//! Replaces strings and numbers in JSON text without changing the rest.

/// The position of a string or a number.
#[derive(Debug, Default)]
pub(crate) struct Position {
    /// The keys from the root to the position. An item of a list has the keys
    /// of the list.
    pub(crate) keys: Vec<String>,
    /// Whether the string is a key itself, which is then the last of `keys`.
    pub(crate) is_key: bool,
    /// Whether the value is a number.
    pub(crate) is_number: bool,
}

impl Position {
    /// Returns the innermost key.
    pub(crate) fn key(&self) -> Option<&str> {
        self.keys.last().map(String::as_str)
    }
}

/// The container of a position.
enum Container {
    /// An object. `key_next`: the next string is a key. `has_key`: `keys` ends
    /// with a key of this object.
    Object {
        key_next: bool,
        has_key: bool,
    },
    List,
}

/// Replaces each string and number for which `new` returns a text. Strings with
/// a lone surrogate stay unchanged. `text` must be JSON.
pub(crate) fn replace(
    text: &str,
    mut new: impl FnMut(&Position, &str) -> Option<String>,
) -> String {
    let mut written = String::with_capacity(text.len());
    let mut position = Position::default();
    let mut containers = Vec::new();
    // The end of the input that was copied or replaced.
    let mut done = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => containers.push(Container::Object {
                key_next: true,
                has_key: false,
            }),
            b'[' => containers.push(Container::List),
            b'}' | b']' => {
                if let Some(Container::Object { has_key: true, .. }) = containers.pop() {
                    position.keys.pop();
                }
            }
            b',' => {
                if let Some(Container::Object { key_next, .. }) = containers.last_mut() {
                    *key_next = true;
                }
            }
            b'"' => {
                let end = end_of_string(bytes, at);
                let string = serde_json::from_str::<String>(&text[at..end]).ok();
                (position.is_key, position.is_number) = (false, false);
                if let Some(Container::Object { key_next, has_key }) = containers.last_mut()
                    && *key_next
                {
                    *key_next = false;
                    if std::mem::replace(has_key, true) {
                        position.keys.pop();
                    }
                    position.keys.push(string.clone().unwrap_or_default());
                    position.is_key = true;
                }
                if let Some(other) = string.and_then(|string| new(&position, &string)) {
                    written.push_str(&text[done..at]);
                    written.push_str(&serde_json::Value::from(other).to_string());
                    done = end;
                }
                at = end;
                continue;
            }
            b'-' | b'0'..=b'9' => {
                let end = end_of_number(bytes, at);
                (position.is_key, position.is_number) = (false, true);
                if let Some(other) = new(&position, &text[at..end]) {
                    written.push_str(&text[done..at]);
                    written.push_str(&serde_json::Value::from(other).to_string());
                    done = end;
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    written + &text[done..]
}

fn end_of_number(bytes: &[u8], start: usize) -> usize {
    let is_of_number = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(*byte);
    start + bytes[start..].iter().take_while(is_of_number).count()
}

/// Returns the index after the closing quote of a string.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_numbers_are_replaced_by_position_and_the_rest_is_unchanged() {
        let text = r#"{ "a":"x","b":{"a":["x",-1.5e3,"y\"x"],"x":1e400},"c":"\ud800" ,"a2":"x"}"#;
        let mut seen = Vec::new();
        let written = replace(text, |position, string| {
            seen.push(format!("{}={string}", position.keys.join("/")));
            let is_x = string == "x" || string == "-1.5e3";
            (position.key() == Some("a") && !position.is_key && is_x).then(|| "ü\"".to_owned())
        });
        assert_eq!(
            written,
            r#"{ "a":"ü\"","b":{"a":["ü\"","ü\"","y\"x"],"x":1e400},"c":"\ud800" ,"a2":"x"}"#
        );
        assert_eq!(
            seen,
            [
                "a=a",
                "a=x",
                "b=b",
                "b/a=a",
                "b/a=x",
                "b/a=-1.5e3",
                "b/a=y\"x",
                "b/x=x",
                "b/x=1e400",
                "c=c",
                "a2=a2",
                "a2=x",
            ]
        );
    }
}
