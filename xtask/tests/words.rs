//! Public pages, documentation and messages avoid phrases that puzzled readers.

use std::path::{Path, PathBuf};

/// What is looked for, and what to say instead.
const PHRASES: &[(&str, &str)] = &[
    ("what waits", "buffer, queue, outbound queue"),
    ("becomes of", "delivery status"),
    ("of yours", "your"),
    ("whoever", "the host, the application"),
    ("nobody", "no, none"),
    ("somebody", "the user, another program"),
    ("odd", "invalid, malformed"),
    ("makes no sense", "is invalid"),
    ("stands behind", "is overridden by"),
    ("thrown away", "dropped, discarded"),
    ("throw away", "drop, discard"),
    ("the house", "workspace layout"),
    ("runs beside", "background task"),
    ("meant to decide", "requires a human"),
    ("left running", "leaves no processes behind"),
    ("as it likes", "no timeout"),
    ("patience", "timeout, deadline"),
];

/// Where they are looked for. Pages and folders are added as they are
/// rewritten.
const PLACES: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    "VERSIONS.md",
    "protocol/README.md",
    "docs",
    "examples",
    "src",
    "protocol/src",
    "files/src",
    "history/src",
    "cli/src",
    "stores/src",
];

/// A phrase, as a whole word, in a line of a page or of documentation, or in a
/// message.
fn found(line: &str, is_page: bool) -> Option<&'static (&'static str, &'static str)> {
    let line = line.trim_start();
    let is_read = is_page
        || ["///", "//!", "#[error(", "#[must_use"]
            .iter()
            .any(|start| line.starts_with(start));
    if !is_read {
        return None;
    }
    let line = line.to_lowercase();
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    PHRASES.iter().find(|(phrase, _)| {
        line.match_indices(phrase).any(|(at, _)| {
            !is_letter(line[..at].chars().next_back())
                && !is_letter(line[at + phrase.len()..].chars().next())
        })
    })
}

fn files(at: &Path, all: &mut Vec<PathBuf>) {
    if at.is_file() {
        all.push(at.to_owned());
        return;
    }
    for entry in std::fs::read_dir(at).expect("a folder") {
        files(&entry.expect("an entry").path(), all);
    }
}

#[test]
fn public_pages_and_documentation_use_plain_words() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = vec![];
    for place in PLACES {
        files(&project.join(place), &mut all);
    }
    // The pictures of the guide have no text.
    all.retain(|file| file.extension().is_none_or(|it| it != "png"));
    assert!(all.len() > 100, "{}", all.len());
    let mut complaints = vec![];
    for file in all {
        let is_page = file.extension().is_some_and(|it| it == "md");
        let text = std::fs::read_to_string(&file).expect("text");
        for (number, line) in text.lines().enumerate() {
            if let Some((phrase, instead)) = found(line, is_page) {
                let file = file.strip_prefix(&project).unwrap_or(&file).display();
                let number = number + 1;
                complaints.push(format!("{file}:{number}: `{phrase}`; say: {instead}"));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn a_planted_phrase_is_found_where_it_is_read() {
    for (line, is_page) in [
        ("/// Returns what waits to be written.", false),
        ("    //! Nobody is asked.", false),
        ("#[error(\"the option makes no sense\")]", false),
        ("An answer in a shape of yours.", true),
    ] {
        assert!(found(line, is_page).is_some(), "{line}");
    }
    for (line, is_page) in [
        ("// what waits", false),
        ("let nobody = 1;", false),
        ("/// Odds and ends: the oddity of it.", false),
    ] {
        assert!(found(line, is_page).is_none(), "{line}");
    }
}
