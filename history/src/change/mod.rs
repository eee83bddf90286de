//! Changes of stored sessions.

mod append;
mod archive;
mod delete;
mod fork;
mod target;
mod time;
mod write;

pub(super) use append::append;
pub(super) use archive::archive;
pub(super) use delete::delete;
pub use fork::ForkSession;
pub(super) use fork::fork;
pub(super) use target::Target;
