//! Values of the types, made from their JSON Schema.

use agentwire_protocol::schema;
use serde_json::{Map, Value, json};

/// The definitions of all schemas, by the names of their types.
pub(crate) fn definitions() -> Map<String, Value> {
    let mut all = Map::new();
    for schema in [
        schema::lines(),
        schema::answers(),
        schema::tools(),
        schema::conversation(),
    ] {
        let definitions = schema.get("$defs").and_then(Value::as_object);
        for (name, definition) in definitions.expect("definitions") {
            let before = all.insert(name.clone(), definition.clone());
            assert!(before.is_none_or(|before| &before == definition), "{name}");
        }
    }
    all
}

/// The members that an object can have.
pub(crate) fn members(definition: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = definition["properties"].as_object().into_iter().flatten();
    members.map(|(name, schema)| (name.as_str(), schema))
}

/// Whether a member says what the object is. It is no field.
pub(crate) fn is_tag(member: &Value) -> bool {
    member.get("const").is_some()
}

/// Makes values. No two texts or numbers in one are the same.
pub(crate) struct Sampler<'a> {
    definitions: &'a Map<String, Value>,
    /// How many plain values have been made.
    made: u64,
    /// How many objects are around what is being made.
    depth: usize,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(definitions: &'a Map<String, Value>) -> Self {
        Self {
            definitions,
            made: 0,
            depth: 0,
        }
    }

    /// An object that has what it has to have, and this member.
    pub(crate) fn object(&mut self, definition: &Value, with: Option<&str>) -> Map<String, Value> {
        let required: Vec<&str> = (definition["required"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        self.depth += 1;
        let object = members(definition)
            .filter(|(name, _)| required.contains(name) || with == Some(*name))
            .map(|(name, schema)| (name.to_owned(), self.value(schema)))
            .collect();
        self.depth -= 1;
        object
    }

    /// A value that is not `null`. Of alternatives the first is taken, objects
    /// inside have only what they have to have, and lists and maps inside of
    /// those are empty: what contains itself ends.
    pub(crate) fn value(&mut self, schema: &Value) -> Value {
        if let Some(name) = reference(schema) {
            return self.value(&self.definitions[name]);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(alternatives) = schema["anyOf"].as_array() {
            let first = alternatives.iter().find(|one| one["type"] != "null");
            return self.value(first.expect("an alternative"));
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let parts = parts.iter().map(|part| self.value(part));
            let members = parts.filter_map(|part| part.as_object().cloned());
            return Value::Object(members.flatten().collect());
        }
        if schema.get("properties").is_some() {
            return Value::Object(self.object(schema, None));
        }
        self.made += 1;
        let made = self.made;
        if let Some(values) = schema["enum"].as_array() {
            return values[made as usize % values.len()].clone();
        }
        match kind(schema) {
            None => json!({ "untyped": made }),
            Some("string") => json!(format!("text {made}")),
            Some("integer") => json!(made),
            Some("number") => json!(made as f64 + 0.5),
            Some("boolean") => json!(made % 2 == 1),
            Some("array") if self.depth > 1 => json!([]),
            Some("object") if self.depth > 1 => json!({}),
            Some("array") => json!([self.value(&schema["items"])]),
            Some("object") => match schema.get("additionalProperties") {
                Some(values) => json!({ format!("key {made}"): self.value(values) }),
                None => json!({ "type": format!("of no kind {made}") }),
            },
            Some(other) => panic!("no value of the type `{other}`: {schema}"),
        }
    }
}

/// The type that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// The kind of JSON value that a schema asks for, besides `null`.
fn kind(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|k| *k != "null"),
        kind => kind.as_str(),
    }
}
