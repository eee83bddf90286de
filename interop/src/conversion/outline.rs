//! JSON text whose outermost members are known.

use super::token;
use agentwire_protocol::Json;
use agentwire_protocol::text::{Cursor, Invalid};
use std::borrow::Cow;
use std::ops::Range;

/// A JSON value, and where its members are, if it is an object. A line is parsed once:
/// what it is, and whether it is JSON at all, is found on the way.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    json: Json,
    members: Vec<Member>,
}

/// A member of an object, by offsets in its text.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// The name with its quotes.
    pub(super) name: Range<usize>,
    pub(super) has_escapes: bool,
    pub(super) value: Range<usize>,
}

impl Outline {
    /// Parses text. Nothing, if it is not JSON.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (value, members) = scan(text).ok()?;
        match value.start {
            0 => Some(Self {
                json: Json::of_text(text.get(value)?),
                members,
            }),
            // The offsets are those in the value.
            _ => Some(Json::of_text(text.get(value)?).into()),
        }
    }

    /// Parses text without copying it, which is worth it if it is long.
    ///
    /// # Errors
    ///
    /// If it is not JSON: the text.
    pub fn parse_long(mut text: String) -> Result<Self, String> {
        match scan(&text) {
            Ok((value, members)) if value.start == 0 => {
                text.truncate(value.end);
                let json = Json::of_text(text);
                Ok(Self { json, members })
            }
            Ok(_) => Self::parse(&text).ok_or(text),
            Err(_) => Err(text),
        }
    }

    /// The value.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// The value.
    #[must_use]
    pub fn into_json(self) -> Json {
        self.json
    }

    /// The members, in order.
    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The texts of the last members of these names, if this is an object.
    #[must_use]
    pub fn find<const N: usize>(&self, names: [&str; N]) -> [Option<&str>; N] {
        let text = self.json.get();
        let mut found = [None; N];
        for member in &self.members {
            let Some(name) = text.get(member.name.clone()) else {
                continue;
            };
            let name = match member.has_escapes {
                false => name.get(1..name.len().saturating_sub(1)).map(Cow::Borrowed),
                true => token::text(name),
            };
            for (wanted, found) in names.iter().zip(&mut found) {
                if name.as_deref() == Some(wanted) {
                    *found = text.get(member.value.clone());
                }
            }
        }
        found
    }
}

impl From<Json> for Outline {
    fn from(json: Json) -> Self {
        let scanned = scan(json.get());
        let members = scanned.map_or_else(|_| Vec::new(), |(_, members)| members);
        Self { json, members }
    }
}

/// Where the value is that a text is, and its members.
fn scan(text: &str) -> Result<(Range<usize>, Vec<Member>), Invalid> {
    let mut cursor = Cursor::new(text.as_bytes());
    let mut members = Vec::new();
    let is_object = cursor.peek() == Some(b'{');
    let start = cursor.at();
    if is_object {
        cursor.take(b'{');
        // Most objects have fewer.
        members.reserve(16);
        let mut is_first = true;
        while let Some(name) = cursor.next_key(is_first)? {
            is_first = false;
            let value = cursor.skip()?;
            members.push(Member {
                name: name.start - 1..name.end + 1,
                has_escapes: name.escaped,
                value: value..cursor.at(),
            });
        }
    } else {
        cursor.skip()?;
    }
    let end = cursor.at();
    cursor.end()?;
    Ok((start..end, members))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_last_member_of_a_name_is_found_however_it_is_written() {
        let text = r#" {"type":1,"a":[{"type":2}],"typ\u0065":"x" , "\ud800":{}} "#;
        for outline in [
            Outline::parse(text).unwrap(),
            Outline::parse_long(text.to_owned()).unwrap(),
            Outline::parse_long(text.trim_start().to_owned()).unwrap(),
            text.parse::<Json>().unwrap().into(),
        ] {
            assert_eq!(outline.json().get(), text.trim());
            assert_eq!(
                outline.find(["type", "a", "b"]),
                [Some(r#""x""#), Some(r#"[{"type":2}]"#), None]
            );
        }
    }

    #[test]
    fn what_is_not_json_has_no_outline() {
        for text in ["", "{", "{} {}", r#"{"a":}"#, r#"{"a":1,}"#, "[1", "nul"] {
            assert!(Outline::parse(text).is_none(), "{text}");
            assert_eq!(Outline::parse_long(text.to_owned()).unwrap_err(), text);
        }
        for text in ["[1,{}]", "1", "null", "\"x\""] {
            let outline = Outline::parse(text).unwrap();
            assert_eq!(outline.find(["x"]), [None]);
            assert_eq!(outline.into_json().get(), text);
        }
    }
}
