//! Tests of open types: a value that is read and written again is the same JSON
//! value, even if its type does not know it.
#![allow(clippy::unwrap_used)]

mod arbitrary;
pub(crate) mod check;
mod deserializers;
mod errors;
mod limits;
mod members;
mod null;
mod order;
mod unknown;
