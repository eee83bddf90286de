//! Finds members of an object without parsing the others.

use super::{Cursor, unescaped};

/// Returns the text of the last member `name`, if `text` is an object that has
/// such a member.
pub(crate) fn member<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let [found] = members(text, [name]);
    found
}

/// Returns the texts of the last members with these names, if `text` is an
/// object that has them.
pub fn members<'a, const N: usize>(text: &'a str, names: [&str; N]) -> [Option<&'a str>; N] {
    let mut found = [None; N];
    let mut cursor = Cursor::new(text.as_bytes());
    let (mut is_open, mut is_first) = (cursor.take(b'{'), true);
    while is_open {
        let Ok(Some(key)) = cursor.next_key(is_first) else {
            break;
        };
        is_first = false;
        let Ok(start) = cursor.skip() else {
            is_open = false;
            continue;
        };
        let key_text = text.get(key.start..key.end).unwrap_or_default();
        for (name, found) in names.iter().zip(&mut found) {
            if key_text == *name || key.escaped && unescaped(key_text) == *name {
                *found = text.get(start..cursor.at());
            }
        }
    }
    found
}
