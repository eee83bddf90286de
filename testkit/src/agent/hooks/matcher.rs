//! Hook matchers, as measured with the real CLI.

/// Returns whether a hook matcher matches a text. A pattern of letters, digits,
/// `_`, spaces and separators is a list of names, which match only the whole
/// text. Any other pattern is a regular expression, which matches anywhere.
pub(super) fn matches(pattern: Option<&str>, about: &str, finds: fn(&str, &str) -> bool) -> bool {
    let pattern = pattern.unwrap_or_default();
    let is_names = |pattern: &str| {
        pattern
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "_| ,".contains(it))
    };
    match pattern {
        "" | "*" => true,
        names if is_names(names) => names.split(['|', ',']).any(|name| name.trim() == about),
        expression => finds(expression, about),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_whole_and_patterns_match_anywhere() {
        let matches = |pattern, about| matches(pattern, about, |expression, _| expression == "B.*");
        for pattern in [
            "",
            "*",
            "Bash",
            "Bash|Read",
            " Bash | Read ",
            "Read,Bash",
            "B.*",
        ] {
            assert!(matches(Some(pattern), "Bash"), "{pattern}");
        }
        for pattern in ["bash", "Ba", "Bash Read", "Read|Write", "R.*", "("] {
            assert!(!matches(Some(pattern), "Bash"), "{pattern}");
        }
        assert!(matches(None, "Bash"));
        // An empty name in a list matches nothing.
        assert!(matches(Some("Bash|"), "Bash"));
        assert!(!matches(Some("Bash|"), "Read"));
    }
}
