//! JSON schemas for CLIs with partial support for them.

use serde_json::Value;

/// Returns the schema without its formats; `None` if it has none.
pub(super) fn without_formats(mut schema: Value) -> Option<Value> {
    strip(&mut schema).then_some(schema)
}

/// Removes formats, and returns whether there were any.
fn strip(schema: &mut Value) -> bool {
    let mut has_changed = false;
    match schema {
        Value::Object(members) => {
            let before = members.len();
            members.retain(|name, value| name != "format" || !value.is_string());
            has_changed |= members.len() < before;
            for (name, value) in members {
                match (&**name, value) {
                    // Their values are not schemas.
                    ("const" | "enum" | "default" | "examples", _) => {}
                    // Maps of names to schemas. A name may be `format`.
                    (
                        "properties" | "patternProperties" | "$defs" | "definitions"
                        | "dependencies",
                        Value::Object(named),
                    ) => {
                        for value in named.values_mut() {
                            has_changed |= strip(value);
                        }
                    }
                    (_, value) => has_changed |= strip(value),
                }
            }
        }
        Value::Array(schemas) => {
            for schema in schemas {
                has_changed |= strip(schema);
            }
        }
        _ => {}
    }
    has_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn formats_are_removed_and_properties_named_format_are_not() {
        let schema = json!({
            "properties": {
                "format": { "type": "string", "format": "date-time", "default": { "format": "a" } },
                "all": { "items": { "anyOf": [{ "type": "integer", "format": "uint8" }] } },
            },
            "$defs": { "format": { "enum": [{ "format": "b" }] } },
            "required": ["format"],
        });
        let stripped = json!({
            "properties": {
                "format": { "type": "string", "default": { "format": "a" } },
                "all": { "items": { "anyOf": [{ "type": "integer" }] } },
            },
            "$defs": { "format": { "enum": [{ "format": "b" }] } },
            "required": ["format"],
        });
        assert_eq!(without_formats(schema), Some(stripped.clone()));
        assert_eq!(without_formats(stripped), None);
    }
}
