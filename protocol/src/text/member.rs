//! One member of an object, without reading the others.

use super::{Cursor, unescaped};

/// Returns the text of the last member `name`, if `text` is an object that has
/// one.
pub(crate) fn member<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut cursor = Cursor::new(text.as_bytes());
    if !cursor.take(b'{') {
        return None;
    }
    let (mut found, mut is_first) = (None, true);
    while let Some(key) = cursor.next_key(is_first).ok()? {
        is_first = false;
        let start = cursor.skip().ok()?;
        let key_text = &text[key.start..key.end];
        if key_text == name || key.escaped && unescaped(key_text) == name {
            found = Some(&text[start..cursor.at()]);
        }
    }
    found
}
