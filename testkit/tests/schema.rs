//! Tests of the JSON Schema of scenarios.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::scenario;
use serde_json::Value;

#[test]
fn every_member_has_a_description_and_is_in_the_documentation() {
    let page = include_str!("../SCENARIOS.md");
    let schema = scenario::schema();
    let mut members = 0;
    visit(schema.as_value(), &mut |name, member| {
        let is_described = member.get("description").is_some() || member.get("$ref").is_some();
        assert!(is_described, "{name}: {member}");
        assert!(
            page.contains(&format!("`{name}`")),
            "{name} is not documented"
        );
        members += 1;
    });
    assert!(members > 40, "{members}");
}

/// Calls `each` for every member of every object.
fn visit(schema: &Value, each: &mut impl FnMut(&str, &Value)) {
    match schema {
        Value::Object(keys) => {
            for (name, member) in keys
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                // The enclosing variant describes a step or a fault.
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
