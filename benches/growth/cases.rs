//! The cases that run in this process.

use crate::{Case, conversations, rules, secrets, sessions};

pub(crate) fn all() -> Vec<Case> {
    let mut cases = sessions::all();
    cases.extend(conversations::all());
    cases.extend(secrets::all());
    cases.extend(rules::all());
    cases
}
