//! Summarizes a session in a store from its entries, as they are appended.

use super::fields::{filled, string_of};
use super::prompt::Prompts;
use super::{Summary, date};
use crate::{Json, Members};
use serde_json::Value;

/// Members of entries whose last string counts, with their names in the
/// summary.
const LAST_STRINGS: [(&str, &str); 5] = [
    ("customTitle", "customTitle"),
    ("aiTitle", "aiTitle"),
    ("lastPrompt", "lastPrompt"),
    ("summary", "summaryHint"),
    ("gitBranch", "gitBranch"),
];

/// Adds entries of a main conversation to the summary of the earlier entries,
/// which is `None` if there are none. The summary equals the `data` of the
/// official SDK's function `foldSessionSummary`. It is opaque to a store;
/// [`Summary::of_folded`] reads it.
///
/// ```
/// use agentwire_protocol::transcript::{Summary, fold_summary};
///
/// let prompt = r#"{"type":"user","message":{"content":"Count the crabs."}}"#.parse()?;
/// let title = r#"{"type":"custom-title","customTitle":"Crabs"}"#.parse()?;
/// let folded = fold_summary(None, [&prompt]);
/// let folded = fold_summary(Some(&folded), [&title]);
/// let summary = Summary::of_folded(&folded, None).ok_or("nothing to show")?;
/// assert_eq!(summary.summary, "Crabs");
/// assert_eq!(summary.first_prompt.as_deref(), Some("Count the crabs."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn fold_summary<'e>(
    before: Option<&Json>,
    entries: impl IntoIterator<Item = &'e Json>,
) -> Json {
    let before = before.and_then(|it| it.read::<Members>().ok());
    let mut data = before.unwrap_or_default();
    for entry in entries {
        // A value that is not an object has no members.
        fold(&mut data, &entry.read().unwrap_or_default());
    }
    Json::from_value(&data).unwrap_or_default()
}

fn fold(data: &mut Members, entry: &Members) {
    if data.get("isSidechain").is_none() {
        let is_sidechain = entry
            .get("isSidechain")
            .is_some_and(|it| it.get() == "true");
        data.set("isSidechain", Value::Bool(is_sidechain));
    }
    let created = string_of(entry, "timestamp").and_then(|it| date::milliseconds(&it));
    if let Some(created) = created
        && data.get("createdAt").is_none()
    {
        data.set("createdAt", Value::from(created));
    }
    let kind = string_of(entry, "type");
    let moved = match kind.as_deref() {
        Some("relocated") => filled(string_of(entry, "relocatedCwd")),
        _ => None,
    };
    let cwd = || filled(string_of(entry, "cwd")).filter(|_| data.get("cwd").is_none());
    if let Some(cwd) = moved.or_else(cwd) {
        data.set("cwd", &*cwd);
    }
    fold_prompt(data, entry);
    for (name, kept) in LAST_STRINGS {
        if let Some(text) = string_of(entry, name) {
            data.set(kept, &*text);
        }
    }
    if kind.as_deref() == Some("tag") {
        match filled(string_of(entry, "tag")) {
            Some(tag) => data.set("tag", &*tag),
            None => drop(data.remove("tag")),
        }
    }
}

fn fold_prompt(data: &mut Members, entry: &Members) {
    if is_true(data, "firstPromptLocked") {
        return;
    }
    let mut prompts = Prompts {
        command: string_of(data, "commandFallback"),
    };
    let prompt = prompts.read(entry);
    if let Some(command) = filled(prompts.command) {
        data.set("commandFallback", &*command);
    }
    if let Some(prompt) = prompt {
        data.set("firstPrompt", &*prompt);
        data.set("firstPromptLocked", Value::Bool(true));
    }
}

fn is_true(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(|it| it.get() == "true")
}

impl Summary {
    /// Reads a [folded](fold_summary) summary. Returns `None` if it is that of
    /// a sub-agent, or if there is nothing to show. `project` is the default
    /// working directory.
    #[must_use]
    pub fn of_folded(folded: &Json, project: Option<&str>) -> Option<Self> {
        let data: Members = folded.read().ok()?;
        if is_true(&data, "isSidechain") {
            return None;
        }
        let text = |name: &str| filled(string_of(&data, name));
        let first_prompt = match is_true(&data, "firstPromptLocked") {
            true => text("firstPrompt"),
            false => text("commandFallback"),
        };
        let custom_title = text("customTitle").or_else(|| text("aiTitle"));
        let summary = (custom_title.clone())
            .or_else(|| text("lastPrompt"))
            .or_else(|| text("summaryHint"))
            .or_else(|| first_prompt.clone())?;
        Some(Self {
            summary,
            custom_title,
            first_prompt,
            git_branch: text("gitBranch"),
            cwd: text("cwd").or_else(|| project.map(str::to_owned)),
            tag: text("tag"),
            created_at: data.get("createdAt").and_then(|it| it.read().ok()),
            archived: None,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The expected results are those of the official SDK, version 0.3.332.
    #[test]
    fn entries_are_folded_as_the_official_sdk_folds_them() {
        let user =
            |content: &str| format!(r#"{{"type":"user","message":{{"content":{content}}}}}"#);
        let (x, y) = (
            "<command-name>/x</command-name>",
            "<command-name>/y</command-name>",
        );
        for (entries, data) in [
            (vec![], "{}"),
            (
                vec![r#"{"cwd":""}"#, r#"{"cwd":"/b"}"#, r#"{"cwd":"/c"}"#],
                r#"{"isSidechain":false,"cwd":"/b"}"#,
            ),
            (
                vec![r#"{"isSidechain":1}"#, r#"{"isSidechain":true}"#],
                r#"{"isSidechain":false}"#,
            ),
            (
                vec![
                    r#"{"timestamp":"bad"}"#,
                    r#"{"timestamp":5}"#,
                    r#"{"timestamp":"2024-01-01T00:00:00.000Z","isSidechain":true}"#,
                    r#"{"timestamp":"2025-01-01"}"#,
                ],
                r#"{"isSidechain":false,"createdAt":1704067200000}"#,
            ),
            (
                vec![r#"{"type":"tag","tag":"a"}"#, r#"{"tag":"b"}"#],
                r#"{"isSidechain":false,"tag":"a"}"#,
            ),
            (
                vec![r#"{"type":"tag","tag":"a"}"#, r#"{"type":"tag","tag":5}"#],
                r#"{"isSidechain":false}"#,
            ),
            (
                vec![
                    r#"{"gitBranch":"m"}"#,
                    r#"{"gitBranch":""}"#,
                    r#"{"customTitle":5,"lastPrompt":null}"#,
                ],
                r#"{"isSidechain":false,"gitBranch":""}"#,
            ),
            (
                vec![
                    r#"{"cwd":"/a","relocatedCwd":"/r"}"#,
                    r#"{"type":"relocated","relocatedCwd":"/q"}"#,
                    r#"{"cwd":"/b"}"#,
                ],
                r#"{"isSidechain":false,"cwd":"/q"}"#,
            ),
            (
                vec![
                    &*user(&format!("\"{x}\"")),
                    &user(&format!("\"{y}\"")),
                    &user("\"hi\\nthere\""),
                ],
                r#"{"isSidechain":false,"commandFallback":"/x","firstPrompt":"hi there","firstPromptLocked":true}"#,
            ),
            (
                vec![
                    &user(r#"[{"type":"tool_result"},{"type":"text","text":"a"}]"#),
                    &user(r#"[{"type":"text","text":"b"}]"#),
                ],
                r#"{"isSidechain":false,"firstPrompt":"b","firstPromptLocked":true}"#,
            ),
            (vec!["null", "5", "[]"], r#"{"isSidechain":false}"#),
        ] {
            let entries: Vec<Json> = entries.iter().map(|it| it.parse().unwrap()).collect();
            let at_once = fold_summary(None, &entries);
            assert_eq!(at_once.get(), data);
            let one_by_one = entries.iter().fold(None, |data: Option<Json>, entry| {
                Some(fold_summary(data.as_ref(), [entry]))
            });
            assert_eq!(
                one_by_one.map_or("{}".to_owned(), |it| it.get().to_owned()),
                data
            );
        }
    }
}
