//! Reads a JSON Schema as declarations, so that both can be compared. Supports
//! only what our own export writes.

use crate::declarations::{
    Declaration, Declarations, Literal, Member, Module, Object, Reference, Type,
};
use serde_json::{Map, Value};

/// The name of the root type.
const ROOT: &str = "#";

/// Reads a schema. Its `$defs` are the declarations, and its root is the
/// returned type.
#[must_use]
pub fn read(schema: &Value) -> (Declarations, Type) {
    let mut module = Module::default();
    let definitions = schema.get("$defs").and_then(Value::as_object);
    for (name, definition) in definitions.into_iter().flatten() {
        module.types.insert(name.clone(), declaration(definition));
    }
    module.types.insert(ROOT.to_owned(), declaration(schema));
    (Declarations::of_module(module), named(ROOT))
}

fn declaration(schema: &Value) -> Declaration {
    Declaration {
        parameters: vec![],
        body: ty(schema),
    }
}

fn named(name: &str) -> Type {
    let reference = Reference {
        module: 0,
        name: name.to_owned(),
    };
    Type::Named(reference, vec![])
}

fn ty(schema: &Value) -> Type {
    let Value::Object(schema) = schema else {
        return match schema {
            Value::Bool(false) => Type::Absent,
            _ => Type::Any,
        };
    };
    // Each of these keywords adds a constraint.
    let mut parts = Vec::new();
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        parts.push(named(reference.rsplit('/').next().unwrap_or(reference)));
    }
    if let Some(value) = schema.get("const") {
        parts.push(literal(value));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        parts.push(Type::Union(values.iter().map(literal).collect()));
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(alternatives)) = schema.get(keyword) {
            parts.push(Type::Union(alternatives.iter().map(ty).collect()));
        }
    }
    if let Some(Value::Array(all)) = schema.get("allOf") {
        parts.extend(all.iter().map(ty));
    }
    match schema.get("type") {
        Some(Value::String(kind)) => parts.push(kind_type(kind, schema)),
        Some(Value::Array(kinds)) => parts.push(Type::Union(
            kinds
                .iter()
                .filter_map(Value::as_str)
                .map(|kind| kind_type(kind, schema))
                .collect(),
        )),
        _ if schema.contains_key("properties") => parts.push(Type::Object(object(schema))),
        _ => {}
    }
    match parts.len() {
        0 => Type::Any,
        1 => parts.swap_remove(0),
        _ => Type::Intersection(parts),
    }
}

fn kind_type(kind: &str, schema: &Map<String, Value>) -> Type {
    match kind {
        "null" => Type::Null,
        "boolean" => Type::Boolean,
        "integer" | "number" => Type::Number,
        "string" => Type::String,
        "array" => match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(items)), _) => Type::Tuple(items.iter().map(ty).collect()),
            (_, Some(item)) => Type::Array(Box::new(ty(item))),
            _ => Type::Array(Box::new(Type::Any)),
        },
        "object" => Type::Object(object(schema)),
        _ => Type::Any,
    }
}

fn object(schema: &Map<String, Value>) -> Object {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|required| required.iter().any(|one| one == name));
    let members = schema.get("properties").and_then(Value::as_object);
    Object {
        members: members
            .into_iter()
            .flatten()
            .map(|(name, value)| Member {
                name: name.clone(),
                value: ty(value),
                optional: !is_required(name),
            })
            .collect(),
        index: schema
            .get("additionalProperties")
            .filter(|value| value.as_bool() != Some(false))
            .map(|value| Box::new(ty(value))),
    }
}

fn literal(value: &Value) -> Type {
    match value {
        Value::String(text) => Type::Literal(Literal::String(text.clone())),
        Value::Bool(boolean) => Type::Literal(Literal::Boolean(*boolean)),
        Value::Number(number) => number.as_f64().map_or(Type::Number, |number| {
            Type::Literal(Literal::Number(number))
        }),
        Value::Null => Type::Null,
        Value::Array(_) | Value::Object(_) => Type::Any,
    }
}
