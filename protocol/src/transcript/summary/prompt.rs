//! Finds the first prompt of a session, by which users recognize the session.

use super::fields::{has, lines, object, string_of};
use super::script::{first_units, is_space, trimmed};
use crate::{Json, Members};

/// The maximum length of a displayed prompt, in UTF-16 units.
const LONGEST: usize = 200;

/// A search for the first prompt.
#[derive(Debug, Default)]
pub(super) struct Prompts {
    /// The first command before the prompt.
    pub(super) command: Option<String>,
}

/// Returns the first prompt in the head of a transcript. If there is none,
/// returns the first command.
pub(super) fn first(head: &[u8]) -> Option<String> {
    let mut prompts = Prompts::default();
    let is_candidate = |line: &&[u8]| {
        is_of_user(line)
            && !has(
                line,
                &["\"isCompactSummary\":true", "\"isCompactSummary\": true"],
            )
    };
    let found = lines(head)
        .filter(is_candidate)
        .find_map(|line| prompts.read(&object(line)?));
    found.or(prompts.command).filter(|it| !it.is_empty())
}

/// Returns the kind of content of the first message without text.
pub(super) fn attached(head: &[u8]) -> Option<&'static str> {
    lines(head).filter(is_of_user).find_map(|line| {
        if has(line, &["\"type\":\"image\"", "\"type\": \"image\""]) {
            Some("Image")
        } else if has(line, &["\"type\":\"document\"", "\"type\": \"document\""]) {
            Some("Document")
        } else {
            None
        }
    })
}

fn is_of_user(line: &&[u8]) -> bool {
    has(line, &["\"type\":\"user\"", "\"type\": \"user\""])
        && !has(
            line,
            &["\"tool_result\"", "\"isMeta\":true", "\"isMeta\": true"],
        )
}

impl Prompts {
    /// Returns the prompt of a record, if the user sent it.
    pub(super) fn read(&mut self, record: &Members) -> Option<String> {
        let is_true = |name: &str| record.get(name).is_some_and(|it| it.get() == "true");
        if string_of(record, "type").as_deref() != Some("user")
            || is_true("isMeta")
            || is_true("isCompactSummary")
        {
            return None;
        }
        let content = record.get("message")?.member("content")?;
        texts(&content)?.iter().find_map(|text| self.of_text(text))
    }

    fn of_text(&mut self, text: &str) -> Option<String> {
        let text = without_paste_marks(text).replace('\n', " ");
        let text = trimmed(&text);
        if text.is_empty() {
            return None;
        }
        if let Some(command) = command_name(text) {
            self.command.get_or_insert_default();
            if let Some(first) = self.command.as_mut().filter(|it| it.is_empty()) {
                command.clone_into(first);
            }
            return None;
        }
        if let Some(input) = between(text, "<bash-input>", "</bash-input>") {
            return Some(format!("! {}", trimmed(input)));
        }
        if is_agents(text) {
            return None;
        }
        let cut = first_units(text, LONGEST);
        Some(match cut.len() < text.len() {
            true => format!("{}…", trimmed(cut)),
            false => text.to_owned(),
        })
    }
}

/// Returns the texts of a content. Returns `None` if the content has a tool
/// result.
fn texts(content: &Json) -> Option<Vec<String>> {
    if let Ok(text) = content.read::<String>() {
        return Some(vec![text]);
    }
    let blocks: Vec<Json> = content.read().unwrap_or_default();
    let mut texts = Vec::new();
    for block in blocks.iter().filter(|it| it.get().starts_with('{')) {
        let kind = block.member("type").and_then(|it| it.read::<String>().ok());
        match kind.as_deref() {
            Some("tool_result") => return None,
            Some("text") => texts.extend(block.member("text").and_then(|it| it.read().ok())),
            _ => {}
        }
    }
    Some(texts)
}

/// Returns the name of a command, on one line.
fn command_name(text: &str) -> Option<&str> {
    let (open, close) = ("<command-name>", "</command-name>");
    text.match_indices(open).find_map(|(at, _)| {
        let name = between(&text[at..], open, close)?;
        (!name.contains(['\n', '\r', '\u{2028}', '\u{2029}'])).then_some(name)
    })
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    let (inside, _) = rest.split_once(close)?;
    Some(inside)
}

/// Returns whether the agent wrote a text. Such a text begins with a tag or
/// reports an interruption.
fn is_agents(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("[Request interrupted by user") {
        return rest.contains(']');
    }
    let Some(tag) = text.strip_prefix('<') else {
        return false;
    };
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    tag.starts_with(|it: char| it.is_ascii_lowercase())
        && tag
            .trim_start_matches(is_name)
            .starts_with(|it| it == '>' || is_space(it))
}

/// Removes the marks around pasted content.
fn without_paste_marks(text: &str) -> String {
    let open = "<pasted_content id=\"";
    let (mut shown, mut taken, mut from) = (String::new(), 0, 0);
    while let Some(found) = text[from..].find(open) {
        let start = from + found;
        from = start + open.len();
        let id = text
            .get(from..from + 4)
            .filter(|id| id.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f')));
        let Some(id) = id.filter(|_| text[from + 4..].starts_with("\">\n")) else {
            continue;
        };
        let body = from + 7;
        let close = format!("\n</pasted_content id=\"{id}\">");
        let Some(end) = text[body - 1..].find(&close).map(|it| body - 1 + it) else {
            break;
        };
        let before = &text[taken..start];
        shown.push_str(without_two(before, str::strip_suffix));
        shown.push_str(text.get(body..end).unwrap_or_default());
        taken = end + close.len();
        taken = text.len() - without_two(&text[taken..], str::strip_prefix).len();
        from = taken;
    }
    shown.push_str(&text[taken..]);
    shown
}

/// Removes up to two line breaks at one end of a text.
fn without_two<'t>(text: &'t str, strip: fn(&'t str, char) -> Option<&'t str>) -> &'t str {
    let one = strip(text, '\n').unwrap_or(text);
    strip(one, '\n').unwrap_or(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str) -> (Option<String>, Option<String>) {
        let record = serde_json::json!({"type": "user", "message": {"content": content}});
        let mut prompts = Prompts::default();
        let read = prompts.read(&Json::from(record).read().unwrap_or_default());
        (read, prompts.command)
    }

    #[test]
    fn prompts_are_one_line_of_limited_length() {
        assert_eq!(read(" a\nb ").0.as_deref(), Some("a b"));
        let (long, _) = read(&"x".repeat(201));
        assert_eq!(long, Some(format!("{}…", "x".repeat(200))));
    }

    #[test]
    fn texts_of_the_agent_are_not_prompts() {
        for text in [
            "<tick>",
            "<local-command-stdout>x",
            "[Request interrupted by user for tool use]",
            " \n ",
        ] {
            assert_eq!(read(text).0, None, "{text}");
        }
        assert_eq!(read("<3").0.as_deref(), Some("<3"));
    }

    #[test]
    fn commands_stand_in_for_a_prompt() {
        let (prompt, command) = read("<command-name>/clear</command-name>");
        assert_eq!((prompt, command.as_deref()), (None, Some("/clear")));
        let (prompt, _) = read("<bash-input> ls </bash-input>");
        assert_eq!(prompt.as_deref(), Some("! ls"));
    }

    #[test]
    fn marks_of_pasted_content_are_removed() {
        let text =
            "See\n\n<pasted_content id=\"0a1f\">\nline\n</pasted_content id=\"0a1f\">\n\nthis";
        assert_eq!(without_paste_marks(text), "Seelinethis");
        let open = "<pasted_content id=\"0a1f\">\nline";
        assert_eq!(without_paste_marks(open), open);
    }
}
