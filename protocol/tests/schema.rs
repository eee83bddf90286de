//! Tests of the JSON Schemas of the types.
#![allow(clippy::unwrap_used)]

use agentwire_protocol::schema;
use schemars::Schema;
use serde_json::Value;

fn all() -> [Schema; 3] {
    [schema::lines(), schema::answers(), schema::tools()]
}

#[test]
fn no_two_types_have_the_same_name() {
    // If two types had one name, the name of the second would end in a number.
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
fn every_type_and_every_member_has_a_description() {
    for schema in all() {
        let types = schema.get("$defs").unwrap().as_object().unwrap();
        for (name, definition) in types {
            assert!(is_described(definition), "{name}");
            let members = definition["properties"].as_object().into_iter().flatten();
            // A tag needs no description, because its value describes it.
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
