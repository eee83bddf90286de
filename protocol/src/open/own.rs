//! Types with a reader of their own.

use super::error::Error;
use super::form::Form;
use super::reader::{Field, Reader};
#[cfg(feature = "audit")]
use crate::untyped::Untyped;
use std::any::Any;
use std::fmt::Debug;

/// A type with a reader of its own. Its `Field::form` and `Field::slot` are
/// [`Form::Own`] and [`Slot::Own`](super::Slot::Own).
pub trait Own: Field {
    /// Reads the value into `self`, which is empty.
    ///
    /// # Errors
    ///
    /// If the value has another type. `self` may hold a part of it.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error>;

    /// Returns what is written.
    fn content(&self) -> Form<'_>;
}

/// A value of any such type.
pub trait Member: Any + Debug + Audited {
    /// As [`Own::read`].
    ///
    /// # Errors
    ///
    /// As [`Own::read`].
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error>;

    /// As [`Own::content`].
    fn content(&self) -> Form<'_>;

    /// Sets it to the empty value.
    fn clear(&mut self);

    /// Sets it to another value of the same type.
    fn copy(&mut self, other: &dyn Any);

    /// Whether another value is the same.
    fn is_same(&self, other: &dyn Any) -> bool;
}

impl<T: Own> Member for T {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        Own::read(self, reader)
    }

    fn content(&self) -> Form<'_> {
        Own::content(self)
    }

    fn clear(&mut self) {
        *self = T::fresh();
    }

    fn copy(&mut self, other: &dyn Any) {
        if let Some(other) = other.downcast_ref::<T>() {
            *self = other.clone();
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }
}

/// A type that can report its unknown members, where that may be asked.
#[cfg(feature = "audit")]
pub trait Audited: Untyped {}
#[cfg(feature = "audit")]
impl<T: Untyped> Audited for T {}

/// A type that can report its unknown members, where that may be asked.
#[cfg(not(feature = "audit"))]
pub trait Audited {}
#[cfg(not(feature = "audit"))]
impl<T> Audited for T {}
