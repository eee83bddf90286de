//! Open types: a value that is read and written again is the same JSON value, known or
//! not.
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
