//! Types that have their own reader.

use super::error::Error;
use super::form::{Form, Member, Own};
use super::reader::Reader;
use std::any::Any;

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
