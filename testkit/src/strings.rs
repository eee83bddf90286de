//! JSON text with some of its strings and numbers replaced, and all the rest as
//! it was.

/// Where a string or a number stands.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// The keys on the way to it, from the outside; items of a list stand
    /// where their list does.
    pub(crate) keys: Vec<String>,
    /// Whether it is itself a key, the last one of those.
    pub(crate) is_key: bool,
    /// Whether it is a number.
    pub(crate) is_number: bool,
}

impl Place {
    /// The key that it stands under.
    pub(crate) fn key(&self) -> Option<&str> {
        self.keys.last().map(String::as_str)
    }
}

/// What encloses a place.
enum Around {
    /// An object; whether the next string is a key, and whether one was seen.
    Object {
        key_next: bool,
        has_key: bool,
    },
    List,
}

/// The text, with each string and number for which `new` has a string replaced.
/// Strings that hold half a surrogate pair stay as they are. The text must be
/// JSON.
pub(crate) fn replace(text: &str, mut new: impl FnMut(&Place, &str) -> Option<String>) -> String {
    let mut written = String::with_capacity(text.len());
    let mut place = Place::default();
    let mut around = Vec::new();
    // Up to here it is written.
    let mut done = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => around.push(Around::Object {
                key_next: true,
                has_key: false,
            }),
            b'[' => around.push(Around::List),
            b'}' | b']' => {
                if let Some(Around::Object { has_key: true, .. }) = around.pop() {
                    place.keys.pop();
                }
            }
            b',' => {
                if let Some(Around::Object { key_next, .. }) = around.last_mut() {
                    *key_next = true;
                }
            }
            b'"' => {
                let end = end_of_string(bytes, at);
                let string = serde_json::from_str::<String>(&text[at..end]).ok();
                (place.is_key, place.is_number) = (false, false);
                if let Some(Around::Object { key_next, has_key }) = around.last_mut()
                    && *key_next
                {
                    *key_next = false;
                    if std::mem::replace(has_key, true) {
                        place.keys.pop();
                    }
                    place.keys.push(string.clone().unwrap_or_default());
                    place.is_key = true;
                }
                if let Some(other) = string.and_then(|string| new(&place, &string)) {
                    written.push_str(&text[done..at]);
                    written.push_str(&serde_json::Value::from(other).to_string());
                    done = end;
                }
                at = end;
                continue;
            }
            b'-' | b'0'..=b'9' => {
                let end = end_of_number(bytes, at);
                (place.is_key, place.is_number) = (false, true);
                if let Some(other) = new(&place, &text[at..end]) {
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

/// Behind the quote that ends the string that begins here.
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
    fn strings_and_numbers_are_replaced_by_where_they_stand_and_the_rest_stays() {
        let text = r#"{ "a":"x","b":{"a":["x",-1.5e3,"y\"x"],"x":1e400},"c":"\ud800" ,"a2":"x"}"#;
        let mut seen = Vec::new();
        let written = replace(text, |place, string| {
            seen.push(format!("{}={string}", place.keys.join("/")));
            let is_x = string == "x" || string == "-1.5e3";
            (place.key() == Some("a") && !place.is_key && is_x).then(|| "ü\"".to_owned())
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
