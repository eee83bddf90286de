//! Implements [`Field`](super::Field) for member types that are not wire
//! objects.
#![allow(
    clippy::manual_map,
    reason = "with closures, four times as much code for each of 300 types"
)]

use super::error::Error;
use super::form::{Constant, Entries, Field, Fill, Form, Items, List, Map, Optional, Slot, Whole};
use crate::json::{Json, Members, Number};
use std::collections::BTreeMap;
use std::fmt::Debug;

impl Field for bool {
    #[inline]
    fn form(&self) -> Form<'_> {
        Form::Bool(*self)
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Bool(self)
    }

    fn fresh() -> Self {
        false
    }
}

impl Constant for bool {
    const EMPTY: Self = false;
}

impl Field for String {
    #[inline]
    fn form(&self) -> Form<'_> {
        Form::Text(self)
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }

    fn fresh() -> Self {
        Self::new()
    }
}

impl Constant for String {
    const EMPTY: Self = Self::new();
}

macro_rules! whole_numbers {
    ($($type:ident as $form:ident($of:ident)),*) => {$(
        impl Field for $type {
            #[inline]
            fn form(&self) -> Form<'_> {
                Form::$form(*self as $of)
            }

            #[inline]
            fn slot(&mut self) -> Slot<'_> {
                Slot::Whole(self)
            }

            fn fresh() -> Self {
                0
            }
        }

        impl Constant for $type {
            const EMPTY: Self = 0;
        }

        impl Whole for $type {
            fn name(&self) -> &'static str {
                stringify!($type)
            }

            fn parse(&mut self, text: &str) -> bool {
                text.parse().map(|number| *self = number).is_ok()
            }

            fn set(&mut self, number: i128) -> bool {
                number.try_into().map(|number| *self = number).is_ok()
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

impl Field for Number {
    #[inline]
    fn form(&self) -> Form<'_> {
        Form::Raw(self.get())
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Number(self)
    }

    fn fresh() -> Self {
        Self::EMPTY
    }
}

impl Constant for Number {
    const EMPTY: Self = Self::zero();
}

impl Field for Json {
    #[inline]
    fn form(&self) -> Form<'_> {
        Form::Raw(self.get())
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Json(self)
    }

    fn fresh() -> Self {
        Self::null()
    }
}

impl Constant for Json {
    const EMPTY: Self = Self::null();
}

impl Field for Members {
    #[inline]
    fn form(&self) -> Form<'_> {
        Form::Members(self)
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Members(self)
    }

    fn fresh() -> Self {
        Self::EMPTY
    }
}

impl Constant for Members {
    const EMPTY: Self = Self::none();
}

impl<T: Field> Optional for Option<T> {
    fn get(&self) -> Option<Form<'_>> {
        match self {
            Some(value) => Some(value.form()),
            None => None,
        }
    }

    fn set(&mut self, is_present: bool) -> Option<Slot<'_>> {
        *self = if is_present { Some(T::fresh()) } else { None };
        match self {
            Some(value) => Some(value.slot()),
            None => None,
        }
    }
}

impl<T: Field> Field for Option<T> {
    const IS_REQUIRED: bool = false;
    const IS_TOLERANT: bool = T::IS_TOLERANT;

    #[inline]
    fn form(&self) -> Form<'_> {
        Form::Optional(self)
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Optional(self)
    }

    fn fresh() -> Self {
        None
    }
}

impl<T> Constant for Option<T> {
    const EMPTY: Self = None;
}

/// A box makes a kind of a union smaller.
impl<T: Field> Field for Box<T> {
    const IS_TOLERANT: bool = T::IS_TOLERANT;

    #[inline]
    fn form(&self) -> Form<'_> {
        T::form(self)
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        T::slot(self)
    }

    fn fresh() -> Self {
        Self::new(T::fresh())
    }
}

impl<T: Field> Items for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn item(&self, number: usize) -> Option<Form<'_>> {
        match self.get(number) {
            Some(item) => Some(item.form()),
            None => None,
        }
    }
}

impl<T: Field> List for Vec<T> {
    fn push(&mut self) -> Option<Slot<'_>> {
        self.push(T::fresh());
        match self.last_mut() {
            Some(item) => Some(item.slot()),
            None => None,
        }
    }

    fn pop(&mut self) {
        self.truncate(self.len().saturating_sub(1));
    }

    fn clear(&mut self) {
        self.truncate(0);
    }
}

impl<T: Field> Field for Vec<T> {
    const IS_TOLERANT: bool = T::IS_TOLERANT;

    #[inline]
    fn form(&self) -> Form<'_> {
        Form::List(self)
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::List(self)
    }

    fn fresh() -> Self {
        Self::new()
    }
}

impl<T> Constant for Vec<T> {
    const EMPTY: Self = Self::new();
}

/// A string that is used as a map key.
pub trait Name: Ord + Clone + Debug + AsRef<str> + 'static {
    /// Converts text to a key.
    fn of_text(text: &str) -> Self;
}

impl Name for String {
    fn of_text(text: &str) -> Self {
        text.to_owned()
    }
}

impl<K: Name, T: Field> Entries for BTreeMap<K, T> {
    fn count(&self) -> Option<usize> {
        Some(self.len())
    }

    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Form<'a>)) {
        for (key, value) in self {
            visit(key.as_ref(), value.form());
        }
    }
}

impl<K: Name, T: Field> Map for BTreeMap<K, T> {
    fn put(&mut self, key: &str, fill: &mut Fill<'_>) -> Result<(), Error> {
        let mut value = T::fresh();
        fill(&mut value.slot())?;
        self.insert(K::of_text(key), value);
        Ok(())
    }

    fn clear(&mut self) {
        *self = Self::new();
    }
}

impl<K: Name, T: Field> Field for BTreeMap<K, T> {
    const IS_TOLERANT: bool = T::IS_TOLERANT;

    #[inline]
    fn form(&self) -> Form<'_> {
        Form::Map(self)
    }

    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Map(self)
    }

    fn fresh() -> Self {
        Self::new()
    }
}

impl<K, T> Constant for BTreeMap<K, T> {
    const EMPTY: Self = Self::new();
}
