//! Where in a text reading failed.
//!
//! Whoever reads a member or an item says so when that fails, on the way out.
//! It is written down only while somebody wants to know: a text that was read
//! well is read once, without a thought of its places.

use crate::surrogate::mended;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::fmt::Write as _;

/// A step on the way from the outermost value to the one that failed.
enum Step {
    Member(Box<str>),
    Item(usize),
}

thread_local! {
    /// The steps so far, innermost first, while somebody wants to know.
    static STEPS: RefCell<Option<Vec<Step>>> = const { RefCell::new(None) };
}

/// Reading the member `key` failed.
#[cold]
pub(super) fn member(key: &str) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.push(Step::Member(key.into()));
        }
    });
}

/// Reading the item `index` failed.
#[cold]
pub(super) fn item(index: usize) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.push(Step::Item(index));
        }
    });
}

/// Where in a text reading failed, and why.
pub(crate) struct Located {
    /// Such as `message.content[0].text`; `.` for the text as a whole.
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// Reads a text, with U+FFFD for lone surrogates. The text is read again when
/// that fails, to say where: the place costs time.
pub(crate) fn read_text<T: DeserializeOwned>(text: &str) -> Result<T, Located> {
    serde_json::from_str(text).or_else(|_| match mended(text) {
        Some(text) => read_located(&text),
        None => read_located(text),
    })
}

/// Reads a text and says where it failed.
fn read_located<T: DeserializeOwned>(text: &str) -> Result<T, Located> {
    STEPS.set(Some(vec![]));
    let result = serde_json::from_str(text);
    let steps = STEPS.take().unwrap_or_default();
    result.map_err(|error| Located {
        reason: if steps.is_empty() {
            error.to_string()
        } else {
            without_place(&error)
        },
        path: path(steps),
    })
}

fn path(steps: Vec<Step>) -> String {
    let mut path = String::new();
    for step in steps.into_iter().rev() {
        match step {
            Step::Member(key) if path.is_empty() => path.push_str(&key),
            Step::Member(key) => drop(write!(path, ".{key}")),
            Step::Item(index) => drop(write!(path, "[{index}]")),
        }
    }
    if path.is_empty() {
        path.push('.');
    }
    path
}

/// What `serde_json` says, without the line and the column: of a value that
/// was kept they are those of the value, not of the text.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = error.to_string();
    match reason.strip_suffix(&place) {
        Some(reason) => reason.to_owned(),
        None => reason,
    }
}
