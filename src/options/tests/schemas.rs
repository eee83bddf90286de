//! Schemas of structured output.

use super::{arguments, refused, request};
use crate::Options;
#[cfg(feature = "schema")]
use serde_json::Value;
use serde_json::json;

#[test]
fn schemas_that_the_cli_or_the_api_rejects_are_refused() {
    let an_object = || json!({ "type": "object" });
    for (schema, why) in [
        (json!("text"), "not a JSON object"),
        (json!({}), "no `type`"),
        (json!({ "properties": {} }), "no `type`"),
        (json!({ "type": "array" }), "\"array\""),
        (
            json!({ "type": ["object", "null"] }),
            "[\"object\",\"null\"]",
        ),
        (
            json!({ "type": "object", "oneOf": [an_object()] }),
            "`oneOf`",
        ),
        (
            json!({ "type": "object", "anyOf": [an_object()] }),
            "`anyOf`",
        ),
        (
            json!({ "type": "object", "allOf": [an_object()] }),
            "`allOf`",
        ),
        (
            json!({ "$ref": "#/definitions/A", "definitions": { "A": an_object() } }),
            "`$ref`",
        ),
        (
            json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object" }),
            "draft 07 only",
        ),
    ] {
        let options = Options::new().output_format(schema);
        let (option, problem) = refused(options);
        assert_eq!(option, "output_format");
        assert!(problem.contains(why), "{problem}");
    }
    let draft = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object" });
    request(Options::new().output_format(draft));
    // A long one is only sent over the pipe.
    let long = json!({ "type": "object", "description": "x".repeat(20_000) });
    assert_eq!(arguments(Options::new().output_format(long)), [""; 0]);
}

#[cfg(feature = "schema")]
#[test]
fn types_become_supported_schemas() {
    /// A crab.
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its shape counts")]
    struct Crab {
        name: String,
    }
    let schema = &request(Options::new().output_type::<Crab>())["jsonSchema"];
    assert_eq!(schema["description"], "A crab.");
    assert_eq!(schema["properties"]["name"]["type"], "string");
    assert_eq!(schema["title"], Value::Null);
}

/// Types with every kind of root that a schema can have.
#[cfg(feature = "schema")]
mod roots {
    #![expect(dead_code, reason = "only their shapes count")]

    use schemars::JsonSchema;

    #[derive(JsonSchema)]
    pub(super) struct Crab {
        pub(super) name: String,
    }

    #[derive(JsonSchema)]
    pub(super) struct Tree {
        children: Vec<Tree>,
    }

    #[derive(JsonSchema)]
    pub(super) struct Generic<T> {
        value: T,
    }

    #[derive(JsonSchema)]
    pub(super) struct Flat {
        #[schemars(flatten)]
        crab: Crab,
        legs: u8,
    }

    /// A crab with another name.
    #[derive(JsonSchema)]
    pub(super) struct Newtype(Crab);

    #[derive(JsonSchema)]
    pub(super) struct NewtypeOfTree(Box<Tree>);

    #[derive(JsonSchema)]
    #[schemars(transparent)]
    pub(super) struct Transparent {
        inner: Newtype,
    }

    #[derive(JsonSchema)]
    pub(super) struct Unit;

    #[derive(JsonSchema)]
    pub(super) struct NewtypeOfScalar(u8);

    #[derive(JsonSchema)]
    #[schemars(tag = "kind")]
    pub(super) enum Tagged {
        Yes { why: String },
        No { why: String },
    }

    #[derive(JsonSchema)]
    #[schemars(tag = "kind", content = "value")]
    pub(super) enum Adjacent {
        Yes(String),
        No,
    }

    #[derive(JsonSchema)]
    pub(super) enum External {
        Yes { why: String },
        No,
    }

    #[derive(JsonSchema)]
    #[schemars(untagged)]
    pub(super) enum Untagged {
        Crab(Crab),
        Tree(Tree),
    }

    #[derive(JsonSchema)]
    pub(super) enum Units {
        Yes,
        No,
    }

    #[derive(JsonSchema)]
    pub(super) struct FlatEnum {
        #[schemars(flatten)]
        tagged: Tagged,
        legs: u8,
    }
}

#[cfg(feature = "schema")]
#[test]
fn types_without_an_object_at_the_root_are_refused() {
    use roots::*;
    use std::collections::HashMap;

    fn accepted<T: schemars::JsonSchema>() -> Value {
        let schema = request(Options::new().output_type::<T>())["jsonSchema"].take();
        assert_eq!(schema["type"], "object", "{schema}");
        schema
    }
    fn problem<T: schemars::JsonSchema>() -> String {
        let (option, problem) = refused(Options::new().output_type::<T>());
        assert_eq!(option, "output_format");
        let advice = "put the type into a field of a struct";
        assert!(problem.ends_with(advice), "{problem}");
        problem
    }

    for schema in [
        accepted::<Crab>(),
        accepted::<Box<Crab>>(),
        accepted::<Newtype>(),
        accepted::<Transparent>(),
        accepted::<Flat>(),
    ] {
        assert_eq!(schema["properties"]["name"]["type"], "string", "{schema}");
    }
    assert_eq!(
        accepted::<Newtype>()["description"],
        "A crab with another name."
    );
    for schema in [accepted::<Tree>(), accepted::<NewtypeOfTree>()] {
        let child = &schema["properties"]["children"]["items"]["$ref"];
        let child = child.as_str().unwrap().strip_prefix('#').unwrap();
        let child = schema.pointer(child).unwrap();
        assert_eq!(child["properties"]["children"]["type"], "array", "{schema}");
    }
    accepted::<HashMap<String, u8>>();
    // A rejected type can be a field.
    accepted::<Generic<Tagged>>();
    accepted::<Generic<Option<Vec<External>>>>();

    for problem in [
        problem::<Tagged>(),
        problem::<Adjacent>(),
        problem::<External>(),
    ] {
        assert!(problem.contains("`oneOf`"), "{problem}");
    }
    assert!(problem::<FlatEnum>().contains("`oneOf`"));
    assert!(problem::<Untagged>().contains("`anyOf`"));
    assert!(problem::<Option<Crab>>().contains("`anyOf`"));
    assert!(problem::<Option<HashMap<String, u8>>>().contains("null"));
    assert!(problem::<Vec<Crab>>().contains("\"array\""));
    assert!(problem::<(u8, String)>().contains("\"array\""));
    assert!(problem::<Units>().contains("\"string\""));
    assert!(problem::<String>().contains("\"string\""));
    assert!(problem::<bool>().contains("\"boolean\""));
    assert!(problem::<NewtypeOfScalar>().contains("\"integer\""));
    assert!(problem::<Unit>().contains("\"null\""));
    assert!(problem::<Value>().contains("no `type`"));
}
