//! Every field of every type is public, is read from the member that it is
//! meant for, and is written down in a table here: a type of the schemas, or a
//! member of one, that the tables do not have is a failure that says where to
//! add it.
#![allow(clippy::unwrap_used)]

mod agent_definition;
mod content;
mod control;
mod conversation;
mod dialog;
mod hook;
mod mcp;
mod message;
mod model;
mod odd;
mod permission;
mod plugin;
mod sample;
mod table;
mod tool;

use agentwire_protocol::hook::{HookEvent, HookInput};
use sample::{Sampler, definitions, is_tag, members};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use table::{Either, Enum, Object, Union};

const OBJECTS: [&[Object]; 12] = [
    agent_definition::OBJECTS,
    content::OBJECTS,
    control::OBJECTS,
    conversation::OBJECTS,
    dialog::OBJECTS,
    hook::OBJECTS,
    mcp::OBJECTS,
    message::OBJECTS,
    model::OBJECTS,
    permission::OBJECTS,
    plugin::OBJECTS,
    tool::OBJECTS,
];

const UNIONS: [&[Union]; 9] = [
    content::UNIONS,
    control::UNIONS,
    conversation::UNIONS,
    dialog::UNIONS,
    hook::UNIONS,
    message::UNIONS,
    permission::UNIONS,
    plugin::UNIONS,
    tool::UNIONS,
];

const EITHER: [&[Either]; 6] = [
    agent_definition::EITHER,
    content::EITHER,
    hook::EITHER,
    mcp::EITHER,
    model::EITHER,
    tool::EITHER,
];

const ENUMS: [&[Enum]; 10] = [
    agent_definition::ENUMS,
    content::ENUMS,
    control::ENUMS,
    conversation::ENUMS,
    hook::ENUMS,
    mcp::ENUMS,
    message::ENUMS,
    model::ENUMS,
    permission::ENUMS,
    tool::ENUMS,
];

/// What is in no table.
const WITHOUT_A_TABLE: [&str; 2] = [
    // Has no type: the host writes it from the request that it makes.
    "HostControlRequest",
    // Two types that share an object; it has a test below.
    "HookInput",
];

/// Fails with all that was found.
#[track_caller]
fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn every_type_is_in_a_table() {
    let names: Vec<&str> = (OBJECTS.into_iter().flatten().map(|object| object.name))
        .chain(UNIONS.into_iter().flatten().map(|union| union.name))
        .chain(EITHER.into_iter().flatten().map(|either| either.name))
        .chain(ENUMS.into_iter().flatten().map(|values| values.name))
        .chain(WITHOUT_A_TABLE)
        .collect();
    let tables: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), tables.len(), "a type is in the tables twice");
    let definitions = definitions();
    let schemas: BTreeSet<&str> = definitions.keys().map(String::as_str).collect();
    let missing = schemas.difference(&tables).map(|name| {
        format!("`{name}` is in no table: add it to that of its module in protocol/tests/fields")
    });
    let unknown = tables
        .difference(&schemas)
        .map(|name| format!("`{name}` is in a table in protocol/tests/fields, and in no schema"));
    assert_none(&missing.chain(unknown).collect::<Vec<_>>());
}

#[test]
fn every_member_is_a_field() {
    let definitions = definitions();
    let mut found = Vec::new();
    for object in OBJECTS.into_iter().flatten() {
        let Some(definition) = definitions.get(object.name) else {
            continue;
        };
        let (name, file) = (object.name, object.file);
        let fields: BTreeSet<&str> = object.members.iter().copied().collect();
        let members: BTreeSet<&str> = members(definition)
            .filter(|(_, schema)| !is_tag(schema))
            .map(|(member, _)| member)
            .collect();
        for member in members.difference(&fields) {
            found.push(format!("{file}: add the member `{member}` to `{name}`"));
        }
        for member in fields.difference(&members) {
            found.push(format!("{file}: `{name}` has no member `{member}`"));
        }
    }
    assert_none(&found);
}

#[test]
fn every_field_is_read_from_its_member() {
    let definitions = definitions();
    let mut found = Vec::new();
    for object in OBJECTS.into_iter().flatten() {
        let Some(definition) = definitions.get(object.name) else {
            continue;
        };
        // One member more at a time: two that are mixed up show even where
        // their values are alike.
        let smallest = [None].into_iter();
        for with in smallest.chain(object.members.iter().map(|member| Some(*member))) {
            let sample = Sampler::new(&definitions).object(definition, with);
            if let Err(problem) = check_fields(object, sample) {
                found.push(format!("{}: `{}`: {problem}", object.file, object.name));
            }
        }
    }
    assert_none(&found);
}

/// Whether each field holds what the sample has under its name, and the others
/// nothing.
fn check_fields(object: &Object, sample: Map<String, Value>) -> Result<(), String> {
    let sample = Value::Object(sample);
    let mut held = (object.read)(&sample.to_string()).map_err(|e| format!("{e}: {sample}"))?;
    let extra = held.pop();
    if extra != Some(json!({})) {
        return Err(format!("no field for {extra:?} of {sample}"));
    }
    for (member, held) in object.members.iter().zip(held) {
        if held != sample[member] {
            return Err(format!("the field for `{member}` holds {held} of {sample}"));
        }
    }
    Ok(())
}

#[test]
fn every_kind_of_a_union_is_read_as_its_variant() {
    let definitions = definitions();
    let mut found = Vec::new();
    for union in UNIONS.into_iter().flatten() {
        let Some(definition) = definitions.get(union.name) else {
            continue;
        };
        let samples = alternatives(&definitions, definition);
        // The last one stands for what is not known.
        let (_, known) = samples.split_last().unwrap();
        let tags: Vec<&str> = known
            .iter()
            .filter_map(|one| one[union.tag].as_str())
            .collect();
        let table: Vec<&str> = union.kinds.iter().map(|(_, tag)| *tag).collect();
        if tags != table {
            found.push(format!(
                "{}: the kinds of `{}` are {tags:?}",
                union.file, union.name
            ));
            continue;
        }
        let unknown = json!({ union.tag: "of no kind", "key": 1 });
        let kinds = union.kinds.iter().map(|(kind, _)| *kind);
        for (kind, sample) in kinds.zip(known).chain([("Unknown", &unknown)]) {
            let read = (union.read)(&sample.to_string());
            check_kind(&mut found, union.file, union.name, (kind, sample), read);
        }
    }
    assert_none(&found);
}

#[test]
fn what_has_no_tag_is_told_apart_all_the_same() {
    let definitions = definitions();
    let mut found = Vec::new();
    for either in EITHER.into_iter().flatten() {
        let Some(definition) = definitions.get(either.name) else {
            continue;
        };
        let samples = alternatives(&definitions, definition);
        if samples.len() != either.kinds.len() {
            found.push(format!(
                "{}: the kinds of `{}` are as many as {samples:?}",
                either.file, either.name
            ));
            continue;
        }
        for (kind, sample) in either.kinds.iter().zip(&samples) {
            let read = (either.read)(&sample.to_string());
            check_kind(&mut found, either.file, either.name, (kind, sample), read);
        }
    }
    assert_none(&found);
}

/// A value for each alternative of a type.
fn alternatives(definitions: &Map<String, Value>, definition: &Value) -> Vec<Value> {
    let alternatives = definition["anyOf"].as_array().unwrap().iter();
    alternatives
        .map(|one| Sampler::new(definitions).value(one))
        .collect()
}

/// Whether a sample was read as this variant, which holds all of it.
fn check_kind(
    found: &mut Vec<String>,
    file: &str,
    name: &str,
    (kind, sample): (&str, &Value),
    read: serde_json::Result<(&'static str, Value)>,
) {
    match read {
        Ok((read, held)) if read == kind && held == *sample => {}
        Ok((read, held)) => found.push(format!(
            "{file}: `{name}::{kind}`: {sample} is read as `{read}` of {held}"
        )),
        Err(error) => found.push(format!("{file}: `{name}::{kind}`: {error}: {sample}")),
    }
}

#[test]
fn every_value_of_an_enumeration_is_its_variant() {
    let definitions = definitions();
    let mut found = Vec::new();
    for values in ENUMS.into_iter().flatten() {
        let Some(definition) = definitions.get(values.name) else {
            continue;
        };
        let (name, file) = (values.name, values.file);
        let known = &definition["anyOf"][0]["enum"];
        if *known != json!(values.values) {
            found.push(format!("{file}: the values of `{name}` are {known}"));
            continue;
        }
        let known = values.values.iter().map(|value| (*value, Some(*value)));
        for (text, value) in known.chain([("of no kind", None)]) {
            let taken = (values.take)(text);
            if taken != (value, text.to_owned()) {
                found.push(format!("{file}: `{name}`: {text:?} is taken for {taken:?}"));
            }
        }
    }
    assert_none(&found);
}

#[test]
fn where_it_happens_and_what_happens_are_fields_of_what_a_hook_is_told() {
    let definitions = definitions();
    let sample = Sampler::new(&definitions).value(&definitions["HookInput"]);
    let context =
        Sampler::new(&definitions).object(&definitions["HookContext"], Some("session_id"));
    let mut whole = context.clone();
    whole.extend(sample.as_object().unwrap().clone());
    let input: HookInput = serde_json::from_value(Value::Object(whole)).unwrap();
    assert_eq!(json!(input.context), Value::Object(context));
    assert!(matches!(input.event, HookEvent::PreToolUse(_)));
    assert_eq!(json!(input.event), sample);
}
