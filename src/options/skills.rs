//! The skills of the main agent.

use crate::event::Error;

/// The skills of the main agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Skills {
    All,
    Only(Vec<String>),
}

/// What is in no skill's name would make another rule of it.
pub(super) fn check_skill(name: &str) -> Result<(), Error> {
    let problem = if name.is_empty() {
        "is empty"
    } else if name.trim() != name {
        "has space around it"
    } else if name.contains(['(', ')', ',']) || name.contains(char::is_control) {
        "has a parenthesis, a comma or a control character, which is in no skill's name"
    } else if name == "*" || name.ends_with(":*") || name.ends_with(" *") {
        "is a pattern; `all_skills` gives all"
    } else if name.starts_with('/') {
        "begins with `/`, which is in no skill's name"
    } else if name.ends_with('\\') || name.contains(r"\\") {
        "has a backslash that the rule for it would lose"
    } else {
        return Ok(());
    };
    Err(Error::option(
        "skills",
        format!("names `{name}`, which {problem}"),
    ))
}
