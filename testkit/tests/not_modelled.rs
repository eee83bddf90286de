//! Tests that README.md lists the differences from the real CLI, as the files
//! in `conform` declare them. `AGENTWIRE_WRITE_PAGE=1` updates the list.
#![allow(clippy::unwrap_used)]

use serde_json::{Map, Value};
use std::path::Path;

const START: &str = "<!-- not modelled -->\n";
const END: &str = "<!-- /not modelled -->";

#[test]
fn the_readme_lists_the_differences_from_the_real_cli() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = folder.join("README.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{START}{}{END}{after}", section(folder));
    if std::env::var_os("AGENTWIRE_WRITE_PAGE").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(
        page == expected || std::env::var_os("AGENTWIRE_WRITE_PAGE").is_some(),
        "README.md is out of date: AGENTWIRE_WRITE_PAGE=1 cargo test -p agentwire-testkit --test not_modelled"
    );
}

/// Returns the lists as Markdown.
fn section(folder: &Path) -> String {
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(folder.join("conform").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let rows = |list: &Value| -> String {
        let list: &Map<String, Value> = list.as_object().unwrap();
        let row = |(names, difference): (&String, &Value)| {
            let names: Vec<_> = names.split(", ").map(|it| format!("`{it}`")).collect();
            format!(
                "| {} | {} |\n",
                names.join(", "),
                difference.as_str().unwrap()
            )
        };
        let mut list: Vec<_> = list.iter().collect();
        list.sort_by_key(|(names, _)| *names);
        list.into_iter().map(row).collect()
    };
    let mut accepted = Map::new();
    for difference in read("accepted.json").as_array().unwrap() {
        let case = difference["cases"][0].as_str().unwrap();
        accepted.insert(case.to_owned(), difference["why"].clone());
    }
    let members: String = (read("left-out.json").as_array().unwrap().iter())
        .filter(|rule| rule["may_be_absent"] != true)
        .map(|rule| {
            let texts = |name: &str| -> Vec<String> {
                let list = rule[name].as_array().unwrap();
                list.iter()
                    .map(|it| format!("`{}`", it.as_str().unwrap()))
                    .collect()
            };
            format!(
                "| {} | {} |\n",
                texts("of").join(", "),
                rule["why"].as_str().unwrap()
            )
        })
        .collect();
    format!(
        "\n| control request | response |\n|---|---|\n{}\n\
         | calibration case | difference |\n|---|---|\n{}\n\
         | lines with generated values | generated |\n|---|---|\n{members}\n",
        rows(&read("not-modelled.json")),
        rows(&Value::Object(accepted)),
    )
}
