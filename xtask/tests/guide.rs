//! Tests that the chapters of the guide, the book and rustdoc agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn project() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("it is in the workspace")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = project().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn guide() -> PathBuf {
    project().join("docs/guide")
}

/// Returns the files of the chapters.
fn chapters() -> BTreeSet<String> {
    let files = fs::read_dir(guide()).expect("the guide is there");
    let names = files.map(|file| file.expect("an entry").file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    names
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect()
}

/// Returns the lines of a page outside code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns the parts of a text between two marks.
fn between<'a>(text: &'a str, start: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    let parts = text.split(start).skip(1);
    parts.filter_map(move |part| Some(part.split_once(end)?.0))
}

/// Returns the link targets of a line, and the names of its references.
fn links(line: &str) -> (Vec<&str>, Vec<&str>) {
    if let Some((name, target)) = line.strip_prefix('[').and_then(|it| it.split_once("]: ")) {
        assert!(!name.is_empty(), "{line}");
        return (vec![target], vec![]);
    }
    let targets = between(line, "](", ")").collect();
    let names = between(line, "][", "]").collect();
    (targets, names)
}

#[test]
fn every_chapter_is_in_the_book_and_in_rustdoc() {
    let files = chapters();
    assert!(files.len() >= 10, "{files:?}");
    let summary = read("docs/guide/SUMMARY.md");
    let listed: BTreeSet<_> = between(&summary, "](", ")").map(str::to_owned).collect();
    assert_eq!(listed, files, "SUMMARY.md, and docs/guide");
    let module = read("src/guide.rs");
    let (_, included) = module.split_once("chapters! {").expect("the list");
    let included: BTreeSet<_> = between(included, ", \"", "\";")
        .map(str::to_owned)
        .collect();
    assert_eq!(included, files, "src/guide.rs, and docs/guide");
    assert!(read("docs/book.toml").contains("src = \"guide\""));
}

#[test]
fn every_link_of_the_guide_leads_to_a_file_and_in_rustdoc_to_a_module() {
    let module = read("src/guide.rs");
    for chapter in chapters() {
        let page = read(guide().join(&chapter));
        let mut defined = BTreeSet::new();
        for line in prose(&page) {
            let (targets, _) = links(line);
            for target in targets {
                assert!(guide().join(target).is_file(), "{chapter}: {target}");
                assert!(
                    line.starts_with('['),
                    "{chapter}: rustdoc cannot follow `{target}`"
                );
            }
            let definition = line.strip_prefix('[').and_then(|it| it.split_once("]: "));
            defined.extend(definition.map(|(name, _)| name));
        }
        for name in &defined {
            let to_module = format!("#[doc = \"[{name}]: crate::guide::");
            assert!(
                module.contains(&to_module),
                "src/guide.rs has no {to_module}"
            );
            let is_used = prose(&page).any(|line| line.contains(&format!("[{name}]")));
            assert!(is_used, "{chapter}: {name}");
        }
        for name in prose(&page).flat_map(|line| links(line).1) {
            assert!(defined.contains(name), "{chapter}: [{name}] is not defined");
        }
    }
}

#[test]
fn the_migration_chapter_has_every_alias_of_the_client_library() {
    let page = read("docs/guide/migration.md");
    let mut folders = vec![project().join("src")];
    let mut aliases = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("text");
                aliases.extend(between(&text, "#[doc(alias = \"", "\")]").map(str::to_owned));
            }
        }
    }
    assert!(aliases.len() > 60, "{}", aliases.len());
    let is_there = |alias: &&String| {
        let starts = [
            format!("`{alias}`"),
            format!("`{alias}("),
            format!(".{alias}("),
        ];
        starts.iter().any(|start| page.contains(start))
    };
    let missing: Vec<_> = aliases.iter().filter(|it| !is_there(it)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_readme_stays_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 200, "{lines} lines");
}
