//! The skills of the main agent.

use crate::event::Error;
use agentwire_protocol::text::contains;

/// The skills of the main agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Skills {
    All,
    Only(Vec<String>),
}

/// Rejects names that would change the meaning of their permission rule.
pub(super) fn check_skill(name: &str) -> Result<(), Error> {
    let problem = if name.is_empty() {
        "is empty"
    } else if name.trim() != name {
        "has space around it"
    } else if name.contains(['(', ')', ',']) || name.contains(char::is_control) {
        "contains a parenthesis, a comma or a control character, which skill names cannot contain"
    } else if name == "*" || name.ends_with(":*") || name.ends_with(" *") {
        "is a pattern; use `all_skills` for all skills"
    } else if name.starts_with('/') {
        "starts with `/`, which skill names cannot"
    } else if name.ends_with('\\') || contains(name, r"\\") {
        "contains a backslash, which its permission rule would not preserve"
    } else {
        return Ok(());
    };
    Err(Error::option(
        "skills",
        format!("names `{name}`, which {problem}"),
    ))
}
