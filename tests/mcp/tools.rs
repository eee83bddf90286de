//! Tests of tools that are made from functions.

use super::{Add, connect};
use agentwire::Options;
use agentwire::mcp::Tools;
use agentwire::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;

#[derive(Serialize)]
struct Sum {
    sum: i64,
}

#[tokio::test]
async fn tools_have_a_schema_and_return_the_output_of_their_function() {
    let tools = Tools::new()
        .instructions("Use them.")
        .read_only_tool("sum", "Sums up.", |add: Add| async move {
            if add.a == 0 {
                return Err("Nothing to add.");
            }
            Ok(Sum { sum: add.a + add.b })
        })
        .tool("list", "Lists.", |(): ()| async move {
            Ok::<_, String>(vec![1, 2])
        });
    let (_client, mut agent, greeting) = connect(Options::new().mcp_server("s", tools)).await;
    let manifest = &greeting["sdkMcpServerManifests"]["s"];
    assert_eq!(manifest["initializeResult"]["instructions"], "Use them.");
    let listed = json!({"tools": [
        {"name": "list", "description": "Lists.", "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}},
        {"name": "sum", "description": "Sums up.", "annotations": {"readOnlyHint": true},
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                "properties": {
                    "a": {"description": "The first summand.", "type": "integer", "format": "int64"},
                    "b": {"description": "The second summand.", "type": "integer", "format": "int64"}},
                "required": ["a", "b"]}}]});
    assert_eq!(manifest["toolsListResult"], listed);

    let text = |text: &str| json!([{"type": "text", "text": text}]);
    agent.calls("c", "sum", json!({"a": 1, "b": 2})).await;
    let expected = json!({"content": text(r#"{"sum":3}"#),
        "structuredContent": {"sum": 3}, "isError": false});
    assert_eq!(agent.hears_result("c").await, expected);
    agent.calls("c", "list", json!({})).await;
    let expected = json!({"content": text("[1,2]"), "isError": false});
    assert_eq!(agent.hears_result("c").await, expected);
    agent.calls("c", "sum", json!({"a": 0, "b": 2})).await;
    let expected = json!({"content": text("Nothing to add."), "isError": true});
    assert_eq!(agent.hears_result("c").await, expected);
    for (tool, input) in [("sum", json!({"a": "x"})), ("list", json!({"a": 1}))] {
        agent.calls("c", tool, input).await;
        let result = agent.hears_result("c").await;
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("The input does not match the schema: "),
            "{text}"
        );
    }
    agent.calls("c", "other", json!({})).await;
    let reply = agent.hears_reply("c").await;
    assert_eq!(reply["error"]["message"], "there is no tool `other`");
}

#[derive(Deserialize, JsonSchema)]
struct Newtype(Add);

/// A newtype with a doc comment.
#[derive(Deserialize, JsonSchema)]
struct Documented(Box<Add>);

#[derive(Deserialize, JsonSchema)]
struct Unit;

#[derive(Deserialize, JsonSchema)]
struct Scalar(#[expect(dead_code, reason = "only its shape counts")] u8);

#[derive(Deserialize, JsonSchema)]
struct Tree {
    children: Vec<Tree>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    Yes { why: String },
    No,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Add(Add),
    Tree(Tree),
}

#[derive(Deserialize, Serialize, JsonSchema)]
enum Objects {
    Walk { steps: u8 },
    Turn(i8),
}

#[derive(Deserialize, Serialize, JsonSchema)]
enum Mixed {
    Walk { steps: u8 },
    Stop,
}

#[derive(Deserialize, JsonSchema)]
enum Units {
    Stop,
    Go,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its shape counts")]
enum Nested {
    Mixed(Mixed),
    Tree(Tree),
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Flat {
    #[serde(flatten)]
    tagged: Tagged,
    legs: u8,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Generic<T> {
    value: T,
}

/// Returns a server with a tool that takes an `I` and returns the output of `shown`.
fn taking<I, O>(shown: fn(I) -> O) -> Tools
where
    I: serde::de::DeserializeOwned + JsonSchema + Send + 'static,
    O: Serialize + Send + 'static,
{
    Tools::new().tool("t", "", move |input: I| async move {
        Ok::<_, String>(shown(input))
    })
}

/// Returns a tool's result for an input.
async fn returned(tools: Tools, inputs: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let (_client, mut agent, greeting) = connect(Options::new().mcp_server("s", tools)).await;
    let listed = &greeting["sdkMcpServerManifests"]["s"]["toolsListResult"]["tools"][0];
    assert_eq!(listed["inputSchema"]["type"], "object", "{listed}");
    assert_eq!(listed["inputSchema"]["$ref"], json!(null), "{listed}");
    let mut all = vec![];
    for input in inputs {
        agent.calls("c", "t", input).await;
        let mut result = agent.hears_result("c").await;
        assert_eq!(result["isError"], false, "{result}");
        all.push(result["content"][0]["text"].take());
    }
    all
}

#[tokio::test]
async fn every_value_of_an_accepted_input_is_reachable() {
    let sum = json!({"a": 1, "b": 2});
    let sums = [
        taking(|Newtype(add)| add.a + add.b),
        taking(|Documented(add)| add.a + add.b),
        taking(|add: Box<Add>| add.a + add.b),
        taking(|add: Option<Add>| add.unwrap().a + 2),
        taking(|untagged| match untagged {
            Untagged::Add(add) => add.a + add.b,
            Untagged::Tree(tree) => i64::try_from(tree.children.len()).unwrap(),
        }),
        taking(|map: HashMap<String, i64>| map.values().sum::<i64>()),
        taking(|map: Option<HashMap<String, i64>>| map.unwrap().values().sum::<i64>()),
        taking(|value: Value| value["a"].as_i64().unwrap() + 2),
        taking(|add: Generic<Add>| add.value.a + add.value.b),
    ];
    let last = sums.len() - 1;
    for (number, tools) in sums.into_iter().enumerate() {
        let input = if number == last {
            json!({"value": sum})
        } else {
            sum.clone()
        };
        assert_eq!(returned(tools, [input]).await, ["3"]);
    }
    let tools = taking(|add: Option<Add>| add.is_none());
    assert_eq!(returned(tools, [json!({})]).await, ["true"]);
    assert_eq!(returned(taking(|Unit| "unit"), [json!({})]).await, ["unit"]);
    let tools = taking(|tree: Tree| tree.children.len());
    let input = json!({"children": [{"children": []}]});
    assert_eq!(returned(tools, [input]).await, ["1"]);

    let inputs = [r#"{"kind":"Yes","why":"x"}"#, r#"{"kind":"No"}"#];
    let values = inputs.map(|it| serde_json::from_str(it).unwrap());
    assert_eq!(returned(taking(|it: Tagged| it), values).await, inputs);
    let inputs = [r#"{"Walk":{"steps":1}}"#, r#"{"Turn":-1}"#];
    let values = inputs.map(|it| serde_json::from_str(it).unwrap());
    assert_eq!(returned(taking(|it: Objects| it), values).await, inputs);
    let inputs = [r#"{"kind":"No","legs":8}"#];
    let values = inputs.map(|it| serde_json::from_str(it).unwrap());
    assert_eq!(returned(taking(|it: Flat| it), values).await, inputs);
    let inputs = [r#"{"value":"Stop"}"#];
    let values = inputs.map(|it| serde_json::from_str(it).unwrap());
    assert_eq!(
        returned(taking(|it: Generic<Mixed>| it), values).await,
        inputs
    );
}

#[test]
fn an_input_with_values_that_are_no_objects_panics() {
    fn panic_of<I: serde::de::DeserializeOwned + JsonSchema + Send + 'static>() -> String {
        let panic = std::panic::catch_unwind(|| taking(|_: I| ())).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    }
    for (panic, why) in [
        (panic_of::<String>(), "is string"),
        (panic_of::<bool>(), "is boolean"),
        (panic_of::<Scalar>(), "is integer"),
        (panic_of::<Vec<Add>>(), "is array"),
        (panic_of::<(u8, String)>(), "is array"),
        (panic_of::<Units>(), "is string"),
        (panic_of::<Mixed>(), "has a variant that is string"),
        (panic_of::<Nested>(), "has a variant that is string"),
        (panic_of::<Option<u8>>(), "has a variant that is integer"),
        (panic_of::<Option<Mixed>>(), "has a variant that is string"),
    ] {
        let expected = format!(
            "the input of the tool `t` must be an object, but {why}: \
             put the type into a field of a struct"
        );
        assert_eq!(panic, expected);
    }
}
