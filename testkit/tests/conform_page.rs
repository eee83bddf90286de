//! Tests that `CONFORM.md` lists all actions, members and prints of the cases.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::conform::sdk::{CASE, CLI, Case, cases};
use serde_json::Value;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../CONFORM.md");

#[test]
fn the_page_has_every_action_member_and_print_of_the_cases() {
    let mut actions = BTreeSet::new();
    let mut names = BTreeSet::from([CLI.to_owned(), CASE.to_owned()]);
    for case in cases() {
        let program = case.program().as_object().unwrap();
        names.extend(program.keys().cloned());
        for action in program["do"].as_array().unwrap() {
            match action {
                Value::String(name) => actions.insert(format!("`\"{name}\"`")),
                action => {
                    let name = action.as_object().unwrap().keys().next().unwrap();
                    actions.insert(format!("`{{\"{name}\": "))
                }
            };
        }
        for told in ["asks", "hooks"] {
            for answer in program
                .get(told)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                names.extend(answer.as_object().unwrap().keys().cloned());
                names.extend(answer["answer"].as_str().map(str::to_owned));
            }
        }
        for seen in case.sees() {
            names.extend(seen.as_object().unwrap().keys().cloned());
            names.insert(seen["saw"].as_str().unwrap().to_owned());
        }
    }
    assert!(
        actions.len() > 7 && names.len() > 20,
        "{actions:?} {names:?}"
    );
    for action in actions {
        assert!(PAGE.contains(&action), "no action {action} on the page");
    }
    for name in names {
        assert!(
            PAGE.contains(&format!("`{name}`")),
            "no `{name}` on the page"
        );
    }
}

#[test]
fn the_page_has_no_unused_print() {
    let (_, table) = PAGE.split_once("| `saw` |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let rows = table.lines().skip(2);
    let on_page: BTreeSet<_> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
    let mut wanted: BTreeSet<_> = (cases().iter().flat_map(Case::sees))
        .map(|seen| seen["saw"].as_str().unwrap())
        .collect();
    // `closed` stands for the absence of a response.
    wanted.insert("closed");
    assert_eq!(on_page, wanted);
}
