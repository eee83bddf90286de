//! Reads the structure of the code: which file of a crate names items of which
//! other file.
//!
//! An **arrow** goes from a file to another one of the same package when a path
//! in its code names an item that is defined there:
//!
//! - A re-export counts as the file that defines the item. `pub use` and
//!   `pub(crate) use` make no arrow by themselves, and neither does a private
//!   `use` that only the modules below make use of. So a `mod.rs` that declares
//!   and re-exports has no arrows, and none lead to it.
//! - `Type::method` and `Enum::Variant` lead to the file of the type.
//! - Code in the arguments of a macro counts for the file of the invocation,
//!   code in the body of a `macro_rules!` for the file of the macro. An
//!   invocation is an arrow to the file of the macro.
//! - What is built for tests alone does not count, nor do docs and attributes,
//!   but for expressions in attributes and the functions that serde's
//!   attributes name (`#[serde(with = "…")]`).
//! - Every alternative of a `cfg` counts, on any platform and with any feature.
//!
//! Methods that are called on a value are no paths: what has no name in the code
//! has no arrow.

mod accepted;
mod circles;
mod drawing;
mod error;
mod load;
mod package;
mod report;
mod rooms;
mod scope;
mod structure;
#[cfg(test)]
mod tests;
mod tokens;
mod walk;

pub use accepted::{ACCEPTED, Accepted, gone, unaccepted};
pub use drawing::{drawing, with_drawing};
pub use error::Error;
pub use load::SourceFile;
pub use package::{Package, Root, packages};
pub use report::report;
pub use rooms::{RoomArrow, Rooms, WITH_ROOMS};
pub use structure::{Arrow, Circle, House, houses};
