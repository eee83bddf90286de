//! Tests of the summary of a session in a list.

use agentwire_protocol::transcript::{Archived, Ends, Summary};

const PROMPT: &str = r#"{"type":"user","cwd":"/a","timestamp":"2025-03-01T10:20:30.456Z","gitBranch":"main","message":{"content":"Hello"}}"#;

fn summary(text: &str) -> Option<Summary> {
    Ends::new(text.as_bytes(), text.as_bytes()).summary(None, None, None)
}

#[test]
fn the_users_title_precedes_a_generated_title_and_the_prompt() {
    let custom = r#"{"type":"custom-title","customTitle":"Mine"}"#;
    let models = r#"{"type":"ai-title","aiTitle":"The model's"}"#;
    let last = r#"{"type":"last-prompt","lastPrompt":"Bye"}"#;
    for (lines, title, summary_is) in [
        ([PROMPT, custom, models, last], Some("Mine"), "Mine"),
        (
            [PROMPT, models, last, ""],
            Some("The model's"),
            "The model's",
        ),
        ([PROMPT, last, "", ""], None, "Bye"),
        ([PROMPT, "", "", ""], None, "Hello"),
    ] {
        let found = summary(&lines.join("\n")).unwrap();
        assert_eq!(found.custom_title.as_deref(), title);
        assert_eq!(found.summary, summary_is);
        assert_eq!(found.first_prompt.as_deref(), Some("Hello"));
    }
}

#[test]
fn the_last_title_counts_even_after_a_truncated_line() {
    let found = summary(&format!(
        "{PROMPT}\n{}\n{{\"type\":\"user\",\"mess{}",
        r#"{"type":"custom-title","customTitle":"First"}"#,
        r#"{"type":"custom-title","customTitle":"Last"}"#,
    ));
    assert_eq!(found.unwrap().summary, "Last");
}

#[test]
fn the_directory_of_a_moved_session_is_the_new_one() {
    let moved = r#"{"type":"relocated","relocatedCwd":"/b"}"#;
    let found = summary(&format!("{PROMPT}\n{moved}\n")).unwrap();
    assert_eq!(found.cwd.as_deref(), Some("/b"));
    let found = summary(PROMPT).unwrap();
    assert_eq!(found.cwd.as_deref(), Some("/a"));
    assert_eq!(found.git_branch.as_deref(), Some("main"));
    assert_eq!(found.created_at, Some(1_740_824_430_456));
}

#[test]
fn sessions_of_sub_agents_and_without_prompts_are_not_shown() {
    assert_eq!(
        summary(&format!("{{\"isSidechain\":true}}\n{PROMPT}")),
        None
    );
    assert_eq!(summary("{\"type\":\"mode\"}\n"), None);
    assert_eq!(summary(""), None);
    let image = r#"{"type":"user","message":{"content":[{"type":"image"}]}}"#;
    assert_eq!(summary(image).unwrap().summary, "Image");
}

#[test]
fn a_later_prompt_unarchives_a_session() {
    let archived =
        |at: &str| Archived::read(format!(r#"{{"archived":true,"at":"{at}"}}"#).as_bytes());
    let ends = Ends::new(PROMPT.as_bytes(), PROMPT.as_bytes());
    let is_archived = |at: &str| ends.summary(None, None, archived(at)).unwrap().archived;
    assert_eq!(is_archived("2025-03-02T00:00:00Z"), Some(true));
    assert_eq!(is_archived("2025-02-01T00:00:00Z"), Some(false));
    assert_eq!(is_archived("2025-02-01"), None);
}

#[test]
fn sessions_of_programs_are_programmatic_and_those_of_terminals_are_not() {
    for (text, is_programmatic) in [
        (r#"{"entrypoint":"sdk-ts"}"#, true),
        (r#"{"entrypoint":"cli"}"#, false),
        (r#"{"parentUuid":null,"sessionKind":"daemon"}"#, true),
        ("{}", false),
    ] {
        let ends = Ends::new(text.as_bytes(), text.as_bytes());
        assert_eq!(ends.is_programmatic(), is_programmatic, "{text}");
    }
}

#[test]
fn a_session_is_continued_elsewhere_until_a_later_message() {
    let id = "11111111-2222-4333-8444-555555555555";
    let moved = format!(r#"{{"type":"continued-in","continuedInSessionId":"{id}"}}"#);
    let of = |text: &str| Ends::new(text.as_bytes(), text.as_bytes()).continued_in();
    assert_eq!(of(&format!("{PROMPT}\n{moved}\n")).as_deref(), Some(id));
    assert_eq!(of(&format!("{moved}\n{PROMPT}\n")), None);
}
