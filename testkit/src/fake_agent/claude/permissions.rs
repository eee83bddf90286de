//! Which tools the CLI lets run without a permission request, and what its
//! rules cover.

use super::Claude;
use crate::scenario::ToolCall;
use agentwire_protocol::Json;
use agentwire_protocol::permission::PermissionMode;

/// Tools that only read.
const READ_ONLY: [&str; 8] = [
    "Glob",
    "Grep",
    "LS",
    "ListAgents",
    "Read",
    "TaskOutput",
    "TodoWrite",
    "ToolSearch",
];

/// Shell commands that only read, by their first word. The real CLI looks at
/// their options as well; those that are not here are asked about.
const READ_ONLY_COMMANDS: [&str; 22] = [
    "basename", "cat", "cd", "date", "dirname", "du", "echo", "false", "grep", "head", "id", "ls",
    "pwd", "sleep", "stat", "tail", "true", "uname", "wc", "whereis", "which", "whoami",
];

/// Shell commands that the mode `acceptEdits` allows.
const EDIT_COMMANDS: [&str; 7] = ["cp", "mkdir", "mv", "rm", "rmdir", "sed", "touch"];

impl Claude {
    /// Whether a tool call needs permission in this mode, apart from rules.
    pub(in crate::fake_agent) fn needs_permission(
        &self,
        call: &ToolCall,
        mode: &PermissionMode,
    ) -> bool {
        if !self.decides || !call.ask {
            return call.ask;
        }
        if call.name != "Bash" {
            return !READ_ONLY.contains(&&*call.name);
        }
        let command = call.input["command"].as_str().unwrap_or_default();
        let accepts = *mode == PermissionMode::AcceptEdits;
        let is_fine = |part: &str| {
            let word = part.split_whitespace().next().unwrap_or_default();
            READ_ONLY_COMMANDS.contains(&word) || accepts && EDIT_COMMANDS.contains(&word)
        };
        !(is_plain(command) && parts(command).all(is_fine))
    }
}

/// Whether the content of a rule covers a call: for `Bash` a command, a prefix
/// (`git:*`) or a pattern (`git *`), each for all parts of the line; for other
/// tools a path or a text with `*`.
pub(in crate::fake_agent) fn covers(content: &str, tool: &str, input: &Json) -> bool {
    let text = |name: &str| -> Option<String> { input.member(name)?.read().ok() };
    if tool == "Bash" {
        let command = text("command").unwrap_or_default();
        let mut parts = parts(&command).peekable();
        return parts.peek().is_some() && parts.all(|part| covers_command(content, part));
    }
    let named = [
        "file_path",
        "notebook_path",
        "path",
        "url",
        "query",
        "skill",
    ];
    let value = named.into_iter().find_map(text).unwrap_or_default();
    let content = content.strip_prefix("domain:").unwrap_or(content);
    let value = value.split("://").nth(1).unwrap_or(&value);
    let value = if tool == "WebFetch" {
        value.split(['/', ':']).next().unwrap_or_default()
    } else {
        value
    };
    fits(content, value)
}

fn covers_command(content: &str, command: &str) -> bool {
    match content.strip_suffix(":*") {
        Some(prefix) => {
            let rest = command.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        }
        // `git *` covers `git` as well.
        None => fits(content, command) || content.strip_suffix(" *") == Some(command),
    }
}

/// Whether a text is as the pattern says, in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
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

/// The commands of a line.
pub(super) fn parts(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(['\n', ';', '|', '&']).map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// Whether nothing in a line is expanded or redirected, so that its words say
/// what runs.
fn is_plain(line: &str) -> bool {
    !line.contains(['`', '$', '<', '>', '(', ')', '{', '}', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rule_covers_a_line_if_it_covers_all_of_its_commands() {
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
    fn rules_of_other_tools_are_about_their_paths_and_hosts() {
        let read = Json::from(json!({"file_path": "/src/main.rs"}));
        assert!(covers("/src/*", "Read", &read));
        assert!(!covers("/tests/*", "Read", &read));
        let fetch = Json::from(json!({"url": "https://example.com/page"}));
        assert!(covers("domain:example.com", "WebFetch", &fetch));
        assert!(!covers("domain:example.org", "WebFetch", &fetch));
    }
}
