//! The JSON Schemas in `schema/` are those of the types. When types change,
//!
//! ```text
//! AGENTWIRE_WRITE_SCHEMA=1 cargo test -p agentwire-protocol --features schema,tools --test schema
//! ```
//!
//! writes them anew.
#![allow(clippy::unwrap_used)]

use agentwire_protocol::schema;
use schemars::Schema;
use serde_json::Value;
use std::path::Path;

#[test]
fn the_schemas_in_the_repository_are_those_of_the_types() {
    check("lines", &schema::lines());
    check("answers", &schema::answers());
    check("tools", &schema::tools());
    check("conversation", &schema::conversation());
}

fn all() -> [Schema; 4] {
    [
        schema::lines(),
        schema::answers(),
        schema::tools(),
        schema::conversation(),
    ]
}

#[track_caller]
fn check(name: &str, schema: &Schema) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("schema")
        .join(name)
        .with_extension("json");
    if std::env::var_os("AGENTWIRE_WRITE_SCHEMA").is_some() {
        let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
        std::fs::write(&file, text).unwrap();
    }
    let written: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert!(
        &written == schema.as_value(),
        "{name}.json is not what the types are; the head of this file says how to write it anew"
    );
}

#[test]
fn no_two_types_have_the_same_name() {
    // Of two types with one name, the second would be given a number.
    for schema in all() {
        let types = schema.get("$defs").unwrap().as_object().unwrap();
        for name in types.keys() {
            let without_number = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
            assert!(
                without_number == name || !types.contains_key(without_number),
                "{name}"
            );
        }
    }
}

#[test]
fn every_type_and_every_member_is_described() {
    for schema in all() {
        let types = schema.get("$defs").unwrap().as_object().unwrap();
        for (name, definition) in types {
            assert!(is_described(definition), "{name}");
            let members = definition["properties"].as_object().into_iter().flatten();
            // A tag says it by its value.
            for (member, schema) in members.filter(|(_, schema)| schema.get("const").is_none()) {
                assert!(is_described(schema), "{name}.{member}");
            }
        }
    }
}

fn is_described(schema: &Value) -> bool {
    schema["description"]
        .as_str()
        .is_some_and(|text| !text.is_empty())
}
