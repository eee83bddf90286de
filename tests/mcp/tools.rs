//! Tools that are made from functions.

use super::{Add, connect};
use agentwire::Options;
use agentwire::mcp::Tools;
use serde::Serialize;
use serde_json::json;

#[derive(Serialize)]
struct Sum {
    sum: i64,
}

#[tokio::test]
async fn tools_are_described_by_their_input_and_answer_with_what_they_return() {
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
                    "a": {"description": "The one.", "type": "integer", "format": "int64"},
                    "b": {"description": "The other.", "type": "integer", "format": "int64"}},
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

#[test]
#[should_panic(expected = "the input of the tool `t` must be an object, but is string")]
fn a_tool_takes_objects() {
    let _ = Tools::new().tool("t", "", |text: String| async move { Ok::<_, String>(text) });
}
