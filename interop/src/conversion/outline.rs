//! JSON text with the offsets of its members.

use super::token;
use agentwire_protocol::Json;
use agentwire_protocol::text::{self, Cursor, Invalid};
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A JSON value with the offsets of its members. A line is parsed once, which also finds its kind
/// and its validity.
#[derive(Debug, Clone)]
pub struct Outline {
    of: Arc<Outlines>,
    index: usize,
    /// The replaced data of the text.
    media: Media,
}

/// JSON values in one allocation, to send many to another thread. Freeing allocations of another
/// thread would be slow.
#[derive(Debug, Default)]
pub struct Outlines {
    text: String,
    members: Vec<Member>,
    /// The ends of the text and the members of each value.
    ends: Vec<(usize, usize)>,
}

/// The replaced data, by placeholder.
#[derive(Debug, Clone, Default)]
pub struct Media(pub(super) BTreeMap<String, (Outline, Range<usize>)>);

/// A member of an object, as offsets in the object's text.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// The name with its quotes.
    pub(super) name: Range<usize>,
    pub(super) has_escapes: bool,
    pub(super) value: Range<usize>,
}

/// The initial capacity for members. Most objects have fewer members.
const MEMBERS: usize = 16;

impl Outline {
    /// Parses text without copying it.
    ///
    /// # Errors
    ///
    /// If the text is not JSON. The error is the text.
    pub fn parse(mut text: String) -> Result<Self, String> {
        let mut members = Vec::with_capacity(MEMBERS);
        let Ok(value) = scan(&text, &mut members) else {
            return Err(text);
        };
        text.truncate(value.end);
        text.drain(..value.start);
        Ok(Self::of(text, members))
    }

    fn of(text: String, members: Vec<Member>) -> Self {
        let ends = vec![(text.len(), members.len())];
        let of = Outlines {
            text,
            members,
            ends,
        };
        Self {
            of: Arc::new(of),
            index: 0,
            media: Media::default(),
        }
    }

    /// Sets the replaced data.
    pub(super) fn with_media(self, media: Media) -> Self {
        Self { media, ..self }
    }

    /// Takes the replaced data.
    pub(super) fn take_media(&mut self) -> Media {
        std::mem::take(&mut self.media)
    }

    /// Returns the text of the value.
    #[must_use]
    pub fn text(&self) -> &str {
        let ((start, _), (end, _)) = self.of.place(self.index);
        self.of.text.get(start..end).unwrap_or_default()
    }

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// If it does not have the shape of `T`.
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        text::read(self.text())
    }

    /// Returns a copy of the value.
    #[must_use]
    pub fn json(&self) -> Json {
        Json::of_text(self.text())
    }

    /// Returns the texts of the last members with these names.
    #[must_use]
    pub fn find<const N: usize>(&self, names: [&str; N]) -> [Option<&str>; N] {
        let text = self.text();
        let mut found = [None; N];
        for member in self.members() {
            let token = text.as_bytes().get(member.name.clone());
            let token = token.unwrap_or_default();
            for (wanted, found) in names.iter().zip(&mut found) {
                let is_wanted = match member.has_escapes {
                    false => is_plain(token, wanted),
                    true => text_of(text, member).as_deref() == Some(wanted),
                };
                if is_wanted {
                    *found = text.get(member.value.clone());
                }
            }
        }
        found
    }

    pub(super) fn members(&self) -> &[Member] {
        let ((_, first), (_, end)) = self.of.place(self.index);
        self.of.members.get(first..end).unwrap_or_default()
    }
}

impl From<Json> for Outline {
    fn from(json: Json) -> Self {
        let mut members = Vec::with_capacity(MEMBERS);
        if scan(json.get(), &mut members).is_err() {
            members.clear();
        }
        Self::of(json.into_text(), members)
    }
}

impl Outlines {
    /// Adds a value. Returns whether the text is JSON.
    #[must_use]
    pub fn push(&mut self, text: &str) -> bool {
        let before = self.members.len();
        let scanned = scan(text, &mut self.members).ok();
        let Some(value) = scanned.and_then(|value| text.get(value)) else {
            self.members.truncate(before);
            return false;
        };
        self.text.push_str(value);
        self.ends.push((self.text.len(), self.members.len()));
        true
    }

    /// Returns the size of the texts in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Splits the values into outlines.
    pub fn split(self) -> impl Iterator<Item = Outline> {
        let of = Arc::new(self);
        (0..of.ends.len()).map(move |index| Outline {
            of: Arc::clone(&of),
            index,
            media: Media::default(),
        })
    }

    /// Returns the start and end of a value's text and members.
    fn place(&self, index: usize) -> ((usize, usize), (usize, usize)) {
        let end = |index: usize| self.ends.get(index).copied();
        let start = index.checked_sub(1).and_then(end);
        (start.unwrap_or_default(), end(index).unwrap_or_default())
    }
}

/// Returns the name of a member. Returns `None` if the name has a lone surrogate.
fn text_of<'t>(text: &'t str, member: &Member) -> Option<Cow<'t, str>> {
    token::text(text.get(member.name.clone())?)
}

/// Returns whether a token without escapes is the string `text`.
pub(super) fn is_plain(token: &[u8], text: &str) -> bool {
    token.len() == text.len() + 2
        // Most tokens differ in the first byte.
        && token.get(1) == text.as_bytes().first()
        && token.get(1..=text.len()) == Some(text.as_bytes())
}

/// Finds the value in a text, and adds its members by offset.
fn scan(text: &str, members: &mut Vec<Member>) -> Result<Range<usize>, Invalid> {
    let mut cursor = Cursor::new(text.as_bytes());
    let is_object = cursor.peek() == Some(b'{');
    let start = cursor.at();
    if is_object {
        cursor.take(b'{');
        let mut is_first = true;
        while let Some(name) = cursor.next_key(is_first)? {
            is_first = false;
            let value = cursor.skip()?;
            members.push(Member {
                name: name.start - 1 - start..name.end + 1 - start,
                has_escapes: name.escaped,
                value: value - start..cursor.at() - start,
            });
        }
    } else {
        cursor.skip()?;
    }
    let end = cursor.at();
    cursor.end()?;
    Ok(start..end)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn among_others(text: &str) -> Option<Outline> {
        let mut outlines = Outlines::default();
        assert!(outlines.push(r#"{"a":0}"#));
        assert!(!outlines.push(r#"{"a":0,"#));
        let is_pushed = outlines.push(text);
        assert!(outlines.push("1"));
        is_pushed.then(|| outlines.split().nth(1)).flatten()
    }

    #[test]
    fn the_last_member_of_a_name_is_found_in_any_spelling() {
        let text = r#" {"type":1,"a":[{"type":2}],"typ\u0065":"x" , "\ud800":{}} "#;
        for outline in [
            Outline::parse(text.to_owned()).unwrap(),
            Outline::parse(text.trim_start().to_owned()).unwrap(),
            text.parse::<Json>().unwrap().into(),
            among_others(text).unwrap(),
        ] {
            assert_eq!(outline.text(), text.trim());
            assert_eq!(
                outline.find(["type", "a", "b"]),
                [Some(r#""x""#), Some(r#"[{"type":2}]"#), None]
            );
        }
    }

    #[test]
    fn invalid_json_has_no_outline() {
        for text in ["", "{", "{} {}", r#"{"a":}"#, r#"{"a":1,}"#, "[1", "nul"] {
            assert!(among_others(text).is_none(), "{text}");
            assert_eq!(Outline::parse(text.to_owned()).unwrap_err(), text);
        }
        for text in ["[1,{}]", "1", "null", "\"x\""] {
            let outline = Outline::parse(text.to_owned()).unwrap();
            assert_eq!(outline.find(["x"]), [None]);
            assert_eq!(outline.json().get(), text);
        }
    }
}
