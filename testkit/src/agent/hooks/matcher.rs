//! Hook matchers, as measured.

/// Returns whether a pattern matches. Patterns of letters, digits, `_`, spaces
/// and separators are names, which match only as a whole. All other patterns
/// are regular expressions, which match anywhere.
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
