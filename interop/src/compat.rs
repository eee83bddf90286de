//! Whose way is taken where a library has a bug.

/// What to do where a library does something that is plainly wrong: turn a
/// scroll around, or drop the middle of a drag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compat {
    /// What is right.
    #[default]
    Right,
    /// What the library does.
    Library,
}
