//! Panics in the user's code.

use std::any::Any;

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| Some(panic.downcast_ref::<String>()?))
        .unwrap_or("it left no message")
        .to_owned()
}
