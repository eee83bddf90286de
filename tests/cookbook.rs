//! Tests that the code in the cookbook of the guide is that of `examples/cookbook`, and
//! that the page has its output.
//!
//! `AGENTWIRE_WRITE_COOKBOOK=1` writes the code and the output to the page instead.

#![cfg(all(feature = "mcp", feature = "view"))]
#![allow(clippy::unwrap_used, reason = "it is a test")]

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::counted;

const WRITE: &str = "AGENTWIRE_WRITE_COOKBOOK";
const CODE: &str = "```rust,no_run\n";
const OUTPUT: &str = "```text\n";
const END: &str = "```\n";

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the path of the program with the recipes, which cargo builds like the fake
/// agent.
fn program() -> PathBuf {
    support::fake_agent_path().with_file_name("cookbook")
}

fn output_of(arguments: &[&str]) -> String {
    let output = Command::new(program()).args(arguments).output().unwrap();
    let (printed, complaints) = (output.stdout, output.stderr);
    let complaints = String::from_utf8_lossy(&complaints);
    assert!(output.status.success(), "{arguments:?}: {complaints}");
    String::from_utf8(printed).unwrap()
}

/// Returns the page with the current code and output of each recipe, and the names of the
/// recipes. `<!-- NAME -->` marks a recipe before its code.
fn with_recipes(page: &str, recipe: impl Fn(&str) -> (String, String)) -> (String, Vec<String>) {
    let mut names = vec![];
    let mut lines = page.split_inclusive('\n');
    let mut written = String::new();
    while let Some(line) = lines.next() {
        written.push_str(line);
        let marked = line.strip_prefix("<!-- ");
        let Some(name) = marked.and_then(|it| it.strip_suffix(" -->\n")) else {
            continue;
        };
        let (code, output) = recipe(name);
        names.push(name.to_owned());
        for (fence, text) in [(CODE, code), (OUTPUT, output)] {
            while let Some(line) = lines.next().filter(|line| *line != fence) {
                assert_eq!(line, "\n", "between the blocks of `{name}`");
                written.push('\n');
            }
            for _ in lines.by_ref().take_while(|line| *line != END) {}
            written.extend([fence, &text, END]);
        }
    }
    (written, names)
}

#[test]
fn the_page_has_the_code_and_the_output_of_each_recipe() {
    let path = project().join("docs/guide/cookbook.md");
    let page = fs::read_to_string(&path).unwrap();
    let (written, shown) = with_recipes(&page, |name| {
        let code = project().join(format!("examples/cookbook/{name}.rs"));
        (fs::read_to_string(code).unwrap(), output_of(&[name]))
    });
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, &written).unwrap();
    } else {
        for (number, (is, must)) in page.lines().zip(written.lines()).enumerate() {
            let hint = format!("line {}; {WRITE}=1 writes the page", number + 1);
            assert_eq!(is, must, "{hint}");
        }
        assert_eq!(page, written);
    }

    let listed = output_of(&[]);
    let mut listed: Vec<_> = listed.lines().collect();
    let mut sorted = shown.clone();
    sorted.sort();
    listed.sort_unstable();
    assert_eq!(sorted, listed, "recipes of the page, and of the program");
    assert!(shown.len() >= 30, "{}", shown.len());
    counted(shown.len(), "recipes of the cookbook");
}

#[test]
fn a_page_with_other_code_or_output_is_detected() {
    let page = "# A\n\n<!-- one -->\n```rust,no_run\nold();\n```\n\n```text\n1\n```\n\nEnd.\n";
    let recipe = |name: &str| (format!("{name}();\n"), "2\n".to_owned());
    let (written, names) = with_recipes(page, recipe);
    assert_eq!(names, ["one"]);
    let must = page.replace("old();", "one();").replace("\n1\n", "\n2\n");
    assert_eq!(written, must);
    assert_eq!(with_recipes(&written, recipe).0, written);
}
