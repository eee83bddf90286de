//! Implementations for member types other than wire objects.

use super::error::Error;
use super::form::{Entries, Form, Items, Written};
use super::reader::members::Inside;
use super::reader::{Field, Object, Reader, Tag};
use crate::json::{Json, Members, Number};
use std::collections::BTreeMap;

impl Written for bool {
    fn form(&self) -> Form<'_> {
        Form::Bool(*self)
    }
}

impl Field for bool {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = reader.bool()?;
        Ok(())
    }

    fn empty() -> Self {
        false
    }
}

impl Written for String {
    fn form(&self) -> Form<'_> {
        Form::Text(self)
    }
}

impl Written for &str {
    fn form(&self) -> Form<'_> {
        Form::Text(self)
    }
}

impl Field for String {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = reader.string()?.into_owned();
        Ok(())
    }

    fn empty() -> Self {
        Self::new()
    }
}

/// Whole numbers. A tolerant reader converts other numbers to the nearest whole
/// number, if there is one.
macro_rules! whole_numbers {
    ($($type:ident as $form:ident($of:ident)),*) => {$(
        impl Written for $type {
            fn form(&self) -> Form<'_> {
                Form::$form(*self as $of)
            }
        }

        impl Field for $type {
            fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
                const NAME: &str = stringify!($type);
                let text = reader.number(NAME)?;
                // Like `serde_json`, does not accept `-0` as an integer.
                if let Ok(number) = text.parse() && text != "-0" {
                    *self = number;
                    return Ok(());
                }
                let error = not_whole(text, NAME);
                match nearest(text).and_then(|number| number.try_into().ok()) {
                    Some(number) if reader.is_tolerant() => {
                        reader.spoilt(&error);
                        *self = number;
                        Ok(())
                    }
                    _ => Err(error),
                }
            }

            fn empty() -> Self {
                0
            }
        }
    )*};
}
whole_numbers!(
    u16 as U16(u16),
    u32 as U32(u32),
    u64 as U64(u64),
    i64 as I64(i64),
    usize as U64(u64)
);

#[cold]
fn not_whole(text: &str, expected: &str) -> Error {
    Error::new(if text.contains(['.', 'e', 'E']) || text == "-0" {
        format!("invalid type: floating point `{text}`, expected {expected}")
    } else {
        format!("invalid value: integer `{text}`, expected {expected}")
    })
}

/// The nearest whole number.
#[cold]
#[allow(
    clippy::cast_possible_truncation,
    reason = "what is too large is found to be so"
)]
fn nearest(text: &str) -> Option<i128> {
    let number: f64 = text.parse().ok()?;
    number.is_finite().then(|| number.round() as i128)
}

impl Written for Number {
    fn form(&self) -> Form<'_> {
        Form::Raw(self.get())
    }
}

impl Field for Number {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = Self::of_text(reader.number("a number")?);
        Ok(())
    }

    fn empty() -> Self {
        0.into()
    }
}

impl Written for Json {
    fn form(&self) -> Form<'_> {
        Form::Raw(self.get())
    }
}

impl Field for Json {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = reader.json()?;
        Ok(())
    }

    fn empty() -> Self {
        Self::null()
    }
}

impl Written for Members {
    fn form(&self) -> Form<'_> {
        Form::Map(Some(self.len()), self)
    }
}

impl Entries for Members {
    fn each(&self, write: &mut dyn FnMut(&str, &dyn Written)) {
        for (name, value) in self.iter() {
            write(name, value);
        }
    }
}

impl Field for Members {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        self.read_object(reader, None)
    }

    fn empty() -> Self {
        Self::default()
    }
}

/// All members, including the tag.
impl Object for Members {
    fn read_object(
        &mut self,
        reader: &mut Reader<'_>,
        chosen_by: Option<Tag>,
    ) -> Result<(), Error> {
        reader.before_tag(chosen_by);
        let mut inside: Inside = reader.object(None)?;
        while let Some(key) = reader.next_key(&mut inside)? {
            reader.unknown(&mut inside, key, self)?;
        }
        Ok(())
    }
}

impl<T: Written> Written for Option<T> {
    fn form(&self) -> Form<'_> {
        match self {
            Some(value) => Form::Present(value),
            None => Form::Absent,
        }
    }
}

impl<T: Field> Field for Option<T> {
    const IS_REQUIRED: bool = false;
    const IS_TOLERANT: bool = T::IS_TOLERANT;

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        if reader.null() {
            return Ok(());
        }
        self.insert(T::empty()).read(reader)
    }

    fn empty() -> Self {
        None
    }
}

impl<T: Written> Written for Box<T> {
    fn form(&self) -> Form<'_> {
        (**self).form()
    }
}

/// Boxed, so that a union's other kinds are not as large.
impl<T: Field> Field for Box<T> {
    const IS_TOLERANT: bool = T::IS_TOLERANT;

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        T::read(self, reader)
    }

    fn empty() -> Self {
        Self::new(T::empty())
    }
}

impl<T: Object> Object for Box<T> {
    fn read_object(
        &mut self,
        reader: &mut Reader<'_>,
        chosen_by: Option<Tag>,
    ) -> Result<(), Error> {
        T::read_object(self, reader, chosen_by)
    }
}

impl<T: Written> Written for Vec<T> {
    fn form(&self) -> Form<'_> {
        Form::List(self)
    }
}

impl<T: Written> Items for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn item(&self, number: usize) -> Option<&dyn Written> {
        match self.get(number) {
            Some(item) => Some(item),
            None => None,
        }
    }
}

impl<T: Field> Field for Vec<T> {
    const IS_TOLERANT: bool = T::IS_TOLERANT;

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        reader.items(&mut |reader| {
            self.push(T::empty());
            let read = self.last_mut().map_or(Ok(()), |item| item.read(reader));
            if read.is_err() {
                self.pop();
            }
            read
        })
    }

    fn empty() -> Self {
        Self::new()
    }
}

/// A string that is used as a map key.
pub trait Name: Ord + Clone + AsRef<str> + 'static {
    /// Converts text to a key.
    fn of_text(text: &str) -> Self;
}

impl Name for String {
    fn of_text(text: &str) -> Self {
        text.to_owned()
    }
}

impl<K: Name, T: Written> Written for BTreeMap<K, T> {
    fn form(&self) -> Form<'_> {
        Form::Map(Some(self.len()), self)
    }
}

impl<K: Name, T: Written> Entries for BTreeMap<K, T> {
    fn each(&self, write: &mut dyn FnMut(&str, &dyn Written)) {
        for (key, value) in self {
            write(key.as_ref(), value);
        }
    }
}

impl<K: Name, T: Field> Field for BTreeMap<K, T> {
    const IS_TOLERANT: bool = T::IS_TOLERANT;

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        reader.entries(&mut |key, reader| {
            let value = reader.value()?;
            self.insert(K::of_text(key), value);
            Ok(())
        })
    }

    fn empty() -> Self {
        Self::new()
    }
}
