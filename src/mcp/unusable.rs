//! Tools of a server that agents ignore without reporting it, as measured on CLI 2.1.332.

use rmcp::model::{InitializeResult, JsonObject, Tool};
use serde_json::Value;
use std::collections::HashMap;

/// The longest tool name that the API accepts, including the server's name. The CLI omits tools
/// with longer ones.
const LONGEST_NAME: usize = 128;

/// An ignored tool, or `None` for all tools of the server, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unusable {
    pub(super) tool: Option<Box<str>>,
    pub(super) reason: String,
}

impl Unusable {
    pub(super) fn all(reason: impl Into<String>) -> Self {
        Self {
            tool: None,
            reason: reason.into(),
        }
    }
}

/// Returns the tools that agents ignore among those that a server lists.
pub(super) fn unsupported_tools(server: &str, tools: &[Tool]) -> Vec<Unusable> {
    if let Some((tool, what)) = tools.iter().find_map(|it| Some((it, invalid(it)?))) {
        return vec![Unusable::all(format!(
            "the `inputSchema` of the tool `{}` {what}",
            tool.name
        ))];
    }
    let mut names: HashMap<String, &str> = HashMap::new();
    let mut found = vec![];
    for tool in tools {
        let name = format!("mcp__{}__{}", plain(server), plain(&tool.name));
        let reason = if let Some(property) = invalid_property(&tool.input_schema) {
            format!("the schema of the property `{property}` is not an object")
        } else if name.len() > LONGEST_NAME {
            format!("its name for the model, `{name}`, is longer than {LONGEST_NAME} characters")
        } else if let Some(other) = names.get(&name) {
            format!("the tool `{other}` has the same name for the model, `{name}`")
        } else {
            names.insert(name, &tool.name);
            continue;
        };
        found.push(Unusable {
            tool: Some((&*tool.name).into()),
            reason,
        });
    }
    found
}

/// Returns whether a server has no features, and does not announce that this may change.
pub(super) fn is_empty(server: &InitializeResult, tools: &[Tool]) -> bool {
    let has = &server.capabilities;
    let may_have_tools =
        !tools.is_empty() || (has.tools.as_ref()).is_some_and(|it| it.list_changed == Some(true));
    !may_have_tools && has.resources.is_none() && has.prompts.is_none()
}

/// Returns why the schema is invalid, if it is. Agents then reject the whole list.
fn invalid(tool: &Tool) -> Option<&'static str> {
    let schema = &tool.input_schema;
    if schema.get("type") != Some(&Value::from("object")) {
        return Some("does not have `\"type\": \"object\"`");
    }
    if (schema.get("properties")).is_some_and(|it| !it.is_object()) {
        return Some("has `properties` that are not an object");
    }
    let are_names = |it: &Value| {
        it.as_array()
            .is_some_and(|it| it.iter().all(Value::is_string))
    };
    if schema.get("required").is_some_and(|it| !are_names(it)) {
        return Some("has a `required` that is not a list of names");
    }
    None
}

fn invalid_property(schema: &JsonObject) -> Option<&str> {
    let properties = schema.get("properties")?.as_object()?;
    let invalid = properties
        .iter()
        .find(|(_, it)| !it.is_object() && !it.is_boolean());
    invalid.map(|(name, _)| &**name)
}

/// Replaces characters that the API does not accept in names, as the CLI does.
fn plain(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    (name.chars())
        .map(|it| if is_plain(it) { it } else { '_' })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(tools: Value) -> Vec<(Option<String>, String)> {
        let tools: Vec<Tool> = serde_json::from_value(tools).unwrap();
        let found = unsupported_tools("s", &tools).into_iter();
        found
            .map(|it| (it.tool.map(Into::into), it.reason))
            .collect()
    }

    #[test]
    fn an_invalid_schema_disables_all_tools_of_the_server() {
        let fine = json!({"name": "fine", "inputSchema": {"type": "object"}});
        for (schema, what) in [
            (json!({}), "type"),
            (json!({"properties": {}}), "type"),
            (json!({"type": "string"}), "type"),
            (json!({"type": ["object"]}), "type"),
            (
                json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}),
                "type",
            ),
            (json!({"type": "object", "properties": null}), "properties"),
            (json!({"type": "object", "properties": []}), "properties"),
            (json!({"type": "object", "required": "a"}), "required"),
            (json!({"type": "object", "required": null}), "required"),
        ] {
            let found = of(json!([fine, {"name": "bad", "inputSchema": schema}]));
            let [(None, reason)] = &*found else {
                panic!("{found:?}")
            };
            assert!(
                reason.contains("`bad`") && reason.contains(what),
                "{reason}"
            );
        }
    }

    #[test]
    fn an_invalid_property_or_name_disables_one_tool() {
        let named = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        let properties = json!({"a": "x", "b": true});
        let bad =
            json!({"name": "bad", "inputSchema": {"type": "object", "properties": properties}});
        let long = "x".repeat(121);
        let longest = "y".repeat(120);
        let tools = ["a b", "a.b", "é", "", &*long, &*longest].map(named);
        let found = of(tools.into_iter().chain([bad]).collect());
        let tools: Vec<_> = found.iter().map(|it| it.0.as_deref().unwrap()).collect();
        assert_eq!(tools, ["a.b", &*long, "bad"]);
        assert!(found[0].1.contains("`a b`") && found[0].1.contains("`mcp__s__a_b`"));
        assert!(found[1].1.contains("128"));
        assert!(found[2].1.contains("`a`"));
    }

    #[test]
    fn valid_tools_are_not_reported() {
        let schemas = [
            json!({"type": "object", "oneOf": [{"type": "object"}]}),
            json!({"type": "object", "$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}),
            json!({"type": "object", "properties": {"a": true}, "required": ["a"]}),
        ];
        let tools = schemas.into_iter().enumerate();
        let tools = tools.map(|(i, it)| json!({"name": i.to_string(), "inputSchema": it}));
        assert_eq!(of(tools.collect()), []);
    }
}
