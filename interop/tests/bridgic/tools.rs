//! Tools, as their `ToolSpec`s and `Tool`s and as ours.

use crate::bridgic::oracle::oracle;
use crate::bridgic::theirs::{self, read};
use crate::support::oracle::samples;
use crate::support::{ours, tree};
use agentwire_interop::Compat;
use agentwire_interop::bridgic::{
    Tool, ToolSpec, export_tools, import_tools, undo_export_tools, undo_import_tools,
};
use agentwire_interop::conversion::Carried;
use agentwire_protocol::content::ToolDefinition;
use proptest::collection::vec;
use proptest::option::{self, weighted};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A JSON Schema, more or less.
fn schema() -> impl Strategy<Value = Value> {
    let property = prop_oneof![
        Just(json!({"type": "string", "description": "a name"})),
        Just(json!({"type": "integer", "minimum": 1})),
        Just(json!({"$ref": "#/$defs/Point"})),
    ];
    let properties = vec(("[a-c]", property), 0..3);
    (
        properties,
        option::of(Just(json!(["a"]))),
        any::<[bool; 4]>(),
    )
        .prop_map(
            |(properties, required, [typed, has_properties, closed, defs])| {
                let mut schema = Map::new();
                if typed {
                    schema.insert("type".into(), "object".into());
                }
                if has_properties {
                    schema.insert(
                        "properties".into(),
                        Value::Object(Map::from_iter(properties)),
                    );
                }
                if let Some(required) = required {
                    schema.insert("required".into(), required);
                }
                if closed {
                    schema.insert("additionalProperties".into(), false.into());
                }
                if defs {
                    schema.insert("$defs".into(), json!({"Point": {"type": "array"}}));
                }
                Value::Object(schema)
            },
        )
}

fn spec() -> impl Strategy<Value = Value> {
    (
        weighted(0.9, theirs::tool()),
        weighted(0.9, ours::text()),
        weighted(0.9, schema()),
    )
        .prop_map(|(name, description, parameters)| {
            let mut spec = json!({"func": "json.dumps"});
            for (key, value) in [
                ("tool_name", name.map(Value::from)),
                ("tool_description", description.map(Value::from)),
                ("tool_parameters", parameters),
            ] {
                if let Some(value) = value {
                    spec[key] = value;
                }
            }
            spec
        })
}

fn definition() -> impl Strategy<Value = Value> {
    let custom = (
        theirs::tool(),
        weighted(0.8, ours::text()),
        schema(),
        any::<[bool; 2]>(),
    );
    prop_oneof![
        6 => custom.prop_map(|(name, description, schema, [typed, cached])| {
            let mut tool = json!({"name": name, "input_schema": schema});
            if let Some(description) = description {
                tool["description"] = description.into();
            }
            if typed {
                tool["type"] = "custom".into();
            }
            if cached {
                tool["cache_control"] = json!({"type": "ephemeral"});
            }
            tool
        }),
        1 => Just(json!({"type": "bash_20250124", "name": "bash"})),
        1 => Just(json!({"type": "hammer_20300101", "weight": 3})),
    ]
}

fn definitions() -> impl Strategy<Value = Vec<ToolDefinition>> {
    vec(definition(), 0..5).prop_map(|tools| tools.iter().map(read).collect())
}

proptest! {
    #[test]
    fn tools_there_and_back(tools in definitions()) {
        let Carried { made, residue, .. } = export_tools(tools.clone());
        let back = undo_export_tools(made, residue);
        prop_assert_eq!(back.refused, vec![]);
        prop_assert_eq!(tree(&back.pieces), tree(&tools));
    }

    #[test]
    fn tools_back_and_there(specs in vec(spec(), 0..5)) {
        let read: Vec<ToolSpec> = specs.iter().map(read).collect();
        let Carried { made, residue, .. } = import_tools(read);
        let back = undo_import_tools(made, residue);
        prop_assert_eq!(back.refused, vec![]);
        prop_assert_eq!(tree(&back.pieces), Value::from(specs));
    }
}

#[test]
fn what_is_lost_of_tools() {
    let tools: Vec<ToolDefinition> = read(&json!([
        {"name": "add", "input_schema": {"type": "object"}, "strict": true},
        {"type": "bash_20250124", "name": "bash"},
    ]));
    let carried = export_tools(tools);
    assert_eq!(
        tree(&carried.made),
        json!([{"tool_name": "add", "tool_parameters": {"type": "object"}}])
    );
    let told: Vec<String> = carried.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "0/strict: `strict`: there is no place for it",
            "1: all of a piece: bash_20250124: there is no place for it",
        ]
    );
}

#[test]
fn specs_are_what_the_library_loads_and_dumps() {
    let specs = samples(&spec(), 1000);
    let requests: Vec<Value> = specs
        .iter()
        .map(|it| json!({"op": "tool_spec", "spec": it}))
        .collect();
    oracle("tool_spec").agrees(&requests, |index| {
        let mut spec: ToolSpec = read(&specs[index]);
        // What is empty is not dumped.
        spec.tool_description = spec.tool_description.filter(|text| !text.is_empty());
        spec.tool_parameters = spec.tool_parameters.filter(|it| it.get() != "{}");
        Some(tree(&spec))
    });
    let requests: Vec<Value> = specs
        .iter()
        .map(|it| json!({"op": "to_tool", "spec": it}))
        .collect();
    oracle("to_tool").agrees(&requests, |index| {
        let spec: ToolSpec = read(&specs[index]);
        spec.to_tool().ok().map(|tool| tree(&tool))
    });
}

#[test]
fn our_tools_are_tools_there() {
    let made = samples(&definitions(), 500)
        .into_iter()
        .flat_map(|it| export_tools(it).made);
    let described = made.filter(|spec| spec.tool_description.is_some());
    let tools: Vec<Value> = described
        .map(|spec| tree(&spec.to_tool().unwrap()))
        .collect();
    assert!(tools.len() > 500, "{}", tools.len());
    let requests: Vec<Value> = tools
        .iter()
        .map(|it| json!({"op": "tool", "tool": it}))
        .collect();
    oracle("tool").agrees(&requests, |index| Some(tools[index].clone()));
}

/// What `tool_to_openai` is asked.
pub(crate) fn to_openai_requests() -> Vec<Value> {
    let tool = (theirs::tool(), ours::text(), schema()).prop_map(|(name, description, schema)| {
        json!({"name": name, "description": description, "parameters": schema})
    });
    let ask = |tool| json!({"op": "tool_to_openai", "tool": tool});
    samples(&tool, 1000).into_iter().map(ask).collect()
}

/// What `tool_to_openai` answers.
pub(crate) fn to_openai(request: &Value, compat: Compat) -> Value {
    tree(&read::<Tool>(&request["tool"]).to_openai(compat))
}

#[test]
fn tools_as_openai_is_told_of_them() {
    let requests = to_openai_requests();
    oracle("tool_to_openai").agrees(&requests, |index| {
        Some(to_openai(&requests[index], Compat::Library))
    });
}
