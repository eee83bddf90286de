//! Writes values of all types.

use super::compare::{clear, is_same};
use super::form::{Fields, Form};
use super::reader::Reader;
use crate::json::Members;
use crate::text::serialize_raw;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

/// Serializes a value.
///
/// # Errors
///
/// The errors of the serializer.
pub fn serialize<S: Serializer>(form: Form<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    match form {
        Form::Bool(value) => serializer.serialize_bool(value),
        Form::U16(number) => serializer.serialize_u16(number),
        Form::U32(number) => serializer.serialize_u32(number),
        Form::U64(number) => serializer.serialize_u64(number),
        Form::I64(number) => serializer.serialize_i64(number),
        Form::Text(text) => serializer.serialize_str(text),
        Form::Raw(text) => serialize_raw(text, serializer),
        Form::Optional(value) => match value.get() {
            Some(value) => serializer.serialize_some(&Any(value)),
            None => serializer.serialize_none(),
        },
        Form::List(items) => {
            let mut list = serializer.serialize_seq(Some(items.count()))?;
            for item in Form::items(items) {
                list.serialize_element(&Any(item))?;
            }
            list.end()
        }
        Form::Map(_) | Form::Members(_) | Form::Object(_) => {
            let count = match form {
                Form::Map(map) => map.count(),
                Form::Members(members) => Some(members.len()),
                _ => None,
            };
            let mut map = serializer.serialize_map(count)?;
            let mut written = Ok(());
            each_member(form, &mut |name, value| {
                if written.is_ok() {
                    written = map.serialize_entry(name, &Any(value));
                }
            });
            written?;
            map.end()
        }
        Form::Union(value) => serialize(value.kind().1, serializer),
        Form::Own(value) => serialize(value.content(), serializer),
    }
}

/// Appends a value as JSON. Equals [`serialize`] with the serializer of
/// `serde_json`, and takes half as many instructions.
pub(crate) fn append(form: Form<'_>, line: &mut Vec<u8>) {
    match form {
        Form::Bool(value) => line.extend_from_slice(if value { b"true" } else { b"false" }),
        Form::U16(number) => line.extend_from_slice(number.to_string().as_bytes()),
        Form::U32(number) => line.extend_from_slice(number.to_string().as_bytes()),
        Form::U64(number) => line.extend_from_slice(number.to_string().as_bytes()),
        Form::I64(number) => line.extend_from_slice(number.to_string().as_bytes()),
        Form::Text(text) => append_text(text, line),
        Form::Raw(text) => line.extend_from_slice(text.as_bytes()),
        Form::Optional(value) => match value.get() {
            Some(value) => append(value, line),
            None => line.extend_from_slice(b"null"),
        },
        Form::List(items) => {
            let mut before = b'[';
            for item in Form::items(items) {
                line.push(before);
                append(item, line);
                before = b',';
            }
            line.extend_from_slice(if before == b'[' { b"[]" } else { b"]" });
        }
        Form::Map(_) | Form::Members(_) | Form::Object(_) => {
            let mut before = b'{';
            each_member(form, &mut |name, value| {
                line.push(before);
                append_text(name, line);
                line.push(b':');
                append(value, line);
                before = b',';
            });
            line.extend_from_slice(if before == b'{' { b"{}" } else { b"}" });
        }
        Form::Union(value) => append(value.kind().1, line),
        Form::Own(value) => append(value.content(), line),
    }
}

/// Appends a JSON string.
pub(crate) fn append_text(text: &str, line: &mut Vec<u8>) {
    if is_plain(text.as_bytes()) {
        line.reserve(text.len() + 2);
        line.push(b'"');
        line.extend_from_slice(text.as_bytes());
        line.push(b'"');
    } else {
        let written = serde_json::to_writer(line, text);
        debug_assert!(written.is_ok(), "a string can be written to memory");
    }
}

/// Returns whether a string has no bytes that JSON escapes.
fn is_plain(text: &[u8]) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGHS: u64 = ONES << 7;
    // Has the high bit of a byte that is less than `ONES * n`, for n of at most 128. Borrows can
    // only set bits above such a byte.
    let less = |word: u64, than: u64| word.wrapping_sub(than) & !word & HIGHS;
    let is_escaped = |word: u64| {
        let quote = less(word ^ (ONES * u64::from(b'"')), ONES);
        let backslash = less(word ^ (ONES * u64::from(b'\\')), ONES);
        (less(word, ONES * 0x20) | quote | backslash) != 0
    };
    let (words, rest) = text.as_chunks::<8>();
    let is_rest_escaped = match (text.last_chunk::<8>(), rest.first_chunk::<4>()) {
        (Some(last), _) => is_escaped(u64::from_le_bytes(*last)),
        // Names of members, mostly: two halves that may overlap.
        (None, Some(first)) => {
            let last = rest.last_chunk::<4>().unwrap_or(first);
            let [first, last] = [first, last].map(|it| u64::from(u32::from_le_bytes(*it)));
            is_escaped(first | last << 32)
        }
        (None, None) => rest.iter().any(|it| matches!(it, ..0x20 | b'"' | b'\\')),
    };
    let mut words = words.iter().map(|it| u64::from_le_bytes(*it));
    !is_rest_escaped && !words.any(is_escaped)
}

/// Calls `visit` with each member of an object.
#[inline(never)]
pub fn each_member<'a>(form: Form<'a>, visit: &mut dyn FnMut(&'a str, Form<'a>)) {
    match form {
        Form::Map(map) => map.each(visit),
        Form::Members(members) => {
            for (name, value) in members.iter() {
                visit(name, Form::Raw(value.get()));
            }
        }
        Form::Object(object) => write_fields(object, visit),
        Form::Union(value) => each_member(value.kind().1, visit),
        Form::Own(value) => each_member(value.content(), visit),
        _ => {}
    }
}

/// A value of any type.
struct Any<'a>(Form<'a>);

impl Serialize for Any<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

/// Calls `write` with each member of an object. A declared member that was
/// `null` or invalid, and has not changed since, is written verbatim from the
/// unknown members. A declared member that was missing is not written.
#[inline(never)]
fn write_fields<'a>(object: &'a dyn Fields, write: &mut dyn FnMut(&'a str, Form<'a>)) {
    object.forms(&mut |declared, forms, extra| {
        for (name, value) in declared.tags {
            if extra.is_clean() || !extra.is_missing(name) {
                write(name, Form::Text(value));
            }
        }
        for (number, (name, form)) in declared.members.iter().zip(forms).enumerate() {
            if !form.is_absent()
                && (extra.is_clean() || !is_as_read(object, number, name, *form, extra))
            {
                write(name, *form);
            }
        }
        for (name, value) in extra.iter() {
            let number = declared.find(name);
            let is_written = match number.and_then(|number| Some((number, forms.get(number)?))) {
                Some((number, form)) => is_as_read(object, number, name, *form, extra),
                None => declared.tag(name).is_none(),
            };
            if is_written {
                write(name, Form::Raw(value.get()));
            }
        }
    });
}

/// Returns whether a field has not changed since a `null`, invalid or missing
/// member was read.
#[inline(never)]
fn is_as_read(
    object: &dyn Fields,
    number: usize,
    name: &str,
    form: Form<'_>,
    extra: &Members,
) -> bool {
    let kept = extra.get(name);
    if kept.is_none() && !extra.is_missing(name) {
        return false;
    }
    let given = extra.given(name);
    if let Form::Optional(value) = form
        && given.is_none()
        && kept.is_some_and(crate::Json::is_null)
    {
        return value.get().is_none();
    }
    let mut is_as_read = false;
    object.with_fresh(&mut |read| {
        read.slots(&mut |_, slots, _| {
            if let Some(slot) = slots.get_mut(number) {
                let read = match given.unwrap_or(kept) {
                    Some(json) => Reader::of_preserved(json.get()).read(slot, None).is_ok(),
                    None => false,
                };
                if !read {
                    clear(slot);
                }
            }
        });
        read.forms(&mut |_, forms, _| {
            is_as_read = forms.get(number).is_some_and(|read| is_same(form, *read));
        });
    });
    is_as_read
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{ResultMessage, UserMessage};
    use crate::open::Field;
    use crate::text::read;
    use proptest::prelude::*;

    fn appended(form: Form<'_>) -> String {
        let mut line = vec![];
        append(form, &mut line);
        String::from_utf8(line).unwrap_or_default()
    }

    #[test]
    fn an_appended_value_equals_the_serialized_one() -> serde_json::Result<()> {
        let users = [
            r#"{"type":"user","message":{"role":"user","content":"a\n\"b"}}"#,
            r#"{"type":"user","message":{"content":[]},"uuid":null,"other":{"a":[1.50,{}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"b"}]},"isReplay":true}"#,
        ];
        for text in users {
            let user: UserMessage = read(text)?;
            assert_eq!(appended(user.form()), serde_json::to_string(&user)?);
        }
        let result: ResultMessage = read(
            r#"{"type":"result","subtype":"success","num_turns":3,"duration_ms":18446744073709551615,"modelUsage":{"m\u0001":{"inputTokens":1}}}"#,
        )?;
        assert_eq!(appended(result.form()), serde_json::to_string(&result)?);
        Ok(())
    }

    #[test]
    fn every_byte_that_json_escapes_is_found_at_every_place() {
        for length in 0..20 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut text = vec![b'x'; length];
                    text[at] = byte;
                    let is_escaped = byte < 0x20 || byte == b'"' || byte == b'\\';
                    assert_eq!(is_plain(&text), !is_escaped, "{byte} at {at} of {length}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn an_appended_text_equals_the_serialized_one(text in any::<String>()) {
            prop_assert_eq!(appended(Form::Text(&text)), serde_json::to_string(&text).unwrap_or_default());
        }
    }
}
