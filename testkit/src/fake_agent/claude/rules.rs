//! Matches the content of permission rules.

use agentwire_protocol::Json;

/// Returns whether the content of a rule matches a call. For `Bash` the content
/// is a command, a prefix (`git:*`) or a pattern (`git *`), and must match
/// every command of the line. For other tools it is a path or a text with `*`.
pub(in crate::fake_agent) fn covers(content: &str, tool: &str, input: &Json) -> bool {
    let text = |name: &str| -> Option<String> { input.member(name)?.read().ok() };
    if tool == "Bash" {
        let command = text("command").unwrap_or_default();
        let mut parts = parts(&command).peekable();
        return parts.peek().is_some() && parts.all(|part| covers_command(content, part));
    }
    let arguments = [
        "file_path",
        "notebook_path",
        "path",
        "url",
        "query",
        "skill",
    ];
    let value = arguments.into_iter().find_map(text).unwrap_or_default();
    let content = content.strip_prefix("domain:").unwrap_or(content);
    let value = value.split("://").nth(1).unwrap_or(&value);
    let value = if tool == "WebFetch" {
        value.split(['/', ':']).next().unwrap_or_default()
    } else {
        value
    };
    matches(content, value)
}

fn covers_command(content: &str, command: &str) -> bool {
    match content.strip_suffix(":*") {
        Some(prefix) => {
            let rest = command.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        }
        // `git *` also matches `git`.
        None => matches(content, command) || content.strip_suffix(" *") == Some(command),
    }
}

/// Returns whether a text matches the pattern. `*` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Returns the shell commands of a command line.
pub(super) fn parts(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(['\n', ';', '|', '&']).map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// Returns whether a command line has no expansions and no redirections. The
/// words of such a line are the commands that run.
pub(super) fn is_plain(line: &str) -> bool {
    !line.contains(['`', '$', '<', '>', '(', ')', '{', '}', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rule_matches_a_line_if_it_matches_all_of_its_commands() {
        for (content, command, is_covered) in [
            ("git:*", "git", true),
            ("git:*", "git add a", true),
            ("git:*", "gitk", false),
            ("git *", "git add a", true),
            ("git *", "git", true),
            ("git add", "git add", true),
            ("git add", "git add a", false),
            ("git:*", "git add a && rm a", false),
            ("git:*", "git add a; git push", true),
            ("npm run *", "npm run test", true),
            ("npm run *", "npm install", false),
            ("git:*", "", false),
        ] {
            let input = Json::from(json!({ "command": command }));
            assert_eq!(
                covers(content, "Bash", &input),
                is_covered,
                "{content}: {command}"
            );
        }
    }

    #[test]
    fn rules_of_other_tools_match_paths_and_hosts() {
        let read = Json::from(json!({"file_path": "/src/main.rs"}));
        assert!(covers("/src/*", "Read", &read));
        assert!(!covers("/tests/*", "Read", &read));
        let fetch = Json::from(json!({"url": "https://example.com/page"}));
        assert!(covers("domain:example.com", "WebFetch", &fetch));
        assert!(!covers("domain:example.org", "WebFetch", &fetch));
    }
}
