//! The JSON Schema in `schema/` is that of the types. When they change,
//!
//! ```text
//! AGENTWIRE_WRITE_SCHEMA=1 cargo test -p agentwire-testkit --features schema --test schema
//! ```
//!
//! writes it anew.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::scenario;
use serde_json::Value;
use std::path::Path;

#[test]
fn the_schema_in_the_repository_is_that_of_the_types() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/scenario.json");
    let schema = scenario::schema();
    if std::env::var_os("AGENTWIRE_WRITE_SCHEMA").is_some() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        std::fs::write(&file, text).unwrap();
    }
    let written: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert!(
        &written == schema.as_value(),
        "it is not what the types are; the head of this file says how to write it anew"
    );
}

#[test]
fn every_member_is_described_and_in_the_documentation() {
    let page = include_str!("../SCENARIOS.md");
    let schema = scenario::schema();
    let mut members = 0;
    visit(schema.as_value(), &mut |name, member| {
        let is_described = member.get("description").is_some() || member.get("$ref").is_some();
        assert!(is_described, "{name}: {member}");
        assert!(page.contains(&format!("`{name}`")), "{name} is not in it");
        members += 1;
    });
    assert!(members > 40, "{members}");
}

/// Calls `each` with every member of every object.
fn visit(schema: &Value, each: &mut impl FnMut(&str, &Value)) {
    match schema {
        Value::Object(keys) => {
            for (name, member) in keys
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                // The name of a step or of a fault is described beside it.
                if keys.get("description").is_none()
                    || keys["properties"].as_object().unwrap().len() > 1
                {
                    each(name, member);
                } else {
                    each(name, schema);
                }
            }
            keys.values().for_each(|value| visit(value, each));
        }
        Value::Array(items) => items.iter().for_each(|item| visit(item, each)),
        _ => {}
    }
}
